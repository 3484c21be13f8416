"""``MemoryManager``: every use case over the two stores, behind one object.

The subjects have modules of their own (writing, review, history, transfer, trust, selection, sessions, clearing); what
stands here puts them together and answers in the words of the design document.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentao.errors import GuardError, StoreError
from agentao.memory import db, models
from agentao.memory.guard import MemoryGuard
from agentao.memory.models import RECENT_PROJECT_LIMIT, STABLE_BLOCK_MAX_CHARS, MemoryRecord
from agentao.memory.storage.recordview import merged
from agentao.memory.storage.times import utc_now
from agentao.memory.store import Order, SQLiteMemoryStore
from agentao.memory.usecases.notes import note_of
from agentao.memory.usecases.review import ReviewQueue
from agentao.memory.usecases.selection import StableSelection
from agentao.memory.usecases.sessions import SessionSummaries
from agentao.memory.usecases.stores import StoreSet
from agentao.memory.usecases.targets import Targets
from agentao.memory.usecases.tool_words import answer_of, reason_of, refusal_of, tags_argument, text_argument
from agentao.memory.usecases.trust import ProjectTrust
from agentao.memory.usecases.writing import Actor, MemoryWriter, oldest_first

if TYPE_CHECKING:
    from agentao.memory.crystallizer import MemoryCrystallizer
    from agentao.memory.models import (
        Clock,
        MemoryEvent,
        MemoryReviewItem,
        MemoryType,
        ReviewStatus,
        SaveMemoryRequest,
        SaveOutcome,
        Scope,
        SessionSummaryRecord,
        ToolAnswer,
    )
    from agentao.memory.renderer import MemoryPromptRenderer, StableBlockPlan
    from agentao.memory.usecases.clearing import Clearing
    from agentao.memory.usecases.history import History
    from agentao.memory.usecases.outcomes import (
        ClearOutcome,
        ClearPreview,
        ImportOutcome,
        MemoryStatus,
        PurgeOutcome,
        UndoOutcome,
        UndoPreview,
    )
    from agentao.memory.usecases.transfer import Transfer

OFF = "Memory is off (--no-memory or /memory off)"


class MemoryManager:
    """The memory of one run of the shell. Not for several threads at once; the stores behind it are.

    ``user_store=None``, or two stores of one file: that one store serves both scopes.
    """

    def __init__(
        self,
        project_store: SQLiteMemoryStore,
        user_store: SQLiteMemoryStore | None = None,
        *,
        guard: MemoryGuard | None = None,
        renderer: MemoryPromptRenderer | None = None,
        crystallizer: MemoryCrystallizer | None = None,
        clock: Clock = utc_now,
        session_id: str | None = None,
    ) -> None:
        self.enabled = True
        self.guard = guard or MemoryGuard()
        self._stores = StoreSet(project_store, user_store)
        self._writer = MemoryWriter(self._stores, self.guard, clock, session_id)
        self._trust = ProjectTrust(self._stores)
        self._writer.before_write = lambda store: self._trust.before_write(store, self._writer.now)
        self._writer.is_judged = self._trust.is_judged
        self._summaries = SessionSummaries(self._writer)
        self._targets = Targets(self._stores, self.guard)
        self._review = ReviewQueue(self._writer, self.search, crystallizer)
        self._selection = StableSelection(self._writer, renderer, self._trust, self._summaries)

    # What the start of the shell does not need is imported when it is asked for.

    @cached_property
    def _history(self) -> History:
        from agentao.memory.usecases.history import History

        return History(self._writer, self._targets, self._review)

    @cached_property
    def _clearing(self) -> Clearing:
        from agentao.memory.usecases.clearing import Clearing

        return Clearing(self._writer, self._review, self._summaries)

    @cached_property
    def _transfer(self) -> Transfer:
        from agentao.memory.usecases.transfer import Transfer

        return Transfer(self._writer)

    # -- the stores and the session --------------------------------------------------------------------------------

    @property
    def stores(self) -> tuple[SQLiteMemoryStore, ...]:
        """The project store first; one store when it serves both scopes."""
        return self._stores.all

    def store_for(self, scope: Scope) -> SQLiteMemoryStore:
        """The store that holds a scope."""
        return self._stores.of(scope)

    @property
    def session_id(self) -> str:
        """The id of the present session."""
        return self._writer.session_id

    @property
    def _session_id(self) -> str:
        return self._writer.session_id

    def new_session(self) -> str:
        """Begin a new session; the summaries so far then reach the prompt as a past session's."""
        self._review.new_session()
        return self._writer.new_session()

    @property
    def write_version(self) -> int:
        """Grows with every write of this manager."""
        return self._writer.version

    def state_token(self) -> Hashable:
        """Changes when the content of any store changed, whoever wrote; cheap enough for every turn."""
        return self._stores.state_token()

    @property
    def project_trusted(self) -> bool:
        """Whether the project's facts and summaries may stand in the prompt."""
        return self._trust.trusted

    def trust_project(self) -> None:
        """Accept the project's store, now and in later runs.

        Raises:
            StoreError: the home store could not remember it; for this run it is trusted all the same.
        """
        self._trust.trust(self._writer.now())

    def close(self) -> None:
        """Close the stores."""
        self._stores.close()

    # -- saving ----------------------------------------------------------------------------------------------------

    def save(self, request: SaveMemoryRequest, actor: Actor = "model") -> SaveOutcome:
        """Insert or update by scope and key, through the guard; the outcome's note says what else there is to know.

        Raises:
            GuardError: a part of it may not be stored; nothing was written.
            StoreError: nothing was written.
        """
        outcome = self._writer.save(self._writer.draft(request), actor)
        note = note_of(outcome, self._stores, self._selection, self.project_trusted, self.enabled)
        return models.SaveOutcome(outcome.record, outcome.change, outcome.before, outcome.persistent, note)

    def upsert(self, request: SaveMemoryRequest) -> MemoryRecord:
        """``save`` without the note."""
        return self._writer.save(self._writer.draft(request), "model").record

    @db.one_command()
    def answer_tool_call(self, key: object, value: object, tags: object = None) -> ToolAnswer:
        """One ``save_memory`` call, with arguments of any JSON type: saved, or the reason in words."""
        try:
            if not self.enabled:
                raise GuardError(f"{OFF}; tell the user, who can switch it on.")
            request = models.SaveMemoryRequest(
                text_argument("key", key), text_argument("value", value), tags_argument(tags, self.guard)
            )
            outcome = self.save(request, "model")
        except (GuardError, StoreError) as exc:
            return models.ToolAnswer(refusal_of(exc), None, error=True, reason=reason_of(exc))
        return models.ToolAnswer(answer_of(outcome), outcome)

    def save_from_tool(self, key: object, value: object, tags: object = None) -> str:
        """The tool's answer: what was saved, or why not."""
        return self.answer_tool_call(key, value, tags).text

    # -- looking ---------------------------------------------------------------------------------------------------

    def get_entry(self, memory_id: str) -> MemoryRecord | None:
        """The live record with this id."""
        return next((found for store in self.stores if (found := store.get(memory_id)) is not None), None)

    def resolve(self, target: str, deleted: bool = False) -> list[MemoryRecord]:
        """All with this title; if none, all with this key; if none, the one of this id or unique prefix of an id.

        Raises:
            NotFound: nothing is meant by it.
            UsageError: several ids begin so.
        """
        return self._targets.resolve(target, deleted)

    def get_all_entries(
        self,
        scope: Scope | None = None,
        *,
        types: Sequence[MemoryType] | None = None,
        order: Order = "created",
        newest: int | None = None,
    ) -> list[MemoryRecord]:
        """Live records of both scopes or of one, oldest first by ``order``; with ``newest`` the last so many only."""
        found = [
            record
            for store, part in self._stores.parts(scope)
            for record in store.records(part, types=types, order=order, newest_first=newest is not None, limit=newest)
        ]
        if order == "updated":
            found.sort(key=lambda record: (record.updated_at, record.id))
        else:
            found = oldest_first(found)
        return found if newest is None else found[max(0, len(found) - newest) :]

    def count(self, scope: Scope | None = None) -> int:
        """How many live records there are; cheap."""
        return sum(store.count(part) for store, part in self._stores.parts(scope))

    def search(self, query: str, scope: Scope | None = None, *, limit: int | None = None) -> Sequence[MemoryRecord]:
        """Records in which every term occurs in some field, best first."""
        from agentao.memory.recall import search

        return search.search(self.stores, query, scope, limit)

    def filter_by_tag(self, tag: str, scope: Scope | None = None) -> Sequence[MemoryRecord]:
        """Records with exactly this tag, in any case, oldest first."""
        wanted = tag.strip().lstrip("#＃").strip()
        return merged([store.filter_by_tag(wanted, part) for store, part in self._stores.parts(scope)])

    def tag_counts(self, scope: Scope | None = None) -> list[tuple[str, int]]:
        """Each tag with the number of its records, the most frequent first, then by tag."""
        counts: dict[str, int] = {}
        for store, part in self._stores.parts(scope):
            for tag, count in store.tag_counts(part):
                counts[tag] = counts.get(tag, 0) + count
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    def status(self) -> MemoryStatus:
        """Everything ``/memory status`` says about memory."""
        from agentao.memory.usecases.status import status_of

        return status_of(self, self._stores, self._selection, self._summaries)

    # -- deleting --------------------------------------------------------------------------------------------------

    def delete_by_title(self, title: str) -> int:
        """Softly delete all with this title, or, if none, with this key; returns how many."""
        return len(self._writer.delete_records(self._targets.named(title), "user"))

    def delete(self, memory_id: str) -> bool:
        """Softly delete the record with exactly this id; whether it was live."""
        record = self.get_entry(memory_id)
        return record is not None and bool(self._writer.delete_records([record], "user"))

    def delete_matching(self, target: str, actor: Actor = "user") -> list[MemoryRecord]:
        """Softly delete what ``resolve`` finds; returns what it was.

        Raises:
            NotFound: nothing is meant by it.
            UsageError: several ids begin so.
        """
        deleted = self._writer.delete_records(self._targets.resolve(target), actor)
        return deleted or self._targets.missing(target)

    def clear(self, scope: Scope | None = None) -> int:
        """Softly delete all memories of both scopes or of one; returns how many. Pending review items go with both.

        Raises:
            StoreError: says which part was cleared and which was not.
        """
        return self._clearing.count_memories(scope)

    def clear_everything(self) -> ClearOutcome:
        """``/memory clear``: memories, what waits for review, all session summaries; failures are in the outcome."""
        return self._clearing.everything()

    def clear_preview(self) -> ClearPreview:
        """What ``clear_everything`` would remove."""
        return self._clearing.preview()

    # -- the prompt ------------------------------------------------------------------------------------------------

    def get_stable_entries(self, recent_project_limit: int = RECENT_PROJECT_LIMIT) -> list[MemoryRecord]:
        """The records put up for the stable block, oldest first; of a very large store the newest 1,000 a rule."""
        return self._selection.entries(recent_project_limit) if self.enabled else []

    def stable_plan(self, budget: int = STABLE_BLOCK_MAX_CHARS) -> StableBlockPlan:
        """The stable block as it stands now, session part included; empty while memory is off."""
        from agentao.memory.renderer import StableBlockPlan

        return self._selection.plan(budget) if self.enabled else StableBlockPlan("")

    # -- session summaries -----------------------------------------------------------------------------------------

    def summary_generation(self) -> int:
        """Grows whenever the summaries are cleared; read it before a summary is made, give it to the save."""
        return self._summaries.generation()

    def save_session_summary(
        self, summary: str, tokens_before: int = 0, messages_summarized: int = 0, *, generation: int | None = None
    ) -> SessionSummaryRecord | None:
        """Store a summary of this session, secrets masked; ``None`` when they were all cleared since ``generation``.

        Raises:
            GuardError: it is empty.
            StoreError: nothing was written.
        """
        record = self._summaries.record(summary, tokens_before, messages_summarized)
        return record if self._summaries.save(record, generation) else None

    def get_recent_session_summaries(
        self, session_id: str | None = None, limit: int = 10
    ) -> list[SessionSummaryRecord]:
        """Newest first; ``None`` means this session."""
        return self._summaries.recent(session_id, limit)

    def clear_all_session_summaries(self) -> int:
        """Really remove the summaries of all sessions; returns how many."""
        return self._summaries.clear()

    def get_cross_session_tail(self) -> str:
        """The newest three summaries of other sessions, oldest first, cut to 800 characters as rendered."""
        return self._summaries.tail() if self.enabled and self.project_trusted else ""

    # -- mining and review -----------------------------------------------------------------------------------------

    @db.one_command()
    def crystallize_user_messages(self, messages: Iterable[Any]) -> list[MemoryReviewItem]:
        """Mine user messages (objects or dicts with role and content); returns the items that are new or strengthened.

        A message counts once in a session, however often it is given.
        """
        return self._review.mine(list(messages))

    def pass_over(self, messages: Iterable[Any]) -> None:
        """Never mine these: they were said while memory was off."""
        self._review.pass_over(messages)

    def list_review_items(self, status: ReviewStatus | None = "pending") -> list[MemoryReviewItem]:
        """Items of both scopes, oldest first: those that wait, or of another status; None: all."""
        return self._review.items(status)

    def approve_review_item(self, item_id: str, replace: bool = False) -> MemoryRecord:
        """Make the item a memory with ``source="crystallized"``.

        Raises:
            NotFound, UsageError: no or no single item has an id that begins so.
            GuardError: it was decided on already, or the guard refuses it.
            ReviewConflict: a live memory has this key and another value, and ``replace`` is False.
        """
        return self._review.approve(item_id, replace)

    def reject_review_item(self, item_id: str) -> MemoryReviewItem:
        """Keep the statement out for good.

        Raises:
            NotFound, UsageError: no or no single item has an id that begins so.
            GuardError: it was decided on already.
        """
        return self._review.reject(item_id)

    def pending_count(self) -> int:
        """How many items wait."""
        return len(self._review.items("pending"))

    # -- history ---------------------------------------------------------------------------------------------------

    def history(self, target: str | None = None, limit: int | None = 50) -> list[MemoryEvent]:
        """Events, newest first: all, or those of the records, live and deleted, that ``target`` names.

        Raises:
            NotFound: nothing is meant by it.
        """
        return self._history.events(target, limit)

    def restore(self, target: str) -> MemoryRecord:
        """Bring back the memory of this title, key or id that was deleted last.

        Raises:
            NotFound: none of the deleted ones is meant.
            GuardError: it is not deleted, or a live memory has its key by now.
        """
        return self._history.restore(target)

    def undo_preview(self, any_session: bool = False) -> UndoPreview:
        """What ``undo`` would take back and pass over, and what it would raise."""
        return self._history.undo_preview(any_session)

    def undo(self, any_session: bool = False) -> UndoOutcome:
        """Take back this session's last change, or (``any_session``) the stores' last; may be repeated.

        Raises:
            NotFound: there is nothing to take back.
            GuardError: there is, but all of it was changed again since; nothing was done.
        """
        return self._history.undo(any_session)

    def purge(self) -> PurgeOutcome:
        """Really remove deleted memories, their events and the free pages."""
        return self._history.purge()

    # -- moving ----------------------------------------------------------------------------------------------------

    def export_lines(self, scope: Scope | None = None) -> Iterator[str]:
        """One JSON object a live record, oldest first; the schema stands in ``transfer.py``."""
        return self._transfer.export_lines(scope)

    def import_lines(self, lines: Iterable[str], dry_run: bool = False) -> ImportOutcome:
        """Merge exported lines by scope and key; the newer wins. One undo takes all of it back."""
        return self._transfer.import_lines(lines, dry_run)

    def import_file(self, path: Path, dry_run: bool = False) -> ImportOutcome:
        """``import_lines`` from an export, or from a file that ``backup`` made.

        Raises:
            UsageError: the file cannot be read as either.
        """
        from agentao.memory.usecases.transfer import read_lines

        return self._transfer.import_lines(read_lines(path), dry_run)

    def backup(self, path: Path) -> Path:
        """A copy of both stores in one new SQLite file.

        Raises:
            UsageError: something is at ``path`` already.
            StoreError: it cannot be written.
        """
        return self._transfer.backup(Path(path))
