"""Which records answer a question, and why: the four factors over posting lists. No SQL, no policy of what is shown.

A *source* is one store as recall sees it: segments of documents, each with its postings (term to the ordinals of the
documents that hold it, ascending) and a few numbers for each document. Weights are computed over all sources
together, so that scores of two stores can be compared.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import NamedTuple, Protocol

from agentao.memory.models import Factors
from agentao.memory.question import Question

SEEK_POSTINGS = 20_000
"""Clues are sought by, rarest first, until so many postings are read; commoner ones only count in the score."""

SHORTLIST = 200
"""So many of the best by what was sought are scored in full."""

WEAK_SHARE = 1 / 2
WEAK_FROM_DOCS = 20
"""A word that more than this share of the records have is weak, from so many records on. Source: decisions, Recall."""

RARITY_OFFSET = 0.5
"""Weight of a word: ln(1 + records / (records that have it + this))."""

FLOOR = 0.35
"""Least relevance: the share of the question's weight that matches times the number of words that match. One word of
two passes, one of six does not, two of six do."""

SHORT_LOSS = 0.2
SHORT_WORDS = 8
"""A partial match in a text of very few words ("Take care!") loses up to this share."""

ASKING_LOSS = 0.2
"""A partial match in a text that itself ends in a question loses this share: it asks, it does not tell."""

RECENCY_DAYS = 30

CJK_MISSING = 0.16
"""What a pair of CJK characters that does not match counts for relevance: most pairs straddle two words, or say the
same in other characters. It counts in full where no character of the question occurs at all."""

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


class Found(NamedTuple):
    """One segment, what is gone from its source, and the postings of the question's terms in it."""

    source: int
    gone: frozenset[int]
    segment: Segment
    postings: Mapping[str, Sequence[int]]


class Scored(NamedTuple):
    """One document of the shortlist; they sort by score."""

    score: float
    part: int
    ordinal: int
    factors: Factors


class Ranking:
    """One question against all sources together."""

    def __init__(self, question: Question, sources: Sequence[Source], now_s: float) -> None:
        self._question = question
        self._now_s = now_s
        terms = [term for clue in question.clues for term, _ in clue.terms]
        terms += [TITLE_MARK + term for term in question.title]
        terms += [TAG_MARK + key for key in question.tags]
        wanted = list(dict.fromkeys(terms))
        self._parts = [
            Found(at, source.gone, segment, postings)
            for at, source in enumerate(sources)
            for segment, postings in zip(source.segments, source.find(wanted), strict=True)
        ]
        self._count = sum(source.count for source in sources)
        self._frequencies = [self._frequency(clue.terms) for clue in question.clues]
        self._weights = [
            clue.share * log(1 + self._count / (frequency + RARITY_OFFSET))
            for clue, frequency in zip(question.clues, self._frequencies, strict=True)
        ]
        self._total = sum(self._weights)
        self._weak = [
            self._count >= WEAK_FROM_DOCS and frequency > self._count * WEAK_SHARE for frequency in self._frequencies
        ]

        seen = any(
            not clue.text.isascii() and clue.text in found.postings for clue in question.clues for found in self._parts
        )
        self._presence = [CJK_MISSING if seen and not clue.text.isascii() else 1.0 for clue in question.clues]

    def matches(self) -> Iterator[Match]:
        """The documents that share anything rare enough to seek by with the question, best first."""
        if not self._total:
            return
        sought, common = self._sought()
        shortlist: list[Scored] = []
        for at, found in enumerate(self._parts):
            shortlist += self._shortlist(at, found, sought, common)
        shortlist.sort(key=lambda scored: -scored.score)
        for scored in shortlist[:SHORTLIST]:
            yield self._match(scored)

    def _frequency(self, terms: Sequence[tuple[str, float]]) -> float:
        return sum(
            strength * len(found.postings[term])
            for found in self._parts
            for term, strength in terms
            if term in found.postings
        )

    def _sought(self) -> tuple[list[int], list[int]]:
        """The rarest clues, within the budget but at least one, and the others that occur."""
        sought: list[int] = []
        common: list[int] = []
        spent = 0.0
        for clue in sorted(range(len(self._weights)), key=lambda c: (self._frequencies[c], c)):
            frequency = self._frequencies[clue]
            if not frequency:
                continue
            if self._question.clues[clue].hint or (sought and spent + frequency > SEEK_POSTINGS):
                common.append(clue)
            else:
                sought.append(clue)
                spent += frequency
        return sought, common

    def _lists(self, clue: int, found: Found) -> list[tuple[Sequence[int], float]]:
        """The postings that answer a clue, weakest first."""
        terms = self._question.clues[clue].terms
        lists = [(found.postings[term], strength) for term, strength in terms if term in found.postings]
        lists.sort(key=lambda pair: pair[1])
        return lists

    def _shortlist(self, at: int, found: Found, sought: Sequence[int], common: Sequence[int]) -> list[Scored]:
        """The best documents of one segment."""
        total = self._total
        keyword: dict[int, float] = {}
        get = keyword.get
        for clue in sought:
            weight = self._weights[clue] / total
            lists = self._lists(clue, found)
            if len(lists) == 1:
                gain = weight * lists[0][1]
                for ordinal in lists[0][0]:
                    keyword[ordinal] = get(ordinal, 0.0) + gain
            elif lists:
                strengths: dict[int, float] = {}
                for ordinals, strength in lists:
                    strengths.update(dict.fromkeys(ordinals, strength))
                for ordinal, strength in strengths.items():
                    keyword[ordinal] = get(ordinal, 0.0) + weight * strength
        if not keyword:
            return []
        if found.gone:
            numbers = found.segment.numbers
            keyword = {ordinal: value for ordinal, value in keyword.items() if numbers[ordinal] not in found.gone}
        tag = self._tag_factors(found, keyword)
        title = self._title_factors(found, keyword)
        kept = self._best(found, keyword, tag, title)
        lists_of = [(self._weights[clue] / total, self._lists(clue, found)[::-1]) for clue in common]
        segment, now_s = found.segment, self._now_s
        scored = []
        for ordinal in kept:
            value = keyword[ordinal]
            for weight, lists in lists_of:
                for postings, strength in lists:
                    if _holds(postings, ordinal):
                        value += weight * strength
                        break
            loss = SHORT_LOSS * exp(-segment.lengths[ordinal] / SHORT_WORDS)
            if segment.asking[ordinal]:
                loss += ASKING_LOSS
            value = min(1.0, value)
            factors = Factors(
                min(1.0, tag.get(ordinal, 0.0)),
                title.get(ordinal, 0.0),
                value * (1 - (1 - value) * loss),
                recency(now_s - segment.stamps[ordinal]),
            )
            scored.append(Scored(factors.score, at, ordinal, factors))
        return scored

    def _tag_factors(self, found: Found, among: Mapping[int, float]) -> dict[int, float]:
        """Share of the question's weight that stands in whole tags."""
        covered: dict[int, tuple[int, ...]] = {}
        for key, clues in self._question.tags.items():
            postings = found.postings.get(TAG_MARK + key)
            if postings:
                for ordinal in _both(postings, among):
                    covered[ordinal] = covered.get(ordinal, ()) + clues
        return {
            ordinal: sum(self._weights[clue] for clue in set(clues)) / self._total for ordinal, clues in covered.items()
        }

    def _title_factors(self, found: Found, among: Mapping[int, float]) -> dict[int, float]:
        """Jaccard of the token sets of question and title."""
        shared: dict[int, int] = {}
        for term in self._question.title:
            postings = found.postings.get(TITLE_MARK + term)
            if postings:
                for ordinal in _both(postings, among):
                    shared[ordinal] = shared.get(ordinal, 0) + 1
        size, sizes = len(self._question.title), found.segment.title_sizes
        return {ordinal: count / (size + sizes[ordinal] - count) for ordinal, count in shared.items()}

    @staticmethod
    def _best(
        found: Found, keyword: Mapping[int, float], tag: Mapping[int, float], title: Mapping[int, float]
    ) -> list[int]:
        """The ordinals worth scoring in full; of equals the newest."""
        if len(keyword) <= SHORTLIST:
            return list(keyword)
        points = {ordinal: 2 * value for ordinal, value in keyword.items()}
        for ordinal, value in tag.items():
            points[ordinal] += 4 * value
        for ordinal, value in title.items():
            points[ordinal] += 3 * value
        least = heapq.nlargest(SHORTLIST, points.values())[-1]
        above = [ordinal for ordinal, value in points.items() if value > least]
        equal = [ordinal for ordinal, value in points.items() if value == least]
        stamps = found.segment.stamps
        return above + heapq.nlargest(SHORTLIST, equal, key=lambda ordinal: (stamps[ordinal], ordinal))

    def _match(self, scored: Scored) -> Match:
        found = self._parts[scored.part]
        matched, missing = [], []
        matched_weight = missing_weight = words = 0.0
        strong = False
        for index, clue in enumerate(self._question.clues):
            if clue.hint:
                continue
            for postings, strength in reversed(self._lists(index, found)):
                if _holds(postings, scored.ordinal):
                    matched.append(clue.text)
                    matched_weight += self._weights[index] * strength
                    words += clue.share * strength
                    strong = strong or not self._weak[index]
                    break
            else:
                missing.append(clue.text)
                missing_weight += self._weights[index] * self._presence[index]
        return Match(
            found.source,
            found.segment.numbers[scored.ordinal],
            scored.factors,
            tuple(matched),
            tuple(missing),
            strong,
            matched_weight / (matched_weight + missing_weight) * words,
        )


def _both(postings: Sequence[int], among: Mapping[int, float]) -> Iterable[int]:
    """The ordinals of ``postings`` that are keys of ``among``."""
    if len(postings) > 8 * len(among):
        return [ordinal for ordinal in among if _holds(postings, ordinal)]
    return [ordinal for ordinal in postings if ordinal in among]


def _holds(postings: Sequence[int], ordinal: int) -> bool:
    at = bisect_left(postings, ordinal)
    return at < len(postings) and postings[at] == ordinal
