"""Which records answer a question, and why: the four factors over postings. No SQL, no policy of what is shown.

Weights are computed over all sources together, so that scores of two stores can be compared. Keyword factor: the share
of the question's weight that matches, each word weighing its rarity (as in BM25; Robertson and Zaragoza, 2009) and a
synonym its strength of that. What cannot be among the best is not scored (as in MaxScore; Turtle and Flood, 1995).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from math import exp, inf, log
from operator import or_
from typing import NamedTuple

from agentao.memory.recall.candidate import Factors, weighted
from agentao.memory.recall.cells import STEPS, TAG_STEPS, TITLE_STEPS, Cell, Level, cells, exactly, nested
from agentao.memory.recall.corpus import Corpus, Source
from agentao.memory.recall.postings import members, union
from agentao.memory.recall.question import INFLECTED_STRENGTH, Clue, Question
from agentao.memory.tokenizer import TAG_MARK, TITLE_MARK

SEEK_POSTINGS = 1_500
PAIRS_MAX = 2_000
"""Clues are sought by, rarest first, until so many postings are read. By a commoner one alone nothing is found; those
that have two, the common ones too, are taken in, rarest first, as long as there are not more than this."""

SHORTLIST = 40

FEW = 400
FIRST_BATCH = 60
GROWTH = 4
"""Of more than a few, about so many are scored at first, then so many times more: after each batch it is seen who may
follow."""

ABOUT = 0.1
"""Documents whose most points differ by so little are chosen together by their age."""

MARGIN = 1e-9
"""Points less than the least that count are as good, for sums of other orders may differ by so much."""

WEAK_SHARE = 1 / 2
WEAK_FROM_DOCS = 20
"""A word that more than this share of the records have is weak, from so many records on. Source: decisions, Recall."""

RARITY_OFFSET = 1.5
"""Weight of a word: ln(1 + records / (records that have it + this))."""

UNKNOWN_SHARE = 0.5
"""Share of its weight that a word which no record answers has in a full match: less than one that others answer."""

FLOOR = 0.265
NAMED = 2.5
"""Least relevance: the share of the question's weight that matches times the number of words that match, common words
counted in part, tags and titles of one word ``NAMED`` times: who names one asks for it. One word of three passes, one
of six does not."""

SHORT_LOSS = 0.2
SHORT_WORDS = 8
LONG_LOSS = 0.5
LONG_FROM_WORDS = 40
LONG_WORDS = 100
"""A partial match in a text of very few words ("Take care!") loses up to this share, one in a long text the more the
longer it is, for that has some of any question's words by chance."""
_LOSSES = tuple(
    SHORT_LOSS * exp(-length / SHORT_WORDS) + LONG_LOSS * (1 - exp(-max(0, length - LONG_FROM_WORDS) / LONG_WORDS))
    for length in range(400)
)
"""What a partial match loses by the number of words; longer texts as the last."""

ASKING_LOSS = 0.25
"""A partial match in a text that itself ends in a question loses this share: it asks, it does not tell."""

SPAN_S = 30 * 86_400
"""After so many seconds the recency factor is a half. Source: the memory design, section 3."""

NAME_EXPECTED = 1.6
"""Names are expected more than other words: a question about somebody unknown is mostly about nothing known."""

CJK_EXPECTED = 0.21
"""Share of its CJK clues that a record should have: most pairs straddle two words, or say the same in other
characters. All of them where no character of the question occurs at all."""


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


Place = tuple[float, int, int, tuple[float, float, float, float]]
"""Score, stamp, document of the corpus, and the four factors: the best sort last, of equals the newest."""


class Answers(NamedTuple):
    """Who answers a clue: all, as bits, the same as a bitmap, and a bitmap for each strength, strongest first."""

    having: int
    held: bytes
    strengths: Sequence[tuple[float, bytes]]


class Ranking:
    """One question against all sources together."""

    def __init__(self, question: Question, sources: Sequence[Source], now_s: float) -> None:
        self._question = question
        self._now_s = now_s
        terms = [term for clue in question.clues for term, _ in clue.terms]
        terms += [TITLE_MARK + term for term in question.title]
        terms += [TAG_MARK + key for key in question.tags]
        self._corpus = Corpus(sources, list(dict.fromkeys(terms)))
        self._count = self._corpus.count
        self._held = self._corpus.held
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
        self._titled = self._bitmaps(TITLE_MARK, question.title)
        self._tagged = self._bitmaps(TAG_MARK, question.tags)
        for at in self._named():
            counts[at] *= NAMED
        self._gains = [complex(weight / self._total, n) for weight, n in zip(self._weights, counts, strict=True)]
        self._answers = [self._answers_of(*pair) for pair in zip(question.clues, rarities, strict=True)]
        self._sought, self._common, faint = self._plan()
        self._faint_share = sum(self._gains[clue].real for clue in faint)
        self._weak_gain = sum((self._gains[clue] for clue in faint if not question.clues[clue].hint), start=0j)

    def matches(self, *, near: bool = False, shortlist: int = SHORTLIST) -> Iterator[Match]:
        """The best documents that share enough with the question, best first; with ``near`` those that share less too.

        At least ``shortlist``, if there are so many.
        """
        best: list[Place] = []
        waiting = sorted(self._cells(near), reverse=True)
        done, batch = 0, FIRST_BATCH
        while done < len(waiting):
            bar = 10 * best[0][0] - MARGIN if len(best) == shortlist else -inf
            size, end = 0, done
            while end < len(waiting) and size < batch and waiting[end].most >= bar:
                size += waiting[end].documents.bit_count()
                end += 1
            if end == done:
                break
            for place in self._scored(self._young(waiting[done:end], bar), near):
                if len(best) < shortlist:
                    heapq.heappush(best, place)
                elif place > best[0]:
                    heapq.heapreplace(best, place)
            done, batch = end, batch * GROWTH
        for _, _, document, factors in sorted(best, reverse=True):
            yield self._match(Factors(*factors), document)

    def _bitmaps(self, mark: str, names: Iterable[str]) -> dict[str, tuple[int, bytes]]:
        """Who has each of the titles' words, or tags: as bits and as a bitmap."""
        found = {name: self._corpus.having([mark + name]) for name in names if self._held[mark + name]}
        return {name: (bits, self._bitmap(bits)) for name, bits in found.items()}

    def _named(self) -> set[int]:
        """The clues that stand in a whole tag, or are the one word of a title."""
        found = {clue for key in self._tagged for clue in self._question.tags[key]}
        for at, clue in enumerate(self._question.clues):
            own = [term for term, strength in clue.terms if strength >= INFLECTED_STRENGTH and term in self._titled]
            for bits in (self._titled[term][0] for term in own):
                if bits.bit_count() <= SHORTLIST and any(map(self._has_short_title, members(bits))):
                    found.add(at)
        return found

    def _has_short_title(self, document: int) -> bool:
        begin, _, segment = self._corpus.stretch(document)
        return segment.title_sizes[document - begin] == 1

    def _bitmap(self, bits: int) -> bytes:
        return bits.to_bytes(self._corpus.size, "little")

    def _young(self, some: Sequence[Cell], bar: float) -> list[int]:
        """The documents of some cells, best first, that are new enough to have ``bar`` points at best; ascending."""
        documents: list[int] = []
        at = 0
        while at < len(some):
            most, together = some[at].most, 0
            while at < len(some) and some[at].most >= most - ABOUT:
                together |= some[at].documents
                at += 1
            needed = bar - most + 1  # of the recency factor, which is 1 at most
            if needed <= 0:
                documents += members(together)
            elif needed <= 1 + MARGIN:
                since = self._now_s - (1 / needed - 1) * SPAN_S
                for (begin, _, segment), part in self._corpus.stretches(members(together)):
                    stamps = segment.stamps
                    documents += [o for o in part if stamps[o - begin] >= since]
        return sorted(documents)

    def _frequency(self, clue: Clue) -> float:
        """How many documents answer a clue, those that do it weakly counted in part."""
        return sum(strength * self._held[term] for term, strength in clue.terms)

    def _own_frequency(self, clue: Clue) -> int:
        """How many documents have the word itself, in whatever form."""
        return max(self._held[term] for term, strength in clue.terms if strength >= INFLECTED_STRENGTH)

    def _rarity(self, frequency: float) -> float:
        return log(1 + self._count / (frequency + RARITY_OFFSET))

    def _answers_of(self, clue: Clue, rarity: float) -> Answers:
        """Who answers a clue, and how strongly; by a term that is commoner than the word, less in proportion."""
        by_strength: dict[float, list[str]] = {}
        for term, strength in clue.terms:
            if held := self._held[term]:
                if strength < INFLECTED_STRENGTH:
                    strength *= min(1.0, self._rarity(held) / rarity)
                by_strength.setdefault(strength, []).append(term)
        having = 0
        strengths: list[tuple[float, bytes]] = []
        for strength in sorted(by_strength, reverse=True):
            bits = self._corpus.having(by_strength[strength])
            having |= bits
            strengths.append((strength, self._bitmap(bits)))
        return Answers(
            having, self._bitmap(having) if len(strengths) > 1 else b"".join(h for _, h in strengths), strengths
        )

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

    def _cells(self, near: bool) -> Iterator[Cell]:
        """The documents that have a sought clue, or two of all, as far as they may share enough."""
        clues = [clue for clue in (*self._sought, *self._common) if self._answers[clue].having]
        gains = {clue: self._gains[clue] * self._answers[clue].strengths[0][0] for clue in clues}
        together = sum(gains.values(), start=0j)
        sought, pairs, twice = self._base(clues)
        several = twice & (sought | pairs)
        single = sought & ~twice
        named = self._weakly_named() & ~sought & ~twice
        if (single | several | named).bit_count() <= FEW:
            # Scored at once, they take less time than a closer look.
            yield Cell(inf, single | several | named)
            return
        levels = [Level(self._answers[clue].having & single, self._most(gains[clue], near)) for clue in clues]
        steps = nested([(self._answers[clue].having, gains[clue].real) for clue in clues], together.real, STEPS)
        limits = [complex(together.real * step / STEPS, together.imag) for step in range(len(steps))]
        single_most = max((self._most(gains[clue], near) for clue in clues), default=0.0)
        levels.append(Level(named, max(single_most, self._most(0j, near))))
        levels += exactly(several, list(map(Level, steps, [self._most(limit, near) for limit in limits])))
        yield from cells([level for level in levels if level.most >= 0], self._title_levels(), self._tag_levels())

    def _title_levels(self) -> list[Level]:
        """Who has how many words of the question in the title, and ten times what that adds to the score at most."""
        steps = nested([(bits, 1.0) for bits, _ in self._titled.values()], TITLE_STEPS, TITLE_STEPS)
        words = [*range(TITLE_STEPS), len(self._titled)]
        return [Level(some, 3 * words[at] / max(1, len(self._question.title))) for at, some in enumerate(steps)]

    def _tag_levels(self) -> list[Level]:
        """Who has how much of the question in whole tags, and ten times what that adds to the score at most."""
        having = [(bits, self._tag_share(self._question.tags[key])) for key, (bits, _) in self._tagged.items()]
        total = sum(share for _, share in having) or 1.0
        steps = nested(having, total, TAG_STEPS)
        return [Level(some, 4 * min(1.0, total * at / TAG_STEPS)) for at, some in enumerate(steps)]

    def _most(self, shared: complex, near: bool) -> float:
        """Ten times the score of a document that shares so much, and the faint clues, at most; -1: too little."""
        if not near and self._relevance(shared + self._weak_gain) < FLOOR:
            return -1.0
        return 2 * min(1.0, shared.real + self._faint_share) + 1

    def _base(self, clues: Iterable[int]) -> tuple[int, int, int]:
        """Who has a sought clue; who has two of any, as far as they are not too many; all who have two."""
        sought = pairs = twice = once = 0
        for clue in clues:
            some = self._answers[clue].having
            if clue in self._sought:
                sought |= some
            twice |= once & some
            once |= some
            if twice.bit_count() <= PAIRS_MAX:
                pairs = twice
        return sought, pairs, twice

    def _weakly_named(self) -> int:
        """Who has a weak word of the question as a whole tag, or as the one word of the title, if these are few."""
        weak = {at for at, clue in enumerate(self._question.clues) if not clue.hint and self._weak(at)}
        if not weak:
            return 0
        words = {term for at in weak for term, strength in self._question.clues[at].terms if strength == 1}
        titled = reduce(or_, (self._titled[word][0] for word in words if word in self._titled), 0)
        tags = [bits for key, (bits, _) in self._tagged.items() if weak.issuperset(self._question.tags[key])]
        few = min(self._count * WEAK_SHARE, SEEK_POSTINGS)
        found = reduce(or_, (bits for bits in tags if bits.bit_count() <= few), 0)
        if titled.bit_count() <= few:
            found |= union([list(filter(self._has_short_title, members(titled)))], self._corpus.size << 3)
        return found

    def _scored(self, documents: Sequence[int], near: bool) -> Iterator[Place]:
        """Those of some documents, ascending, that share enough."""
        bits = [(o, o >> 3, 1 << (o & 7)) for o in documents]
        shared = dict.fromkeys(documents, 0j)
        hinted = dict.fromkeys(documents, 0.0)
        for clue, (_, held, strengths), gain in zip(self._question.clues, self._answers, self._gains, strict=True):
            if not strengths:
                continue
            some = [place for place in bits if held[place[1]] & place[2]]
            if clue.hint:
                for o, _, _ in some:
                    hinted[o] += gain.real
                continue
            for strength, having in strengths[:-1]:
                more, others = gain * strength, []
                for place in some:
                    if having[place[1]] & place[2]:
                        shared[place[0]] += more
                    else:
                        others.append(place)
                some = others
            more = gain * strengths[-1][0]
            for o, _, _ in some:
                shared[o] += more
        tag, title_words = self._tag_factors(bits), self._title_words(bits)
        asked, expected, until = len(self._question.title), self._expected, self._now_s + SPAN_S
        for (begin, _, segment), part in self._corpus.stretches(documents):
            lengths, asking, stamps, title_sizes = segment.lengths, segment.asking, segment.stamps, segment.title_sizes
            for o in part:
                together = shared[o]
                if near or min(1.0, together.real / expected) * together.imag >= FLOOR:
                    at = o - begin
                    keyword = min(1.0, together.real + hinted[o])
                    loss = _LOSSES[min(lengths[at], len(_LOSSES) - 1)] + ASKING_LOSS * asking[at]
                    keyword *= 1 - (1 - keyword) * loss
                    words = title_words.get(o, 0)
                    # Jaccard of the token sets of question and title.
                    title = words / (asked + title_sizes[at] - words) if words else 0.0
                    # The recency factor: 1 / (1 + days / 30); the future counts as now.
                    recency = SPAN_S / max(SPAN_S, until - stamps[at])
                    factors = tag.get(o, 0.0), title, keyword, recency
                    yield weighted(*factors), stamps[at], o, factors

    def _tag_factors(self, bits: Sequence[tuple[int, int, int]]) -> dict[int, float]:
        """Share of the question's weight that stands in whole tags."""
        covered: dict[int, tuple[int, ...]] = {}
        some = self._in_any(self._tagged, bits)
        for key, (_, having) in self._tagged.items():
            for o, byte, bit in some:
                if having[byte] & bit:
                    covered[o] = covered.get(o, ()) + self._question.tags[key]
        shares = {clues: self._tag_share(clues) for clues in set(covered.values())}
        return {o: shares[clues] for o, clues in covered.items()}

    def _tag_share(self, clues: Iterable[int]) -> float:
        """Share of the question's weight that these clues have."""
        return min(1.0, sum(self._weights[clue] for clue in sorted(set(clues))) / self._total)

    def _title_words(self, bits: Sequence[tuple[int, int, int]]) -> dict[int, int]:
        """How many words of the question stand in each title."""
        both: dict[int, int] = {}
        some = self._in_any(self._titled, bits)
        for _, having in self._titled.values():
            for o, byte, bit in some:
                if having[byte] & bit:
                    both[o] = both.get(o, 0) + 1
        return both

    def _in_any(
        self, sets: Mapping[str, tuple[int, bytes]], bits: Sequence[tuple[int, int, int]]
    ) -> list[tuple[int, int, int]]:
        """Those that are in one of the sets."""
        together = reduce(or_, (documents for documents, _ in sets.values()), 0)
        held = self._bitmap(together)
        return [place for place in bits if held[place[1]] & place[2]] if together else []

    def _relevance(self, shared: complex) -> float:
        """The share of what a record should have, times the number of words."""
        return min(1.0, shared.real / self._expected) * shared.imag

    def _match(self, factors: Factors, document: int) -> Match:
        matched, missing = [], []
        shared = 0j
        byte, bit = document >> 3, 1 << (document & 7)
        for clue, answers, gain in zip(self._question.clues, self._answers, self._gains, strict=True):
            strength = next((strength for strength, having in answers.strengths if having[byte] & bit), 0.0)
            if strength:
                matched.append(clue.text)
                if not clue.hint:
                    shared += gain * strength
            else:
                missing.append(clue.text)
        expected = self._expected + sum(share for share, words in self._inside if not set(words).issubset(matched))
        relevance = min(1.0, shared.real / expected) * shared.imag
        begin, source, segment = self._corpus.stretch(document)
        return Match(source, segment.numbers[document - begin], factors, tuple(matched), tuple(missing), relevance)
