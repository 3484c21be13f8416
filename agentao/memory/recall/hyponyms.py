"""Kinds of things and what belongs to them: who asks for an instrument is answered by a violin.

A record that names one of a kind has the term of the kind in the index. It goes one way only: "violin" finds no guitar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from agentao.memory.recall import hyponyms_everyday, hyponyms_work
from agentao.memory.recall.wordtable import WordTable, unpaired_chinese

KIND_MARK = "@"
"""What stands before the names of a kind in its term."""

_PLACES = ("continent", "country", "state", "city", "venue", "shop")
"""First names of the kinds that are places."""


def phrases() -> set[str]:
    """The Chinese entries that the tokenizer would not find by itself."""
    return unpaired_chinese(entry for names, members in _kinds() for entry in (*names.split(), *members))


def of(term: str) -> list[str]:
    """The terms of the kinds to which the thing with this term belongs."""
    return _members().values(term)


def kinds_of(terms: Iterable[str]) -> list[str]:
    """``of`` for many terms, each kind once."""
    members = _members()
    return list(dict.fromkeys([kind for term in members.among(terms) for kind in members.values(term)]))


def named(term: str) -> list[str]:
    """The terms of the kinds that have this name."""
    return _names().values(term)


@cache
def places() -> frozenset[str]:
    """The terms of the kinds that are places."""
    return frozenset(KIND_MARK + names for names, _ in _kinds() if names.split()[0] in _PLACES)


def _kinds() -> Iterator[tuple[str, list[str]]]:
    text = hyponyms_everyday.KINDS + hyponyms_work.KINDS
    for line in text.replace("\n ", " ").strip().splitlines():
        if line:
            names, _, members = line.partition(":")
            yield names, members.split()


@cache
def _members() -> WordTable[str]:
    return WordTable((entry, KIND_MARK + names) for names, members in _kinds() for entry in members)


@cache
def _names() -> WordTable[str]:
    return WordTable((name, KIND_MARK + names) for names, _ in _kinds() for name in names.split())
