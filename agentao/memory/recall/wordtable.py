"""Look-up of words in a table as its lines are written, in whatever form they are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from agentao.memory.recall.lexicon import IRREGULAR
from agentao.memory.recall.stemmer import stem
from agentao.memory.recall.stopwords import CJK_CHARS

T = TypeVar("T")

BEGINNING_CHARS = 2
"""A stem keeps at least so many letters of its word."""


class WordTable(Generic[T]):
    """Entries (as written) with what each stands for; an entry may come several times.

    Those that begin as a term does are stemmed when the first such term is asked for: all together take 10 ms.
    """

    def __init__(self, entries: Iterable[tuple[str, T]]) -> None:
        self._written: dict[str, list[tuple[str, T]]] = {}
        self._stemmed: dict[str, list[T]] = {}
        self._begun: set[str] = set()
        for entry, value in entries:
            # Under the beginning of its stem: its own, or that of its regular form.
            for beginning in {entry[:BEGINNING_CHARS], IRREGULAR.get(entry, entry)[:BEGINNING_CHARS]}:
                self._written.setdefault(beginning, []).append((entry, value))

    def values(self, term: str) -> list[T]:
        """What the entries with this stem stand for, in the order of the table."""
        self._stem(term[:BEGINNING_CHARS])
        return self._stemmed.get(term, [])

    def among(self, terms: Iterable[str]) -> list[str]:
        """Those of the terms that are the stem of an entry, in their order."""
        terms = list(terms)
        for beginning in {term[:BEGINNING_CHARS] for term in terms} - self._begun:
            self._stem(beginning)
        stemmed = self._stemmed
        return [term for term in terms if term in stemmed]

    def _stem(self, beginning: str) -> None:
        if beginning in self._begun:
            return
        self._begun.add(beginning)
        for entry, value in self._written.get(beginning, ()):
            term = stem(entry)
            if term[:BEGINNING_CHARS] == beginning:
                self._stemmed.setdefault(term, []).append(value)


def unpaired_chinese(entries: Iterable[str]) -> set[str]:
    """The Chinese entries that are no pair of characters to the tokenizer: longer ones, or with a connecting one."""
    return {
        entry
        for entry in entries
        if any("\u3400" <= character <= "\u9fff" for character in entry)
        and (len(entry) > 2 or (len(entry) == 2 and not CJK_CHARS.isdisjoint(entry)))
    }
