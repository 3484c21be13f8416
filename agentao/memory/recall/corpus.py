"""All documents that a question is asked of, on one line: those of every segment of every source, one after another.

A *source* is one store as recall sees it: segments of documents, each with its postings and a few numbers for each
document. Document o of the corpus is document o - begin of the segment that begins at ``begin``, and bit o of a set.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from agentao.memory.recall.postings import Postings, among, count, union


class Segment(Protocol):
    """Documents by ordinal, with parallel columns."""

    @property
    def numbers(self) -> Sequence[int]:
        """The number of each document in its source; those gone since have none of their postings removed."""

    @property
    def stamps(self) -> Sequence[int]:
        """Seconds since 1970 of ``updated_at``."""

    @property
    def title_sizes(self) -> Sequence[int]:
        """How many distinct tokens each title has."""

    @property
    def lengths(self) -> Sequence[int]:
        """How many words each document has."""

    @property
    def asking(self) -> Sequence[int]:
        """1 where the content ends in a question."""


class Source(Protocol):
    """One store as recall sees it."""

    @property
    def count(self) -> int:
        """How many live documents there are."""

    @property
    def dead(self) -> Sequence[frozenset[int]]:
        """For each segment the ordinals of documents that still stand in it and are no longer live."""

    @property
    def segments(self) -> Sequence[Segment]:
        """Every document stands in one of them."""

    def find(self, terms: Sequence[str]) -> Sequence[Mapping[str, Postings]]:
        """For each segment the postings of those terms that occur in it."""


class Stretch(NamedTuple):
    """One segment in the corpus."""

    begin: int
    source: int
    segment: Segment


class Corpus:
    """The sources, and who of their documents has which of the terms of a question.

    ``count``: how many live documents there are; ``held``: how many of them have each term; ``size``: bytes of a set.
    """

    def __init__(self, sources: Sequence[Source], terms: Sequence[str]) -> None:
        self.count = sum(source.count for source in sources)
        self.held = dict.fromkeys(terms, 0)
        self._stretches: list[Stretch] = []
        self._postings: dict[str, list[tuple[int, Postings]]] = {}
        gone: list[int] = []
        begin = 0
        for at, source in enumerate(sources):
            for dead, segment, postings in zip(source.dead, source.segments, source.find(terms), strict=True):
                self._stretches.append(Stretch(begin, at, segment))
                for term, documents in postings.items():
                    self.held[term] += count(documents) - (len(among(documents, dead)) if dead else 0)
                    self._postings.setdefault(term, []).append((begin, documents))
                gone += [begin + ordinal for ordinal in dead]
                # Every segment begins with a whole byte.
                begin += len(segment.numbers) + 7 & ~7
        self._begins = [stretch.begin for stretch in self._stretches]
        self.size = begin >> 3
        self._dead = union([gone], begin)

    def having(self, terms: Iterable[str]) -> int:
        """The live documents that have one of these terms."""
        dense: dict[int, list[Postings]] = {}
        sparse: list[int] = []
        for term in terms:
            for begin, documents in self._postings.get(term, ()):
                if isinstance(documents, bytes):
                    dense.setdefault(begin, []).append(documents)
                else:
                    sparse += [begin + ordinal for ordinal in documents] if begin else documents
        found = union([sparse], self.size << 3) if sparse else 0
        for begin, bitmaps in dense.items():
            found |= union(bitmaps, 0) << begin
        return found & ~self._dead if self._dead else found

    def stretches(self, documents: Sequence[int]) -> Iterator[tuple[Stretch, Sequence[int]]]:
        """Ascending documents by their segments."""
        at = 0
        while at < len(documents):
            place = bisect_right(self._begins, documents[at]) - 1
            after = self._begins[place + 1] if place + 1 < len(self._begins) else self.size << 3
            end = bisect_left(documents, after, at)
            yield self._stretches[place], documents[at:end]
            at = end

    def stretch(self, document: int) -> Stretch:
        """The segment of a document."""
        return self._stretches[bisect_right(self._begins, document) - 1]
