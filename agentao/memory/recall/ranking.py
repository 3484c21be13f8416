"""Which records answer a question, and why: the four factors over posting lists. No SQL, no policy of what is shown.

A *source* is one store as recall sees it: segments of documents, each with its postings (term to the ordinals of the
documents that hold it, ascending) and a few numbers for each document. Weights are computed over all sources
together, so that scores of two stores can be compared. Keyword factor: the share of the question's weight that matches,
each word weighing its rarity (as in BM25; Robertson and Zaragoza, 2009) and a synonym its strength of that.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from math import exp, inf, log
from typing import NamedTuple, Protocol

from agentao.memory.recall.candidate import Factors, weighted
from agentao.memory.recall.question import INFLECTED_STRENGTH, Clue, Question

SEEK_POSTINGS = 1_500
"""Clues are sought by, rarest first, until so many postings are read. By a commoner one alone nothing is found: where
the rare ones give fewer than ``ENOUGH`` documents, those that have two of the common ones are taken in too."""

ENOUGH = SHORTLIST = 40
"""So many of the best by what was sought are scored in full."""

PAIRED = 3
"""So many of the common clues, the rarest, are paired."""

WEAK_SHARE = 1 / 2
WEAK_FROM_DOCS = 20
"""A word that more than this share of the records have is weak, from so many records on. Source: decisions, Recall."""

RARITY_OFFSET = 1.5
"""Weight of a word: ln(1 + records / (records that have it + this))."""

UNKNOWN_SHARE = 0.5
"""Share of its weight that a word which no record answers has in a full match: less than one that others answer."""

FLOOR = 0.265
TAGGED = 2.5
"""Least relevance: the share of the question's weight that matches times the number of words that match, common words
counted in part, tags ``TAGGED`` times: who names one asks for it. One word of three passes, one of six does not."""

SHORT_LOSS = 0.2
SHORT_WORDS = 8
"""A partial match in a text of very few words ("Take care!") loses up to this share."""

ASKING_LOSS = 0.25
"""A partial match in a text that itself ends in a question loses this share: it asks, it does not tell."""

RECENCY_DAYS = 30

NAME_EXPECTED = 1.6
"""Names are expected more than other words: a question about somebody unknown is mostly about nothing known."""

CJK_EXPECTED = 0.21
"""Share of its CJK clues that a record should have: most pairs straddle two words, or say the same in other
characters. All of them where no character of the question occurs at all."""

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
    def dead(self) -> Sequence[frozenset[int]]:
        """For each segment the ordinals of documents that still stand in it and are no longer live."""

    @property
    def segments(self) -> Sequence[Segment]:
        """Every document stands in one of them."""

    def find(self, terms: Sequence[str]) -> Sequence[Mapping[str, Sequence[int]]]:
        """For each segment the postings of those terms that occur in it."""


class Match(NamedTuple):
    """One document and how it answers the question."""

    source: int
    number: int
    factors: Factors
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    relevance: float

    @property
    def accepted(self) -> bool:
        """Whether it shares enough with the question to be recalled."""
        return self.relevance >= FLOOR


def recency(age_s: float) -> float:
    """1 / (1 + days / 30); the future counts as now."""
    return 1 / (1 + max(0.0, age_s) / 86_400 / RECENCY_DAYS)


class Found(NamedTuple):
    """One segment, the ordinals of what is gone from it, and the postings of the question's terms in it."""

    source: int
    dead: frozenset[int]
    segment: Segment
    postings: Mapping[str, Sequence[int]]
    answers: Sequence[Sequence[tuple[Sequence[int], float]]]
    """For each clue the postings that answer it with their strength, strongest first."""


class Candidates(NamedTuple):
    """The documents of one segment that may share enough, by ordinal."""

    shared: Mapping[int, complex]
    """What a document shares with the question but for the faint clues: weight (real), number of words (imaginary)."""
    gains: Mapping[int, Mapping[int, complex]]
    """For each clue that counts in ``shared`` what the documents that answer it gain by it."""
    tag: Mapping[int, float]
    title: Mapping[int, float]


Place = tuple[float, int, int, int]
"""Points by what was sought, stamp, number of the segment, ordinal: the best sort last, of equals the newest."""


class Ranking:
    """One question against all sources together."""

    def __init__(self, question: Question, sources: Sequence[Source], now_s: float) -> None:
        self._question = question
        self._now_s = now_s
        terms = [term for clue in question.clues for term, _ in clue.terms]
        terms += [TITLE_MARK + term for term in question.title]
        terms += [TAG_MARK + key for key in question.tags]
        wanted = list(dict.fromkeys(terms))
        looked_up = [
            (at, dead, segment, postings)
            for at, source in enumerate(sources)
            for dead, segment, postings in zip(source.dead, source.segments, source.find(wanted), strict=True)
        ]
        self._count = sum(source.count for source in sources)
        self._held = dict.fromkeys(wanted, 0)
        """How many live documents have each term."""
        for _, dead, _, postings in looked_up:
            for term, ordinals in postings.items():
                self._held[term] += len(ordinals) - (len(_both(ordinals, dead)) if dead else 0)
        self._frequencies = [self._frequency(clue) for clue in question.clues]
        rarities = [
            self._rarity(self._own_frequency(clue) or frequency)
            for clue, frequency in zip(question.clues, self._frequencies, strict=True)
        ]
        self._weights = [clue.share * rarity for clue, rarity in zip(question.clues, rarities, strict=True)]
        self._total = self._total_weight()
        self._inside: list[tuple[float, tuple[str, ...]]] = []  # share of the weight, expected where words are missing
        self._expected = self._expected_share()
        counts = [0.0 if clue.hint else clue.share * clue.counts for clue in question.clues]
        for at in {clue for key, clues in question.tags.items() if self._held[TAG_MARK + key] for clue in clues}:
            counts[at] *= TAGGED
        self._gains = [complex(weight / self._total, n) for weight, n in zip(self._weights, counts, strict=True)]
        terms_of = [self._strengths(clue, rarity) for clue, rarity in zip(question.clues, rarities, strict=True)]
        self._parts = [Found(*part, [_answers(terms, part[3]) for terms in terms_of]) for part in looked_up]
        self._sought, self._common, self._faint = self._plan()

    def matches(self, *, near: bool = False, shortlist: int = SHORTLIST) -> Iterator[Match]:
        """The documents that share enough with the question, best first; with ``near`` those that share less too.

        The best ``shortlist`` by what was sought are looked at.
        """
        least = -1.0 if near else FLOOR * self._expected
        parts = [self._candidates(found, least) for found in self._parts]
        places: list[Place] = []
        for at, part in enumerate(parts):
            places += self._places(at, part, shortlist)
        scored = []
        for _, _, at, ordinal in heapq.nlargest(shortlist, places):
            factors = self._factors(self._parts[at], parts[at], ordinal)
            scored.append((weighted(*factors), factors, at, ordinal))
        scored.sort(key=lambda entry: -entry[0])
        for _, factors, at, ordinal in scored:
            match = self._match(Factors(*factors), self._parts[at], parts[at], ordinal)
            if near or match.accepted:
                yield match

    def _frequency(self, clue: Clue) -> float:
        """How many documents answer a clue, those that do it weakly counted in part."""
        return sum(strength * self._held[term] for term, strength in clue.terms)

    def _own_frequency(self, clue: Clue) -> int:
        """How many documents have the word itself, in whatever form."""
        return max(self._held[term] for term, strength in clue.terms if strength >= INFLECTED_STRENGTH)

    def _rarity(self, frequency: float) -> float:
        return log(1 + self._count / (frequency + RARITY_OFFSET))

    def _strengths(self, clue: Clue, rarity: float) -> list[tuple[str, float]]:
        """How strongly each term answers a clue, strongest first; one commoner than the word, less in proportion."""
        strengths = [
            (term, strength if strength >= INFLECTED_STRENGTH else strength * min(1.0, self._rarity(held) / rarity))
            for term, strength in clue.terms
            if (held := self._held[term])
        ]
        return sorted(strengths, key=lambda pair: -pair[1])

    def _total_weight(self) -> float:
        """The weight of a full match."""
        pairs = zip(self._weights, self._frequencies, strict=True)
        return sum(weight if frequency else weight * UNKNOWN_SHARE for weight, frequency in pairs) or 1.0

    def _expected_share(self) -> float:
        """The share of the question's weight that a record should have: more of names, less of CJK pairs, no hints."""
        clues = self._question.clues
        known = any(not clue.text.isascii() and self._held.get(clue.text) for clue in clues)
        expected = 0.0
        for clue, weight, frequency in zip(clues, self._weights, self._frequencies, strict=True):
            if clue.name:
                expected += weight * NAME_EXPECTED
            elif clue.within and not known and not frequency:
                # All that a record has of a CJK word may be its synonym: then no characters are expected besides.
                self._inside.append((weight / self._total, clue.within))
            elif not clue.hint:
                expected += weight * (CJK_EXPECTED if known and not clue.text.isascii() else 1)
        return expected / self._total or 1.0

    def _plan(self) -> tuple[list[int], list[int], list[int]]:
        """The clues to seek by, rarest first, at least one; the common ones; and the weak ones and hints."""
        sought: list[int] = []
        common: list[int] = []
        faint: list[int] = []
        spent = 0.0
        for clue in sorted(range(len(self._weights)), key=lambda c: (self._frequencies[c], c)):
            frequency = self._frequencies[clue]
            if not frequency:
                continue
            if self._question.clues[clue].hint or self._weak(clue):
                faint.append(clue)
            elif sought and spent + frequency > SEEK_POSTINGS:
                common.append(clue)
            else:
                sought.append(clue)
                spent += frequency
        return sought, common, faint

    def _weak(self, clue: int) -> bool:
        """Whether more than half of the records have the word itself."""
        limit = self._count * WEAK_SHARE
        if self._count < WEAK_FROM_DOCS or self._frequencies[clue] <= limit * INFLECTED_STRENGTH:
            return False
        return self._own_frequency(self._question.clues[clue]) > limit

    def _candidates(self, found: Found, least: float) -> Candidates:
        """The documents of a segment that have a sought clue, or two common ones, and may reach ``least``."""
        gains: dict[int, Mapping[int, complex]] = {}
        shared = self._shared(found, least, gains)
        for ordinal in found.dead:
            shared.pop(ordinal, None)
        return Candidates(shared, gains, self._tag_factors(found, shared), self._title_factors(found, shared))

    def _shared(self, found: Found, least: float, gains: dict[int, Mapping[int, complex]]) -> dict[int, complex]:
        """What the documents share that may reach ``least`` (weight times words); ``gains`` as in ``Candidates``.

        Rare clues come first. From the clue on with which, and all commoner ones, a document could not reach
        ``least``, no new documents are taken in.
        """
        shared: dict[int, complex] = {}
        # Most documents answer one clue, and all of these gain the same: only the others are touched one by one.
        touched: set[int] = set()
        possible = sum((self._gains[clue] for clue in (*self._sought, *self._common, *self._faint)), start=0j)
        others = [*self._sought, *self._common]
        for clue in self._sought:
            if possible.real * possible.imag < least:
                break
            others.remove(clue)
            gains[clue] = more = _gains(found.answers[clue], self._gains[clue])
            sums = {ordinal: shared[ordinal] + more[ordinal] for ordinal in shared.keys() & more.keys()}
            shared.update(more)
            shared.update(sums)
            touched.update(sums)
            possible -= self._gains[clue]
        alone = [self._gains[clue] * strength for clue in gains for _, strength in found.answers[clue]]
        if self._common:
            paired = self._paired(found, shared)
            shared.update(dict.fromkeys(paired, 0j))
            touched |= paired
        for clue in others:
            gains[clue] = more = _gains(found.answers[clue], self._gains[clue], shared)
            for ordinal, gain in more.items():
                shared[ordinal] += gain
            touched.update(more)
        if least < 0:
            return shared
        faint = sum((self._gains[clue] for clue in self._faint), start=0j)
        real, imag = faint.real, faint.imag
        if all((gain.real + real) * (gain.imag + imag) < least for gain in alone):
            shared = {ordinal: shared[ordinal] for ordinal in touched}
        return {o: gain for o, gain in shared.items() if (gain.real + real) * (gain.imag + imag) >= least}

    def _paired(self, found: Found, shared: Mapping[int, complex]) -> set[int]:
        """Documents that have two of the common clues, where the rare ones give few."""
        taken: set[int] = set()
        part = len(found.segment.numbers) / max(1, self._count)
        if len(shared) < ENOUGH * part:
            once: set[int] = set()
            for clue in self._common[:PAIRED]:
                postings = [ordinals for ordinals, _ in found.answers[clue]]
                twice = set[int]().union(*map(once.intersection, postings)).difference(shared, taken)
                if len(shared) + len(taken) + len(twice) <= SEEK_POSTINGS * part:
                    taken |= twice
                once.update(*postings)
        return taken

    def _places(self, at: int, part: Candidates, shortlist: int) -> list[Place]:
        """The best documents of a segment."""
        stamps = self._parts[at].segment.stamps
        shared, tag, title = part.shared, part.tag, part.title
        # The recency factor, written out: this runs for every candidate. Later than now is as good as now, or nearly.
        span = RECENCY_DAYS * 86_400
        until = span + self._now_s
        points = {o: 2 * gain.real + span / ((until - stamps[o]) or 1) for o, gain in shared.items()}
        for o in tag.keys() | title.keys():
            named = 4 * tag.get(o, 0.0) + 3 * title.get(o, 0.0) + 2 * shared[o].real
            points[o] = named + recency(self._now_s - stamps[o])
        least = heapq.nlargest(shortlist, points.values())[-1] if len(points) > shortlist else -inf
        return [(value, stamps[o], at, o) for o, value in points.items() if value >= least]

    def _tag_factors(self, found: Found, among: Mapping[int, complex]) -> dict[int, float]:
        """Share of the question's weight that stands in whole tags."""
        covered: dict[int, tuple[int, ...]] = {}
        for term, postings in found.postings.items():
            if term[0] == TAG_MARK:
                clues = self._question.tags[term[1:]]
                for ordinal in _both(postings, among.keys()):
                    covered[ordinal] = covered.get(ordinal, ()) + clues
        shares = {
            clues: min(1.0, sum(self._weights[clue] for clue in sorted(set(clues))) / self._total)
            for clues in set(covered.values())
        }
        return {ordinal: shares[clues] for ordinal, clues in covered.items()}

    def _title_factors(self, found: Found, among: Mapping[int, complex]) -> dict[int, float]:
        """Jaccard of the token sets of question and title."""
        both: dict[int, int] = {}
        for term, postings in found.postings.items():
            if term[0] == TITLE_MARK:
                for ordinal in _both(postings, among.keys()):
                    both[ordinal] = both.get(ordinal, 0) + 1
        size, sizes = len(self._question.title), found.segment.title_sizes
        return {ordinal: count / (size + sizes[ordinal] - count) for ordinal, count in both.items()}

    def _factors(self, found: Found, part: Candidates, ordinal: int) -> tuple[float, float, float, float]:
        """The four factors, the faint clues counted too."""
        segment = found.segment
        keyword = part.shared[ordinal].real
        for clue in self._faint:
            keyword += _gain(found.answers[clue], self._gains[clue], ordinal).real
        keyword = min(1.0, keyword)
        loss = SHORT_LOSS * exp(-segment.lengths[ordinal] / SHORT_WORDS) + ASKING_LOSS * segment.asking[ordinal]
        return (
            part.tag.get(ordinal, 0.0),
            part.title.get(ordinal, 0.0),
            keyword * (1 - (1 - keyword) * loss),
            recency(self._now_s - segment.stamps[ordinal]),
        )

    def _match(self, factors: Factors, found: Found, part: Candidates, ordinal: int) -> Match:
        matched, missing = [], []
        shared = 0j
        for index, clue in enumerate(self._question.clues):
            if index in part.gains:
                gain = part.gains[index].get(ordinal, 0j)
            else:
                gain = _gain(found.answers[index], self._gains[index], ordinal)
            if gain:
                matched.append(clue.text)
                if not clue.hint:
                    shared += gain
            else:
                missing.append(clue.text)
        expected = self._expected + sum(share for share, words in self._inside if not set(words).issubset(matched))
        relevance = min(1.0, shared.real / expected) * shared.imag
        number = found.segment.numbers[ordinal]
        return Match(found.source, number, factors, tuple(matched), tuple(missing), relevance)


def _answers(
    terms: Sequence[tuple[str, float]], postings: Mapping[str, Sequence[int]]
) -> list[tuple[Sequence[int], float]]:
    return [(postings[term], strength) for term, strength in terms if term in postings]


def _gains(
    lists: Sequence[tuple[Sequence[int], float]], gain: complex, among: Mapping[int, complex] | None = None
) -> dict[int, complex]:
    """What each document (of these) gains by a clue that it answers; ``lists`` strongest first."""
    found: dict[int, complex] = {}
    for postings, strength in reversed(lists):
        found.update(dict.fromkeys(postings if among is None else _both(postings, among.keys()), gain * strength))
    return found


def _gain(lists: Sequence[tuple[Sequence[int], float]], gain: complex, ordinal: int) -> complex:
    """What one document gains by a clue; 0 where it does not answer it."""
    for postings, strength in lists:
        at = bisect_left(postings, ordinal)
        if at < len(postings) and postings[at] == ordinal:
            return gain * strength
    return 0j


def _both(postings: Sequence[int], among: Set[int]) -> Collection[int]:
    """The ordinals of ``postings`` that are among these."""
    size = len(postings)
    if size <= 8 * len(among):
        return among & set(postings)
    found = []
    for ordinal in among:
        at = bisect_left(postings, ordinal)
        if at < size and postings[at] == ordinal:
            found.append(ordinal)
    return found
