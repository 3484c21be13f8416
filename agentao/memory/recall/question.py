"""A question taken apart into clues: what recall looks for, and how sure it may be of what it finds."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeVar

from agentao.memory.recall import commonwords, hyponyms, synonyms
from agentao.memory.text import compiled
from agentao.memory.tokenizer import (
    NUMBER_TERM,
    PLACE_TERM,
    TAG_MARK,
    TIME_TERM,
    TITLE_TERM,
    Piece,
    Word,
    read,
    vocabulary,
)

T = TypeVar("T")

READ_CHARS = 2_000
"""Of a longer question only the first and last halves of so many characters are read: a pasted log asks nothing."""

CLUES_MAX = 64
TAG_KEYS_MAX = 1_000
"""Of the clues of a longer text only the first and last halves are kept, of the possible tags the first."""

INFLECTED_STRENGTH = 0.8
"""How much another form of the word counts (painted for painting) where the question has no plain form."""

SYNONYM_STRENGTH = 0.6
KIND_STRENGTH = 0.6
PART_STRENGTH = 0.6
"""How much a synonym, one of a kind that the question names, and a part of a name count beside the word itself."""

TO_CHINESE_STRENGTH = 0.79
"""How much the Chinese for an English word counts: it has fewer senses than English words have among each other."""

COMMON_COUNT = 0.5
COMMON_CJK_COUNT = 0.1
"""A word that stands in talk about anything counts as so much of a word, where the question has others."""

ASIDE_COUNT = 0.1
"""As how much of a word one counts that is said to the assistant, or about anything."""

CHARACTER_SHARE = 0.4
CHARACTER_COUNT = 0.3
"""How much one character of a CJK word weighs beside the pair, for many Chinese words share one (测试, 单测), and as
how much of a word it counts: any two texts share some."""

CACHED_WORDS = 10_000

TAG_PIECES_MAX = 6
TAG_PIECES_USUAL = 3
TAG_CJK_CHARS_MAX = 8
"""Tags of more Latin words, or of more CJK characters, are not looked for inside a question; those of more than
the usual number after all others."""


_SENTENCE_ENDS = ".!?。！？\n"
_KINDS = (
    (
        re.compile(
            r"\bwhen\b|\bwhat (?:time|day|date|month|year)\b|什么时候|啥时候|何时|几点|几号|哪天|哪年|多久",
            re.IGNORECASE,
        ),
        TIME_TERM,
        1.0,
    ),
    (
        re.compile(
            r"\bhow (?:many|much|long|often|old|far|big|large|high|tall)\b"
            r"|多少|几[个次张人天年轮条]|多大|多高|多长|多久",
            re.IGNORECASE,
        ),
        NUMBER_TERM,
        1.3,
    ),
    (
        re.compile(
            r"\bwhere\b|\b(?:which|what) (?:city|town|country|state|place|location)\b|哪里|哪儿|什么地方|在哪|何处",
            re.IGNORECASE,
        ),
        PLACE_TERM,
        1.0,
    ),
    (
        re.compile(
            r"\b(?:book|novel|poem|movie|film|screenplay|song|album|band|series|show|podcast|play|game|title)s?\b"
            r"|[哪什][本部首么](?:书|小说|电影|电视剧|歌|专辑|游戏)",
            re.IGNORECASE,
        ),
        TITLE_TERM,
        1.0,
    ),
)
"""What a question asks for by its form, the term of records that could tell, and how much it counts."""


_ADDRESS = (
    r"(?i)"
    r"\A\W*(?:(?:hello|hi|hey|ok|okay|well|so|and|now|then|please|just|can|could|would|will|you|help|me|let's)\W+)*"
    r"(?:write|explain|translate|summari[sz]e|recommend|suggest|describe|draw|make|list|teach|find|compare|draft)\b"
    r"|\bgood (?:morning|afternoon|evening|night)\b|\b(?:looks?|sounds?|seems?) (?:good|great|fine|nice|right)\b"
    r"|(?<!\ba )(?<!\ban )\b(?:good|great|nice|excellent|awesome|amazing|fantastic|brilliant|wonderful) (?:job|work)\b"
    r"(?= *(?:[.!,;]|\Z|(?:team|everyone|everybody|all|guys|so far|there|on|with)\b))"
    r"|\bgive me (?:a few|an?|some|more) [a-z]+|\b(?:have|had|got) (?:an?|another|one|some|more) questions?\b"
    r"|(?:请|帮我|帮忙|麻烦你?|给我|教我|能不能){1,4}(?:写|解释|翻译|推荐|介绍|总结|概括|讲|画|列|查|比较)"
    r"|\A(?:写|解释|翻译|推荐|介绍|总结|概括|讲|画|列|比较)[一几个下]+"
    r"|[把将].{0,60}翻译成|有[一几个些]*问题|(?:工作|活儿?)?[做干]得[很真太挺非常]*(?:好|不错|漂亮|棒)|给我?[一些点个]*建议|(?:早上|上午|中午|下午|晚上)好"
)
"""What is said to the assistant: a greeting, an assent, praise, what it is to do."""


class Clue(NamedTuple):
    """One word of the question: the terms that answer it, with the strength of each, strongest first.

    A ``hint`` is no subject: it counts in the score, and nothing is recalled because of it alone. A ``name`` has a
    capital inside a sentence: it names someone or something. ``counts`` is 1 for a word by which a record may be
    recalled, less for a common one. ``within``: the words (as their ``text``) of the tables of synonyms and kinds of
    which a CJK character is a part, or into which a pair of characters reaches.
    """

    text: str
    share: float
    terms: tuple[tuple[str, float], ...]
    hint: bool = False
    name: bool = False
    counts: float = 1.0
    within: tuple[str, ...] = ()


class Question(NamedTuple):
    """What is looked for. ``tags``: key of a tag to the clues that it covers; ``title``: the token set for Jaccard."""

    clues: tuple[Clue, ...]
    title: frozenset[str]
    tags: dict[str, tuple[int, ...]]


def parse(text: str) -> Question:
    """The clues of a question; of a text of stop words only nothing but the tag that it may be."""
    if len(text) > READ_CHARS:
        text = text[: READ_CHARS // 2] + "\n" + text[-READ_CHARS // 2 :]
    parts = read(text)
    found = [word for _, part in parts for word in part]
    clues: dict[str, Clue] = {}
    for word in found:
        if word.term not in clues:
            clues[word.term] = _clue(word, text)
    cjk = [word for word in found if word.cjk]
    for word in cjk:
        if len(word.surface) > 1:
            for character in word.surface:
                clues.setdefault(character, _character(character))
    _note_within(cjk, clues)
    _share_out(clues)
    _discount(text, found, clues)
    for form, term, share in _KINDS:
        if clues and (match := form.search(text)):
            if term in (TIME_TERM, NUMBER_TERM):
                _make_hints(match.span(), found, clues)
            clues[term] = Clue(match.group().casefold(), share, ((term, 1.0),), hint=True)
    if not clues and 0 < len(parts) <= TAG_PIECES_MAX:
        key = " ".join(piece.term for piece, _ in parts)
        return Question((Clue(key, 1.0, ((TAG_MARK + key, 1.0),)),), frozenset(), {key: (0,)})
    kept = dict(_ends(list(clues.items()), CLUES_MAX))
    title = frozenset(word.term for word in vocabulary(text, stop_words=True))
    return Question(tuple(kept.values()), title, _tags(parts, {term: at for at, term in enumerate(kept)}))


def _ends(items: list[T], limit: int) -> list[T]:
    """The first and the last of the items, at most ``limit`` together."""
    return items if len(items) <= limit else items[: limit // 2] + items[-(limit // 2) :]


def _clue(word: Word, text: str) -> Clue:
    terms = _with_synonyms(word.term, word.also, word.surface)
    share = CHARACTER_SHARE if word.cjk and len(word.surface) == len(terms) == 1 else 1.0
    name = text[word.start].isupper() and text[: word.start].rstrip(" \t\"'“‘(")[-1:] not in _SENTENCE_ENDS
    return Clue(word.surface, share, terms, name=name)


@lru_cache(maxsize=CACHED_WORDS)
def _character(character: str) -> Clue:
    return Clue(character, CHARACTER_SHARE, _with_synonyms(character, ()), counts=CHARACTER_COUNT)


def _note_within(cjk: list[Word], clues: dict[str, Clue]) -> None:
    """Note for the pieces of CJK text in which words of the tables they lie, unless they stand elsewhere too."""
    known = [word for word in cjk if len(word.surface) > 1 and len(clues[word.term].terms) > 1]
    if not known:
        return
    over: dict[int, tuple[str, ...]] = {}
    for word in known:
        for place in range(word.start, word.end):
            over[place] = (*over.get(place, ()), word.surface)
    within: dict[str, tuple[str, ...]] = {}
    loose = {word.term for word in known}
    for word in cjk:
        covers = [over.get(place, ()) for place in range(word.start, word.end)]
        pieces_of = [(word.term, tuple(chain.from_iterable(covers))), *zip(word.surface, covers, strict=False)]
        for piece, texts in pieces_of:
            if texts:
                within[piece] = (*within.get(piece, ()), *texts)
            else:
                loose.add(piece)
    for piece in within.keys() - loose:
        clues[piece] = clues[piece]._replace(within=tuple(dict.fromkeys(within[piece])))


def _share_out(clues: dict[str, Clue]) -> None:
    """Let a term answer one clue indirectly, the first: a word of a record is not counted for each of its synonyms."""
    taken: set[str] = set()
    for key, clue in clues.items():
        own = clue.terms
        if len(own) > 1 and not taken.isdisjoint(term for term, _ in own):
            own = tuple(pair for pair in own if pair[1] >= INFLECTED_STRENGTH or pair[0] not in taken)
            clues[key] = clue._replace(terms=own)
        taken.update(term for term, _ in own)


def _discount(text: str, found: list[Word], clues: dict[str, Clue]) -> None:
    """Let asides count little, common words less where the question has others, and the characters of both nothing."""
    spans = [match.span() for match in compiled(_ADDRESS).finditer(text)]
    asides: set[str] = set()
    common: set[str] = set()
    for word in found:
        if not clues[word.term].name:
            if word.surface in (commonwords.CHINESE if word.cjk else commonwords.ENGLISH):
                common.add(word.term)
            if word.surface in commonwords.ASIDES or any(a <= word.start and word.end <= b for a, b in spans):
                asides.add(word.term)
    counts: dict[str, float] = {}
    if common and _apart(found, common):
        counts = {term: COMMON_COUNT if term.isascii() else COMMON_CJK_COUNT for term in common}
    counts |= dict.fromkeys(asides, ASIDE_COUNT)
    if not text.isascii():
        characters = {character for word in found if word.cjk and word.term in counts for character in word.surface}
        characters.difference_update(*(word.surface for word in _apart(found, counts.keys()) if word.cjk))
        counts |= dict.fromkeys(characters, 0.0)
    for term, count in counts.items():
        if term in clues:
            clues[term] = clues[term]._replace(counts=count)
    for word in found:
        if word.surface in commonwords.LIGHT:
            clues[word.term] = clues[word.term]._replace(hint=True)


def _apart(found: list[Word], some: Set[str]) -> list[Word]:
    """The words besides these; a pair that begins or ends inside one of them is no word."""
    inside = {place for word in found if word.cjk and word.term in some for place in range(word.start, word.end)}
    others = [word for word in found if word.term not in some]
    return [word for word in others if not (inside and word.cjk) or inside.isdisjoint(range(word.start, word.end))]


def _make_hints(span: tuple[int, int], found: list[Word], clues: dict[str, Clue]) -> None:
    """Let the words of "what day" or "几点" be no subject, unless they stand elsewhere too."""
    begin, end = span
    inside = {word.term for word in found if begin <= word.start and word.end <= end}
    for term in inside.difference(word.term for word in found if word.start < begin or word.end > end):
        clues[term] = clues[term]._replace(hint=True)


@lru_cache(maxsize=CACHED_WORDS)
def _with_synonyms(term: str, also: tuple[str, ...], surface: str = "") -> tuple[tuple[str, float], ...]:
    terms = {term: 1.0}
    if surface.isalpha() and surface != term:
        terms = {surface: 1.0, term: INFLECTED_STRENGTH}
    for part in also:
        terms.setdefault(part, PART_STRENGTH)
    for kind in hyponyms.named(term):
        terms.setdefault(kind, KIND_STRENGTH)
    for other in synonyms.of(term):
        terms.setdefault(other, TO_CHINESE_STRENGTH if term.isascii() and not other.isascii() else SYNONYM_STRENGTH)
    return tuple(sorted(terms.items(), key=lambda pair: -pair[1]))


def _tags(parts: list[tuple[Piece, list[Word]]], places: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """Every stretch of the question that could be a whole tag, with the clues inside it."""
    covered: dict[str, tuple[int, ...]] = {}

    def clues_of(word: Word) -> tuple[int, ...]:
        clues: tuple[int, ...] = (places[word.term],) if word.term in places else ()
        if clues and word.cjk:
            clues += tuple(places[character] for character in word.surface if character in places)
        return clues

    def add(key: str, clues: tuple[int, ...]) -> None:
        if clues:
            held = covered.get(key)
            if held is None:
                if len(covered) < TAG_KEYS_MAX:
                    covered[key] = clues
            elif held != clues:
                covered[key] = tuple({*held, *clues})

    inside = [tuple(clue for word in part for clue in clues_of(word)) for _, part in parts]
    longer: list[tuple[str, tuple[int, ...]]] = []
    for at, (piece, part) in enumerate(parts):
        key, clues = piece.term, inside[at]
        add(key, clues)
        for after in range(at + 1, min(at + TAG_PIECES_MAX, len(parts))):
            key = f"{key} {parts[after][0].term}"
            clues += inside[after]
            if after < at + TAG_PIECES_USUAL:
                add(key, clues)
            else:
                longer.append((key, clues))
        if piece.cjk and piece.end - piece.start == len(piece.term):
            ending: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
            for word in part:
                ending.setdefault(word.end, []).append((word.start, clues_of(word)))
            # The clues of the stretch from each character on, while it grows.
            growing: list[tuple[int, ...]] = [()] * len(piece.term)
            for size in range(1, TAG_CJK_CHARS_MAX + 1):
                for begin in range(len(piece.term) - size + 1):
                    start = piece.start + begin
                    for other, clues in ending.get(start + size, ()):
                        if other >= start:
                            growing[begin] += clues
                    if growing[begin]:
                        add(piece.term[begin : begin + size], growing[begin])
    for key, clues in longer:
        add(key, clues)
    return {key: clues if len(clues) < 2 else tuple(sorted(set(clues))) for key, clues in covered.items()}
