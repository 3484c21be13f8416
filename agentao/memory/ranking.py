"""Which records answer a question, and why: the four factors over posting lists. No SQL, no policy of what is shown.

A *source* is one store as recall sees it: segments of documents, each with its postings (term to the ordinals of the
documents that hold it, ascending) and a few numbers for each document. Weights are computed over all sources
together, so that scores of two stores can be compared.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Protocol

from agentao.memory.models import Factors
from agentao.memory.question import Question

SEEK_POSTINGS = 20_000
"""Clues are sought by, rarest first, until so many postings are read; commoner ones only count in the score."""

SHORTLIST = 400
"""So many of the best by what was sought are scored in full."""

WEAK_SHARE = 1 / 2
WEAK_FROM_DOCS = 20
"""A word that more than this share of the records have is weak, from so many records on. Source: decisions, Recall."""

RARITY_OFFSET = 0.5
"""Weight of a word: ln(1 + records / (records that have it + this))."""

FLOOR = 0.3
"""Least keyword factor times the root of the number of matching words. One word of three passes, one of eight not."""

SHORT_LOSS = 0.2
SHORT_WORDS = 8
"""A partial match in a text of very few words ("Take care!") loses up to this share."""

ASKING_LOSS = 0.15
"""A partial match in a text that itself ends in a question loses this share: it asks, it does not tell."""

RECENCY_DAYS = 30

TITLE_MARK = "="
TAG_MARK = "#"
"""What stands before a term in the postings of titles and of whole tags."""


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
    def gone(self) -> frozenset[int]:
        """Numbers of documents that still stand in a segment and are no longer live."""

    @property
    def segments(self) -> Sequence[Segment]:
        """Every document stands in one of them."""

    def find(self, terms: Sequence[str]) -> Sequence[Mapping[str, Sequence[int]]]:
        """For each segment the postings of those terms that occur in it."""


@dataclass(frozen=True, slots=True)
class Match:
    """One document and how it answers the question."""

    source: int
    number: int
    factors: Factors
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    strong: bool
    relevance: float

    @property
    def accepted(self) -> bool:
        """Whether it shares enough with the question to be recalled."""
        return self.strong and self.relevance >= FLOOR


def recency(age_s: float) -> float:
    """1 / (1 + days / 30); the future counts as now."""
    return 1 / (1 + max(0.0, age_s) / 86_400 / RECENCY_DAYS)


class Ranking:
    """One question against all sources: iterate over it for the matches, best first."""

    def __init__(self, question: Question, sources: Sequence[Source], now_s: float) -> None:
        self._question = question
        self._now_s = now_s
        self._sources = sources
        terms = [term for clue in question.clues for term, _ in clue.terms]
        terms += [TITLE_MARK + term for term in question.title]
        terms += [TAG_MARK + key for key in question.tags]
        wanted = list(dict.fromkeys(terms))
        self._parts = [
            (at, source.gone, segment, found)
            for at, source in enumerate(sources)
            for segment, found in zip(source.segments, source.find(wanted), strict=True)
        ]
        self._count = sum(source.count for source in sources)
        self._frequencies = [self._frequency(clue.terms) for clue in question.clues]
        self._weights = [
            clue.share * log(1 + self._count / (frequency + RARITY_OFFSET))
            for clue, frequency in zip(question.clues, self._frequencies, strict=True)
        ]
        self._total = sum(self._weights)

    def _frequency(self, terms: Sequence[tuple[str, float]]) -> float:
        return sum(
            strength * len(found[term]) for _, _, _, found in self._parts for term, strength in terms if term in found
        )

    def weak(self, clue: int) -> bool:
        """Whether more than half of the records have this word."""
        return self._count >= WEAK_FROM_DOCS and self._frequencies[clue] > self._count * WEAK_SHARE

    def matches(self, limit: int = SHORTLIST) -> list[Match]:
        """The documents that share anything with the question, best first; ties by nothing: the caller knows ids."""
        if not self._total:
            return []
        sought = self._sought()
        best: list[tuple[float, int, int]] = []
        for at, part in enumerate(self._parts):
            best += self._partial(at, part, sought)
        chosen = heapq.nlargest(limit, best)
        return sorted((self._match(at, ordinal) for _, at, ordinal in chosen), key=lambda m: -m.factors.score)

    def _sought(self) -> set[int]:
        """The rarest clues, within the budget; at least one."""
        sought: set[int] = set()
        spent = 0.0
        for clue in sorted(range(len(self._weights)), key=lambda c: self._frequencies[c]):
            frequency = self._frequencies[clue]
            if not frequency:
                continue
            if sought and spent + frequency > SEEK_POSTINGS:
                break
            sought.add(clue)
            spent += frequency
        return sought

    def _partial(
        self, at: int, part: tuple[int, frozenset[int], Segment, Mapping[str, Sequence[int]]], sought: set[int]
    ) -> list[tuple[float, int, int]]:
        """Score, part and ordinal of the documents of one segment that have a sought clue; common clues not counted."""
        _, gone, segment, found = part
        question, total = self._question, self._total
        points: dict[int, float] = {}
        get = points.get
        for clue in sought:
            weight = 2 * self._weights[clue] / total
            lists = [(found[term], strength) for term, strength in question.clues[clue].terms if term in found]
            if len(lists) == 1:
                gain = weight * lists[0][1]
                for ordinal in lists[0][0]:
                    points[ordinal] = get(ordinal, 0.0) + gain
                continue
            strengths: dict[int, float] = {}
            for ordinals, strength in sorted(lists, key=lambda pair: pair[1]):
                strengths.update(dict.fromkeys(ordinals, strength))
            for ordinal, strength in strengths.items():
                points[ordinal] = get(ordinal, 0.0) + weight * strength
        if not points:
            return []
        for key, clues in question.tags.items():
            if postings := found.get(TAG_MARK + key):
                gain = 4 * sum(self._weights[clue] for clue in clues) / total
                for ordinal in postings if len(postings) < 4 * len(points) else points.keys() & set(postings):
                    if ordinal in points:
                        points[ordinal] += gain
        shared: dict[int, int] = {}
        for term in question.title:
            for ordinal in found.get(TITLE_MARK + term, ()):
                if ordinal in points:
                    shared[ordinal] = shared.get(ordinal, 0) + 1
        for ordinal, count in shared.items():
            points[ordinal] += 3 * count / (len(question.title) + segment.title_sizes[ordinal] - count)
        if gone:
            numbers = segment.numbers
            points = {ordinal: value for ordinal, value in points.items() if numbers[ordinal] not in gone}
        if len(points) > SHORTLIST:
            least = heapq.nlargest(SHORTLIST, points.values())[-1]
            kept = [ordinal for ordinal, value in points.items() if value >= least]
            if len(kept) > 2 * SHORTLIST:
                above = [ordinal for ordinal in kept if points[ordinal] > least]
                equal = [ordinal for ordinal in kept if points[ordinal] == least]
                stamps = segment.stamps
                kept = above + heapq.nlargest(SHORTLIST, equal, key=lambda o: (stamps[o], o))
        else:
            kept = list(points)
        stamps, now_s = segment.stamps, self._now_s
        return [(points[ordinal] + recency(now_s - stamps[ordinal]), at, ordinal) for ordinal in kept]

    def _match(self, at: int, ordinal: int) -> Match:
        source, _, segment, found = self._parts[at]
        question, weights = self._question, self._weights
        keyword = words = 0.0
        matched, missing = [], []
        strong = False
        for index, clue in enumerate(question.clues):
            for term, strength in sorted(clue.terms, key=lambda pair: -pair[1]):
                if term in found and _holds(found[term], ordinal):
                    keyword += weights[index] * strength
                    words += clue.share * strength
                    strong = strong or not self.weak(index)
                    matched.append(clue.text)
                    break
            else:
                missing.append(clue.text)
        keyword /= self._total
        tagged: set[int] = set()
        for key, clues in question.tags.items():
            if (postings := found.get(TAG_MARK + key)) and _holds(postings, ordinal):
                tagged.update(clues)
        tag = sum(weights[clue] for clue in tagged) / self._total
        both = sum(1 for term in question.title if (p := found.get(TITLE_MARK + term)) and _holds(p, ordinal))
        title = both / (len(question.title) + segment.title_sizes[ordinal] - both) if both else 0.0
        loss = SHORT_LOSS * exp(-segment.lengths[ordinal] / SHORT_WORDS)
        if segment.asking[ordinal]:
            loss += ASKING_LOSS
        factors = Factors(
            min(1.0, tag),
            title,
            min(1.0, keyword * (1 - (1 - keyword) * loss)),
            recency(self._now_s - segment.stamps[ordinal]),
        )
        return Match(
            source,
            segment.numbers[ordinal],
            factors,
            tuple(matched),
            tuple(missing),
            strong,
            keyword * sqrt(words),
        )


def _holds(postings: Sequence[int], ordinal: int) -> bool:
    at = bisect_left(postings, ordinal)
    return at < len(postings) and postings[at] == ordinal
