"""The part of a text around what was looked for."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

from agentao.memory.models import EXCERPT_MAX_CHARS
from agentao.memory.recall import hyponyms
from agentao.memory.tokenizer import vocabulary, words

ELLIPSIS = "…"
LEAD_CHARS = 40
"""About so much of the text before the first match is shown with it."""

HITS_MAX = 50
"""Of one term at most so many places are looked at."""

_JOINER = "\u200d"
_SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
_FLAG_LETTERS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))


def excerpt(text: str, clues: Sequence[Collection[str]], limit: int = EXCERPT_MAX_CHARS) -> str:
    """At most ``limit`` characters of ``text``: the stretch that answers most of ``clues``, ``…`` where it is cut.

    ``clues``: for each the terms that answer it. It is cut at words, and never inside what a reader sees as one sign.
    A text that fits is given whole; one that answers none of the clues from its beginning.
    """
    if len(text) <= limit:
        return text
    room = limit - 2 * len(ELLIPSIS)
    begin = max(0, _densest(_places(text, clues), room - LEAD_CHARS) - LEAD_CHARS)
    begin = min(begin, len(text) - room)
    if begin > 0:
        begin = _word_start(text, begin)
    end = min(len(text), begin + room)
    if end < len(text):
        end = _word_end(text, end)
    return (ELLIPSIS if begin else "") + text[begin:end].strip() + (ELLIPSIS if end < len(text) else "")


def _places(text: str, clues: Sequence[Collection[str]]) -> list[tuple[int, int]]:
    """Where each clue is answered in the text, as place and number of the clue, in order of place."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    found = [
        (at, number)
        for number, terms in enumerate(clues)
        for term in terms
        if (stem := _stem(term)) in lowered
        for at in _literal(lowered, stem)
    ]
    missing = set(range(len(clues))).difference(number for _, number in found)
    if 2 * len(missing) >= len(clues):  # a closer look takes ten times as long
        answered = {term: number for number in missing for term in clues[number]}
        found += _other_forms(text, lowered, answered)
    return sorted(found)


def _other_forms(text: str, lowered: str, answered: dict[str, int]) -> list[tuple[int, int]]:
    """Places of words that are not written as their term: other forms, parts of names, versions, one of a kind."""
    kinds = any(term.startswith(hyponyms.KIND_MARK) for term in answered)
    numbers = {}
    for _, _, surface, term, also, _ in vocabulary(text):
        if kinds:
            also = (*also, *hyponyms.of(surface), *hyponyms.of(term))
        for other in (term, surface, *also):
            if other in answered:
                numbers[surface] = answered[other]
    found = [(lowered.find(surface), number) for surface, number in numbers.items()]
    if any(at < 0 for at, _ in found):  # wide signs, an apostrophe left out
        found = [(word.start, numbers[word.surface]) for word in words(text) if word.surface in numbers]
    return found


def _stem(term: str) -> str:
    """A stem may end in another letter than the word: "happi" is found at "happ"."""
    return term[:-1] if len(term) > 3 and term[-1] == "i" and term.isascii() else term


def _literal(lowered: str, stem: str) -> list[int]:
    """Where words of a lower-case text begin with a stem."""
    found: list[int] = []
    at = lowered.find(stem)
    while at >= 0 and len(found) < HITS_MAX:
        if not stem[0].isascii() or at == 0 or not lowered[at - 1].isalnum() or not lowered[at - 1].isascii():
            found.append(at)
        at = lowered.find(stem, at + 1)
    return found


def _densest(places: list[tuple[int, int]], width: int) -> int:
    """The place from which on most different terms stand within ``width``; 0 without places."""
    best, place = 0, 0
    inside: dict[int, int] = {}
    end = 0
    for start, leaving in places:
        while end < len(places) and places[end][0] - start <= width:
            inside[places[end][1]] = inside.get(places[end][1], 0) + 1
            end += 1
        if len(inside) > best:
            best, place = len(inside), start
        inside[leaving] -= 1
        if not inside[leaving]:
            del inside[leaving]
    return place


def _word_start(text: str, at: int) -> int:
    """The first beginning of a word from ``at`` on, where one is near; else that of a sign."""
    return _first(text, range(at, min(at + LEAD_CHARS // 2, len(text))), -1)


def _word_end(text: str, at: int) -> int:
    """The last end of a word up to ``at``, where one is near; else that of a sign."""
    return _first(text, range(at, max(at - LEAD_CHARS // 2, 0), -1), 0)


def _first(text: str, near: range, outside: int) -> int:
    """The first place between two words, else between two signs; ``outside``: where the character cut off stands."""
    for place in near:
        cut_off = text[place + outside]
        if not (cut_off.isalnum() and cut_off.isascii()) and not _inside_sign(text, place):
            return place
    return next((place for place in near if not _inside_sign(text, place)), near[0])


def _inside_sign(text: str, at: int) -> bool:
    """Whether a cut before ``text[at]`` would part a letter from its marks, or a picture of several characters."""
    before, after = text[at - 1], text[at]
    if before in _FLAG_LETTERS and after in _FLAG_LETTERS:
        letters = 1
        while letters < at and text[at - letters - 1] in _FLAG_LETTERS:
            letters += 1
        return letters % 2 == 1
    return before == _JOINER or after == _JOINER or after in _SKIN_TONES or unicodedata.category(after)[0] == "M"
