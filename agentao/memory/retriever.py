"""``MemoryRetriever``: the memories that answer a question, best first, and why."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from agentao.errors import AgentaoError
from agentao.memory.models import EXCERPT_MAX_CHARS, TOP_K, Factors, MemoryRecord, RecallCandidate
from agentao.memory.recall import sources
from agentao.memory.recall.excerpt import excerpt
from agentao.memory.recall.postings import IndexDamaged
from agentao.memory.recall.question import Question, parse
from agentao.memory.recall.ranking import FLOOR, SHORTLIST, Match, Ranking
from agentao.memory.storage.times import utc_now
from agentao.memory.text import same_text

if TYPE_CHECKING:
    from logging import Logger

    from agentao.memory.manager import MemoryManager
    from agentao.memory.store import SQLiteMemoryStore

NEAR_MISSES = 5

TOGETHER = 12
"""So many matches are looked up together; more than are shown, for some may be left out."""

COPIES = 8
"""The shortlist is so many times longer once, where copies of one text left too little of it."""

TIES = 1e-9
"""Scores that differ by less are equal: then the newest stands first."""


class NearMiss(NamedTuple):
    """A record that was not recalled, and in one sentence what it lacked."""

    candidate: RecallCandidate
    lacked: str


class RecallReport(NamedTuple):
    """What recall found for a question. ``error`` is one line when it failed; then nothing was recalled."""

    query: str
    words: tuple[str, ...] = ()
    candidates: tuple[RecallCandidate, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    error: str = ""
    unread: int = 0
    """How many records could not be looked at, because the index does not know them yet."""


class _Request(NamedTuple):
    """What is asked for: at most ``top_k`` records, and ``near`` of those that lack something."""

    query: str
    question: Question
    top_k: int
    exclude_ids: frozenset[str]
    near: int


class MemoryRetriever:
    """Recall over the stores of a manager.

    ``hit_count`` counts the facts recalled, ``error_count`` the failures, ``last_error`` is the cause of the last one
    in one line. ``unread``: how many records the last question left out, because the index does not know them yet.
    ``use_index=False`` reads all records for every question, which gives the same answers.
    """

    def __init__(
        self, manager: MemoryManager, *, clock: Callable[[], datetime] = utc_now, use_index: bool = True
    ) -> None:
        self._manager = manager
        self._clock = clock
        self._use_index = use_index
        self.hit_count = 0
        self.error_count = 0
        self.last_error: str | None = None
        self.unread = 0

    def recall_candidates(
        self, query: str, top_k: int = TOP_K, exclude_ids: Collection[str] = frozenset()
    ) -> list[RecallCandidate]:
        """At most ``top_k`` records that answer ``query``, best first; never raises.

        Source: the memory design, section 3; decisions, Recall.
        """
        report = self._recall(query, top_k, exclude_ids, near=0)
        if report.error:
            self.error_count += 1
            self.last_error = report.error
        self.hit_count += len(report.candidates)
        self.unread = report.unread
        return list(report.candidates)

    def note_unsent(self, count: int) -> None:
        """Of the facts recalled last, ``count`` found no room in the prompt and are no hits."""
        self.hit_count -= count

    def explain(self, query: str, top_k: int = TOP_K, exclude_ids: Collection[str] = frozenset()) -> RecallReport:
        """What ``recall_candidates`` gives, with the best of what it leaves out and why; counts as no recall."""
        return self._recall(query, top_k, exclude_ids, near=NEAR_MISSES)

    # -- inside ----------------------------------------------------------------

    def _recall(self, query: str, top_k: int, exclude_ids: Collection[str], near: int) -> RecallReport:
        try:
            request = _Request(query, parse(query), top_k, frozenset(exclude_ids), near)
            if not request.question.clues or top_k < 1:
                return RecallReport(query)
            stores = list(self._manager.stores)
            try:
                return self._ask(request, stores, self._use_index)
            except IndexDamaged as exc:
                _log().warning("the recall index is made anew: %s", _one_line(exc))
            sources.distrust(stores)
            try:
                return self._ask(request, stores, self._use_index)
            except IndexDamaged:
                return self._ask(request, stores, use_index=False)
        except (AgentaoError, sqlite3.Error, OSError, ValueError, LookupError, TypeError, ArithmeticError) as exc:
            _log().exception("recall failed")
            return RecallReport(query, error=_one_line(exc))

    def _ask(self, request: _Request, stores: list[SQLiteMemoryStore], use_index: bool) -> RecallReport:
        # What is not trusted has no say in which words are rare, and takes no place from what is.
        strange = [] if self._manager.project_trusted else [store for store in stores if store.scope == "project"]
        trusted = [store for store in stores if store not in strange]
        report = self._ask_together(request, trusted, use_index)
        if not request.near or not strange:
            return report
        others = self._ask_together(request, strange, use_index).near_misses
        return report._replace(near_misses=(*report.near_misses, *others)[: request.near])

    def _ask_together(self, request: _Request, stores: list[SQLiteMemoryStore], use_index: bool) -> RecallReport:
        with sources.opened(stores, use_index=use_index) as opened:
            ranking = Ranking(request.question, opened, self._clock().timestamp())
            shortlist = SHORTLIST + len(request.exclude_ids) + max(0, request.top_k - TOP_K)
            for _ in range(2):
                picker = _Picker(request, stores, opened, self._manager.project_trusted)
                report = picker.pick(ranking.matches(near=request.near > 0, shortlist=shortlist))
                if not picker.repeated or len(report.candidates) >= request.top_k:
                    break
                # Many copies of one text are in the way of what stands behind them.
                shortlist *= COPIES
            return report._replace(unread=sum(source.unread for source in opened))


class _Picker:
    """Walks down the matches and decides which are shown."""

    def __init__(
        self,
        request: _Request,
        stores: list[SQLiteMemoryStore],
        opened: list[sources.StoreSource],
        project_trusted: bool,
    ) -> None:
        self._request = request
        self._stores = stores
        self._opened = opened
        self._project_trusted = project_trusted
        self._texts: dict[str, str] = {}
        self.repeated = 0
        """How many were left out because their text is shown already."""

    def pick(self, matches: Iterator[Match]) -> RecallReport:
        """The best of these matches that may be shown, and of the others why not."""
        query, question, top_k, _, near = self._request
        chosen: list[RecallCandidate] = []
        missed: list[NearMiss] = []
        for match, record in self._records(matches):
            lacked = self._lacked(match, record)
            if not lacked and len(chosen) >= top_k:
                lacked = f"It comes after the first {top_k}."
            if not lacked:
                chosen.append(self._candidate(match, record))
            elif len(missed) < near:
                missed.append(NearMiss(self._candidate(match, record), lacked))
            if len(chosen) >= top_k and len(missed) >= near:
                break
        words = tuple(clue.text for clue in question.clues if clue.share == 1.0)
        return RecallReport(query, words, tuple(chosen), tuple(missed))

    def _records(self, matches: Iterator[Match]) -> Iterator[tuple[Match, MemoryRecord]]:
        """Matches with their live records, best first; equal scores newest first, then by id."""
        group: list[tuple[Match, MemoryRecord]] = []
        while some := list(islice(matches, TOGETHER)):
            records = self._look_up(some)
            for match in some:
                if group and group[0][0].factors.score - match.factors.score >= TIES:
                    yield from _newest_first(group)
                    group = []
                if (record := records.get((match.source, match.number))) is not None:
                    group.append((match, record))
        yield from _newest_first(group)

    def _look_up(self, matches: list[Match]) -> dict[tuple[int, int], MemoryRecord]:
        """The live record of each source and number. Raises: ``IndexDamaged``."""
        found: dict[tuple[int, int], MemoryRecord] = {}
        for at, (store, source) in enumerate(zip(self._stores, self._opened, strict=True)):
            numbers = [match.number for match in matches if match.source == at]
            if not numbers:
                continue
            ids = source.ids(numbers)
            if len(ids) < len(numbers):
                raise IndexDamaged("a document of the index has no record")
            records = store.get_many(list(ids.values()), lists=False)
            found.update(((at, n), records[memory_id]) for n, memory_id in ids.items() if memory_id in records)
        return found

    def _lacked(self, match: Match, record: MemoryRecord) -> str:
        """One sentence, or empty when the record may be shown; the first of several with the same text may."""
        if not match.accepted:
            return (
                f"It shares too little: {len(match.matched)} of {len(match.matched) + len(match.missing)} words, "
                f"relevance {match.relevance:.2f} of the {FLOOR:.2f} it needs."
            )
        if record.id in self._request.exclude_ids:
            return "It stands in the stable block already."
        if record.scope == "project" and not self._project_trusted:
            return "This project's memories are not trusted yet (/memory trust)."
        if text := same_text(record.content):
            if not self._texts:
                self._texts = self._texts_of_excluded()
            first = self._texts.setdefault(text, record.id)
            if first != record.id:
                self.repeated += 1
                return "Another record with the same text is shown."
        return ""

    def _texts_of_excluded(self) -> dict[str, str]:
        """What the stable block says already: text to the id of its record."""
        ids = list(self._request.exclude_ids)
        found = [store.get_many(ids, lists=False) for store in self._stores] if ids else []
        return {same_text(record.content): record.id for records in found for record in records.values()}

    def _candidate(self, match: Match, record: MemoryRecord) -> RecallCandidate:
        return RecallCandidate(
            memory_id=record.id,
            scope=record.scope,
            type=record.type,
            title=record.title,
            excerpt=self._excerpt(match, record.content),
            score=match.factors.score,
            reasons=reasons(match.factors),
            factors=match.factors,
            matched=match.matched,
            content=record.content,
        )

    def _excerpt(self, match: Match, content: str) -> str:
        if len(content) <= EXCERPT_MAX_CHARS:
            return content
        clues = [clue for clue in self._request.question.clues if clue.text in match.matched and not clue.hint]
        # Single characters of CJK words stand everywhere; they say where to look only when nothing else does.
        clues = [clue for clue in clues if clue.share == 1] or clues
        return excerpt(content, [[term for term, _ in clue.terms] for clue in clues])


def _newest_first(group: list[tuple[Match, MemoryRecord]]) -> list[tuple[Match, MemoryRecord]]:
    if len(group) < 2:
        return group
    by_id = sorted(group, key=lambda pair: pair[1].id)
    return sorted(by_id, key=lambda pair: pair[1].updated_at, reverse=True)


def reasons(factors: Factors) -> tuple[str, ...]:
    """The factors that matched, in the order of their weight; recency alone is no reason."""
    named = (("tag_match", factors.tag), ("title_jaccard", factors.title), ("keyword_hit", factors.keyword))
    return tuple(name for name, value in named if value > 0)


def _log() -> Logger:
    import logging  # not before there is something to tell: most programs that only recall do not load it

    return logging.getLogger(__name__)


def _one_line(exc: BaseException) -> str:
    return " ".join(f"{type(exc).__name__}: {exc}".split())[:200]
