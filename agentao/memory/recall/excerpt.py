"""The part of a text around what was looked for."""

from __future__ import annotations

from collections.abc import Collection

from agentao.memory.models import EXCERPT_MAX_CHARS

ELLIPSIS = "…"
LEAD_CHARS = 40
"""About so much of the text before the first match is shown with it."""

HITS_MAX = 50
"""Of one term at most so many places are looked at."""


def excerpt(text: str, terms: Collection[str], limit: int = EXCERPT_MAX_CHARS) -> str:
    """At most ``limit`` characters of ``text``: the stretch with most of ``terms``, cut at words, ``…`` where cut.

    A text that fits is given whole; one without any of the terms from its beginning.
    """
    if len(text) <= limit:
        return text
    room = limit - 2 * len(ELLIPSIS)
    begin = max(0, _densest(_places(text, terms), room - LEAD_CHARS) - LEAD_CHARS)
    begin = min(begin, len(text) - room)
    if begin > 0:
        begin = _word_start(text, begin)
    end = min(len(text), begin + room)
    if end < len(text):
        end = _word_end(text, end)
    return (ELLIPSIS if begin else "") + text[begin:end].strip() + (ELLIPSIS if end < len(text) else "")


def _places(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """Where each term begins in the text, as place and number of the term, in order of place."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    found = []
    for number, term in enumerate(terms):
        # A stem may end in another letter than the word: "happi" is found at "happ".
        stem = term[:-1] if len(term) > 3 and term[-1] == "i" and term.isascii() else term
        at = lowered.find(stem)
        hits = 0
        while at >= 0 and hits < HITS_MAX:
            if not stem[0].isascii() or at == 0 or not lowered[at - 1].isalnum() or not lowered[at - 1].isascii():
                found.append((at, number))
                hits += 1
            at = lowered.find(stem, at + 1)
    return sorted(found)


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
    """The first beginning of a word from ``at`` on, where one is near."""
    for place in range(at, min(at + LEAD_CHARS // 2, len(text))):
        if not text[place - 1].isalnum() or not text[place - 1].isascii():
            return place
    return at


def _word_end(text: str, at: int) -> int:
    """The last end of a word up to ``at``, where one is near."""
    for place in range(at, max(at - LEAD_CHARS // 2, 0), -1):
        if not text[place].isalnum() or not text[place].isascii():
            return place
    return at
