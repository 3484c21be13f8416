"""Text to words, Latin and CJK alike: one tokenizer for keywords, index and question.

A *word* has a surface (folded, readable: what ``keywords`` holds), a term (stemmed: what index and question compare)
and weaker terms (``also``: the parts of a name, the shorter forms of a version). Scripts without spaces give
overlapping pairs of characters, so that a word inside a sentence is found without any dictionary.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain
from operator import add
from typing import NamedTuple

from agentao.memory.recall import hyponyms, lexicon, stopwords, synonyms
from agentao.memory.recall.stemmer import stem
from agentao.memory.text import compiled, fold

_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff"
)
_CJK = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3"
    "\u3005-\u3007\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Scripts that put no space between words (and Hangul, whose particles cling to the word)."""

_SETTLED = "[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]+"
"""Those of them that folding leaves as they are, alone and side by side."""

_UNSETTLED = f"(?=[{_CJK}])[^{_SETTLED[1:-2]}]"

_CJK_CONTENT = f"[^\0{''.join(sorted(stopwords.CJK_CHARS))}]+"


def _stretch(cjk: str, latin: str, not_latin: str = "") -> str:
    """Matches a stretch of one kind of script; its name is that of the group.

    No stretch begins inside a word, for the one before reaches to its end. ``not_latin``: letters of other scripts,
    which end a language or a version as a blank does.
    """
    number = rf"\d+(?:[.]\d+)+(?![^\W_{not_latin}])"
    return (
        rf"(?P<cjk>{cjk})"
        rf"|(?P<sharp>[A-Za-z](?:\+\+|#)(?![^\W\d_{not_latin}]))"
        rf"|(?P<number>[vV]?{number})"
        rf"|(?P<latin>[A-Za-z]++(?={number})|{latin})"
    )


_STRETCH = _stretch(f"[{_CJK}]+", rf"(?!['’])(?:['’]?(?:[^\W_{_CJK}]|[{_MARKS}]))+", _CJK)
"""Each wide class stands here once and is compiled at first use: it takes milliseconds."""
_ASCII_STRETCH = _stretch(r"[^\0-\x7f]", r"[^\W_]+(?:'[^\W_]+)*")
"""The same for a text in ASCII."""

_ASCII_WORD = re.compile("[A-Za-z0-9]+")
_PARTED = re.compile(r"[A-Za-z0-9_/:=,;()\[\]{}<>@&*|\"`\\-]+")
"""Words with only such signs between them stand each for itself."""

_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+")
_LOWER_CAMEL = re.compile(r"[a-z]{2,}(?:\d*[A-Z][a-z]+)+\d*\Z")
_RELEASE = re.compile(r"\d+")
_LETTERS_DIGITS = re.compile(r"([^\W\d_]{3,}?)(?:\d+|js)\Z")
_DOER = re.compile(r"([a-z]{3,}[a-z])(?:er|or)\Z")

CACHED_CHARS = 30
"""Longer stretches between blanks than this are hardly met twice."""
CACHED_CHUNKS = 20_000

TIME_TERM = "@time"
NUMBER_TERM = "@number"
PLACE_TERM = "@place"
TITLE_TERM = "@title"
"""What stands in the index for a text that says when, how many or where, or names a work in quotation marks."""

TITLE_MARK = "="
TAG_MARK = "#"
"""What stands before a term in the postings of titles and of whole tags."""

_MOMENT = re.compile(
    r"\d(?<!\d\d)(?:\d?(?:st|nd|rd|th)|(?:(?<=1)9|(?<=2)0)\d\d|\d?:\d\d)(?!\d)", re.IGNORECASE
)  # it begins with a digit, so that the search is fast
_DIGIT = re.compile(r"\d")
_PLACE = re.compile(
    r" (?:(?<=\bin )|(?<=\bat )|(?<=\bto )|(?<=\bfrom )|(?<=\bnear )|(?<=\baround )|(?<=\bvisited ))(?:the )?[A-Z][a-z]"
)
_CJK_PLACE = re.compile("[在到去][^,.!?，。！？]{1,8}[里市区县省路街楼州镇村]")
_TITLE = re.compile('["“][^"“”]{2,60}["”]|《[^》]+》|「[^」]+」')
_QUOTES = ('"', "“", "《", "「")


class Word(NamedTuple):
    """One word of a text and where it stands there (``text[start:end]``)."""

    start: int
    end: int
    surface: str
    term: str
    also: tuple[str, ...] = ()
    cjk: bool = False


class Piece(NamedTuple):
    """A stretch of one kind of script, before it is taken apart: a Latin word, a version, a run of CJK."""

    start: int
    end: int
    term: str
    cjk: bool


def words(text: str, *, stop_words: bool = False) -> Iterator[Word]:
    """The content-bearing words of ``text`` in order, with repetitions; with ``stop_words`` the others too."""
    for match, found in _stretches(text, stop_words):
        yield from _placed(found, match.start())


def read(text: str) -> list[tuple[Piece, list[Word]]]:
    """Each of the ``pieces`` of ``text`` with those of its ``words`` that stand in it."""
    return [(_piece(match), _placed(found, match.start())) for match, found in _stretches(text, False)]


def _placed(found: Iterable[Word], start: int) -> list[Word]:
    return [Word(start + word.start, start + word.end, *word[2:]) for word in found]


def vocabulary(text: str, *, stop_words: bool = False) -> tuple[Word, ...]:
    """As ``words``, much faster; the places are not those in the text."""
    return _vocabulary(text, stop_words)


@lru_cache(maxsize=32)  # what is saved is read twice: for its keywords, and for the index
def _vocabulary(text: str, stop_words: bool) -> tuple[Word, ...]:
    return tuple(chain.from_iterable(map(_chunks[stop_words].__getitem__, text.split())))


def _found(text: str) -> Iterator[re.Match[str]]:
    return compiled(_ASCII_STRETCH if text.isascii() else _STRETCH).finditer(text)


def _stretches(text: str, stop_words: bool) -> Iterator[tuple[re.Match[str], tuple[Word, ...]]]:
    """Each stretch of one kind of script, and its words with places counted from its beginning."""
    for match in _found(text):
        cjk = match.lastgroup == "cjk"
        yield match, tuple(_cjk_words(match.group())) if cjk else _other_words(text, match, stop_words)


def _other_words(text: str, match: re.Match[str], stop_words: bool) -> tuple[Word, ...]:
    kind, start = match.lastgroup, match.start()
    piece = match.group()
    if kind == "latin":
        if start and text[start - 1] == "." and fold(piece) in stopwords.FILE_ENDINGS and not stop_words:
            return ()
        named = _latin_words(piece, stop_words)
        if named and (release := _RELEASE.match(text, match.end())):
            # The name before a version: Qt5.15 is found by qt, qt5 and 5.15.
            named = (*named[:-1], named[-1]._replace(also=(*named[-1].also, fold(piece + release.group()))))
        return named
    if kind == "number":
        return (_version(piece),)
    surface = fold(piece)
    return (Word(0, len(piece), surface, surface),)


class _Chunks(dict[str, tuple[Word, ...]]):
    """What stands between two blanks, and its words; a dictionary answers in a third of the time of a ``lru_cache``."""

    def __init__(self, stop_words: bool) -> None:
        super().__init__()
        self._stop_words = stop_words

    def __missing__(self, chunk: str) -> tuple[Word, ...]:
        bare_chunk = chunk.rstrip(".,;:!?")
        if not bare_chunk.isascii():
            found = tuple(_mixed_words(bare_chunk, self._stop_words))
        elif bare_chunk.isalnum():
            found = _latin_words(bare_chunk, self._stop_words)
        elif _PARTED.fullmatch(bare_chunk):
            stop = self._stop_words
            found = tuple([word for part in _ASCII_WORD.findall(bare_chunk) for word in _latin_words(part, stop)])
        else:
            found = tuple(word for _, part in _stretches(bare_chunk, self._stop_words) for word in part)
        if len(chunk) <= CACHED_CHARS and chunk.isascii():
            if len(self) >= CACHED_CHUNKS:
                self.clear()
            self[chunk] = found
        return found


_chunks = {stop_words: _Chunks(stop_words) for stop_words in (False, True)}


def pieces(text: str) -> list[Piece]:
    """The stretches that a tag is made of and is looked for in."""
    return list(map(_piece, _found(text)))


def _piece(match: re.Match[str]) -> Piece:
    kind = str(match.lastgroup)
    return Piece(match.start(), match.end(), _piece_term(kind, match.group()), kind == "cjk")


@lru_cache(maxsize=CACHED_CHUNKS)
def _piece_term(kind: str, piece: str) -> str:
    folded = fold(piece)
    if kind == "latin":
        return stem(bare(folded))
    return folded.removeprefix("v") if kind == "number" else folded


def kinds(text: str, surfaces: Collection[str]) -> list[str]:
    """What a text of these words could tell besides them: when, how many, where; what kinds of things it names."""
    found = hyponyms.kinds_of(surfaces)
    if (
        not hyponyms.places().isdisjoint(found)
        or _PLACE.search(text)
        or (not text.isascii() and _CJK_PLACE.search(text))
    ):
        found.append(PLACE_TERM)
    if any(map(text.__contains__, _QUOTES)) and _TITLE.search(text):
        found.append(TITLE_TERM)
    has_digit = bool(_DIGIT.search(text))
    if not lexicon.TIMES.isdisjoint(surfaces) or (has_digit and _MOMENT.search(text)):
        found.append(TIME_TERM)
    if has_digit or not lexicon.NUMBERS.isdisjoint(surfaces):
        found.append(NUMBER_TERM)
    return found


@lru_cache(maxsize=2_000)
def tag_key(tag: str) -> str:
    """The form in which whole tags are compared; empty for a tag without letters and digits."""
    return " ".join(piece.term for piece in pieces(tag))


def terms(text: str) -> list[str]:
    """The distinct terms of ``text`` in order of appearance, without the weaker ones."""
    return list(dict.fromkeys(word.term for word in vocabulary(text)))


def keywords(texts: Iterable[str]) -> list[str]:
    """The distinct readable words of all texts, for ``MemoryRecord.keywords``."""
    return list(dict.fromkeys([word.surface for text in texts for word in vocabulary(text)]))


def _version(piece: str) -> Word:
    surface = fold(piece)
    number = surface.removeprefix("v")
    parts = number.split(".")
    shorter = tuple(".".join(parts[:size]) for size in range(len(parts) - 1, 0, -1))
    return Word(0, len(piece), surface, number, shorter)


def bare(word: str) -> str:
    """A folded word without possessive and apostrophes; "don't" and its like stay."""
    if "'" not in word and "’" not in word:
        return word
    word = word.replace("’", "'")
    return word if word in stopwords.ENGLISH else word.removesuffix("'s").replace("'", "")


@lru_cache(maxsize=20_000)
def _latin_words(piece: str, stop_words: bool) -> tuple[Word, ...]:
    surface = bare(fold(piece))
    end = len(piece)
    if surface in stopwords.ENGLISH or not surface:
        return (Word(0, end, surface, surface),) if stop_words else ()
    if surface.isdecimal():
        return (Word(0, end, surface, surface),)
    if _LOWER_CAMEL.match(piece):
        parted = [(hump.span(), fold(hump.group())) for hump in _HUMP.finditer(piece)]
        return tuple(
            Word(*span, part, stem(part), (surface,))
            for span, part in parted
            if stop_words or part not in stopwords.ENGLISH
        )
    also: tuple[str, ...] = ()
    if not piece.islower() and piece.isascii() and piece.isalnum():
        humps = _HUMP.findall(piece)
        if len(humps) > 1:
            parts = dict.fromkeys(fold(hump) for hump in humps if len(hump) > 1)
            also = tuple(stem(part) for part in parts if part not in stopwords.ENGLISH)
    elif match := _LETTERS_DIGITS.match(surface):
        also = (stem(match.group(1)),)
    elif match := _DOER.match(surface):
        also = (_deed(match.group(1)),)
    return (Word(0, end, surface, stem(surface), also),)


def _deed(base: str) -> str:
    """The term of what a doer does: paint(er), danc(er), run(n)er."""
    return stem(base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base + "e")


@cache
def _cjk_stop() -> re.Pattern[str]:
    return re.compile("|".join(sorted(stopwords.CJK_PHRASES, key=len, reverse=True)))


@cache
def _cjk_phrase() -> re.Pattern[str]:
    entries = sorted(synonyms.phrases() | hyponyms.phrases(), key=lambda entry: (-len(entry), entry))
    entries = [entry for entry in entries if compiled(f"[{_CJK}]+").fullmatch(entry)]
    firsts = "".join(sorted({entry[0] for entry in entries}))
    # Most characters begin no entry, which the first look tells at once.
    return re.compile(f"(?=[{firsts}])(?=({'|'.join(entries)}))")


def _cjk_words(run: str) -> Iterator[Word]:
    """Overlapping pairs of the stretches between connecting words; a stretch of one character is a word itself.

    A longer entry of the synonyms' and hyponyms' tables is a word as a whole; its pairs are its weaker terms.
    """
    form = str if compiled(_SETTLED).fullmatch(run) else fold
    for start, end, whole in _cjk_spans(run):
        surface = form(run[start:end])
        yield Word(start, end, surface, surface, _pairs(surface) if whole else (), True)


def _cjk_spans(run: str) -> Iterator[tuple[int, int, bool]]:
    """Where the words of a run begin and end, and whether each is an entry of a table."""
    parted, known = _cjk_parted(run)
    for part in compiled(_CJK_CONTENT).finditer(parted):
        yield from _spans_of(*part.span(), known)


def _spans_of(begin: int, end: int, known: Mapping[int, int]) -> Iterator[tuple[int, int, bool]]:
    if end - begin == 1:
        yield begin, end, False
    inside = begin
    for at in range(begin, end - 1):
        if at in known and known[at] <= end:
            yield at, known[at], True
            inside = max(inside, known[at])
        if at + 2 > inside:
            yield at, at + 2, False


def _cjk_parted(text: str) -> tuple[str, dict[int, int]]:
    """The text with ``\0`` for connecting words and ``_`` for entries of the tables; where these begin and end."""
    blanked = _cjk_stop().sub(lambda m: "\0" * len(m.group()), text)
    known = {match.start(): match.end(1) for match in _cjk_phrase().finditer(blanked)}
    if not known:
        return blanked, known
    # A connecting character inside a known word connects nothing.
    parted = list(blanked)
    for start, stop in known.items():
        parted[start:stop] = "_" * (stop - start)
    return "".join(parted), known


class _CjkWords(dict[str, Word]):
    """The words of CJK met so far, by their surface; their places are not those in a text."""

    def __init__(self, whole: bool) -> None:
        super().__init__()
        self._whole = whole

    def __missing__(self, surface: str) -> Word:
        if len(self) >= CACHED_CHUNKS:
            self.clear()
        also = _pairs(surface) if self._whole else ()
        word = self[surface] = Word(0, len(surface), surface, surface, also, True)
        return word


_cjk_parts, _cjk_wholes = _CjkWords(False), _CjkWords(True)


def _mixed_words(text: str, stop_words: bool) -> list[Word]:
    """The words of a text with CJK in it; the places are not those there."""
    parted, known = _cjk_parted(text)
    settled = not compiled(_UNSETTLED).search(text)
    parts, wholes = _cjk_parts, _cjk_wholes
    words: list[Word] = []
    for match in _found(text):
        if match.lastgroup != "cjk":
            words += _other_words(text, match, stop_words)
            continue
        if not settled:
            words += _cjk_words(match.group())
            continue
        for part in compiled(_CJK_CONTENT).finditer(parted, *match.span()):
            start, end = part.span()
            if "_" in part.group():
                words += [(wholes if whole else parts)[text[at:to]] for at, to, whole in _spans_of(start, end, known)]
            elif end - start == 1:
                words.append(parts[part.group()])
            else:
                words += map(parts.__getitem__, map(add, part.group(), text[start + 1 : end]))
    return words


def _pairs(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text[at : at + 2] for at in range(len(text) - 1)))
