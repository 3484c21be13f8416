"""Text to words, Latin and CJK alike: one tokenizer for keywords, index and question.

A *word* has a surface (folded, readable: what ``keywords`` holds), a term (stemmed: what index and question compare)
and weaker terms (``also``: the parts of a name, the shorter forms of a version). Scripts without spaces give
overlapping pairs of characters, so that a word inside a sentence is found without any dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from agentao.memory import stopwords

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

_PIECE = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    r"|(?P<sharp>(?<![^\W_])[A-Za-z](?:\+\+|#)(?![^\W_]))"
    r"|(?P<number>(?<![^\W_])[vV]?\d+(?:[.]\d+)+(?![^\W_]))"
    rf"|(?P<latin>(?:[^\W_{_CJK}]|[{_MARKS}])+(?:['’](?:[^\W_{_CJK}]|[{_MARKS}])+)*)"
)
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+")
_LOWER_CAMEL = re.compile(r"[a-z]{2,}(?:[A-Z][a-z]+|\d+)*[A-Z][a-z]+\d*\Z")
_LETTERS_DIGITS = re.compile(r"([^\W\d_]{3,})\d+\Z")
_CJK_STOP = re.compile("|".join(sorted(stopwords.CJK_PHRASES, key=len, reverse=True)))


class Word(NamedTuple):
    """One word of a text and where it stands there (``text[start:end]``)."""

    start: int
    end: int
    surface: str
    term: str
    also: tuple[str, ...] = ()
    cjk: bool = False


def fold(text: str) -> str:
    """The form in which texts are compared: full width as half width, capitals as small, in every script."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def words(text: str) -> Iterator[Word]:
    """The content-bearing words of ``text`` in order, with repetitions."""
    for match in _PIECE.finditer(text):
        kind, start = match.lastgroup, match.start()
        piece = match.group()
        if kind == "cjk":
            yield from _cjk_words(piece, start)
        elif kind == "sharp":
            surface = fold(piece)
            yield Word(start, match.end(), surface, surface)
        elif kind == "number":
            yield _version(piece, start)
        elif match.start() and text[start - 1] == "." and fold(piece) in stopwords.FILE_ENDINGS:
            continue
        else:
            yield from _latin_words(piece, start)


def terms(text: str) -> list[str]:
    """The distinct terms of ``text`` in order of appearance, without the weaker ones."""
    return list(dict.fromkeys(word.term for word in words(text)))


def keywords(texts: Iterable[str]) -> list[str]:
    """The distinct readable words of all texts, for ``MemoryRecord.keywords``."""
    return list(dict.fromkeys(word.surface for text in texts for word in words(text)))


def _version(piece: str, start: int) -> Word:
    surface = fold(piece)
    number = surface.removeprefix("v")
    parts = number.split(".")
    shorter = tuple(".".join(parts[:size]) for size in range(len(parts) - 1, 0, -1))
    return Word(start, start + len(piece), surface, number, shorter)


def _latin_words(piece: str, start: int) -> Iterator[Word]:
    surface = fold(piece).replace("’", "'")
    if surface in stopwords.ENGLISH:
        return
    end = start + len(piece)
    if "'" in surface:
        surface = surface.removesuffix("'s").replace("'", "")
        if not surface or surface in stopwords.ENGLISH:
            return
        yield Word(start, end, surface, stem(surface))
        return
    if _LOWER_CAMEL.match(piece):
        for hump in _HUMP.finditer(piece):
            part = fold(hump.group())
            if part not in stopwords.ENGLISH:
                yield Word(start + hump.start(), start + hump.end(), part, stem(part), (surface,))
        return
    also: tuple[str, ...] = ()
    if not piece.islower() and piece.isascii():
        parts = [stem(fold(hump)) for hump in _HUMP.findall(piece)]
        if len(parts) > 1:
            also = tuple(dict.fromkeys(part for part in parts if len(part) > 1 and part not in stopwords.ENGLISH))
    elif match := _LETTERS_DIGITS.match(surface):
        also = (stem(match.group(1)),)
    yield Word(start, end, surface, stem(surface), also)


def _cjk_words(run: str, start: int) -> Iterator[Word]:
    """Overlapping pairs of the stretches between connecting words; a stretch of one character is a word itself."""
    blanked = _CJK_STOP.sub(lambda m: "\0" * len(m.group()), run)
    begin = 0
    for end in range(len(blanked) + 1):
        if end < len(blanked) and blanked[end] != "\0" and blanked[end] not in stopwords.CJK_CHARS:
            continue
        if end - begin == 1:
            surface = fold(run[begin:end])
            yield Word(start + begin, start + end, surface, surface, (), True)
        for at in range(begin, end - 1):
            surface = fold(run[at : at + 2])
            yield Word(start + at, start + at + 2, surface, surface, (), True)
        begin = end + 1


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The form that the inflections of an English word share; other words come back without their accents."""
    if not word.isascii():
        bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
        if not bare.isascii():
            return word
        word = bare
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + ("y" if len(word) > 4 else "ie")
    elif word.endswith(("sses", "xes", "ches", "shes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3 and any(vowel in base for vowel in "aeiouy"):
            word = base
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("y") and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    return word
