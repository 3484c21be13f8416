"""Looking back and going back: the audit log, restore, undo, and the one removal that is final."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import merge
from typing import Any

from agentao.errors import GuardError, NotFound
from agentao.memory.models import EventType, MemoryEvent, MemoryRecord, ReviewStatus, Scope
from agentao.memory.storage.rows import record_from_dict
from agentao.memory.store import SQLiteMemoryStore
from agentao.memory.usecases.outcomes import PurgeOutcome, UndoOutcome, UndoPreview, UndoStep
from agentao.memory.usecases.review import ReviewQueue, quote
from agentao.memory.usecases.targets import Targets
from agentao.memory.usecases.writing import MemoryWriter

_UNDOABLE = frozenset({"create", "update", "delete", "restore", "clear", "approve", "reject", "import"})
_REVIEW_STATUS: dict[str, ReviewStatus] = {"approve": "approved", "reject": "rejected"}
_FIRST_PAGE = 50
"""Events read at first when the last change is looked for; each further page is four times as large."""


@dataclass(frozen=True, slots=True)
class _Change:
    """One event that can be taken back. ``before`` is ``None`` where the record did not exist."""

    store: SQLiteMemoryStore
    event: MemoryEvent
    before: MemoryRecord | None
    after: MemoryRecord | None

    @property
    def order(self) -> tuple[str, int]:
        """Where it stands among the changes of both stores."""
        seq = self.event.detail.get("seq")
        return self.event.timestamp, seq if isinstance(seq, int) else 0


class History:
    """The audit log of both stores, and what can be done with it."""

    def __init__(self, writer: MemoryWriter, targets: Targets, review: ReviewQueue) -> None:
        self._writer = writer
        self._stores = writer.stores
        self._targets = targets
        self._review = review

    # -- looking back ----------------------------------------------------------------------------------------------

    def events(self, target: str | None, limit: int | None) -> list[MemoryEvent]:
        """Newest first: of all records, or of those, live and deleted, that ``target`` names.

        Raises:
            NotFound: nothing, live or deleted, has this title, key or id.
        """
        found: list[tuple[MemoryEvent, int]] = []
        if target is None:
            for store in self._stores.all:
                found += [(event, event.id) for event in store.events(limit=limit)]
        else:
            exact = [record for store in self._stores.all if (record := store.get(target, include_deleted=True))]
            for record in exact or self._targets.find(target, deleted=True) + self._targets.find(target):
                store = self._stores.of(record.scope)
                found += [(event, event.id) for event in store.events(memory_id=record.id, limit=limit)]
            if not found:
                self._targets.missing(target)
        found.sort(key=lambda pair: (pair[0].timestamp, _seq(pair[0]), pair[1]), reverse=True)
        return [event for event, _ in found][:limit]

    def restore(self, target: str) -> MemoryRecord:
        """Bring back the memory of this title, key or id that was deleted last.

        Raises:
            NotFound: none of the deleted ones is meant.
            GuardError: it is not deleted, or a live memory has its key by now.
        """
        deleted = self._targets.find(target, deleted=True)
        if not deleted:
            if live := self._targets.find(target):
                raise GuardError(f'"{live[0].title}" is not deleted; there is nothing to restore.')
            self._targets.missing(target, "deleted memory")
        record = max(deleted, key=lambda record: (record.deleted_at or "", record.id))
        store = self._stores.of(record.scope)
        with self._writer.transaction(store):
            current = store.get(record.id, include_deleted=True)
            if current is None or current.deleted_at is None:
                raise GuardError(f'"{record.title}" is not deleted any more; there is nothing to restore.')
            if rival := self._rival(store, current):
                raise GuardError(
                    f'"{record.title}" ({record.scope}) was saved anew: {quote(rival.content)}. Delete that first.'
                )
            restored = replace(current, deleted_at=None)
            self._writer.put(store, restored, "restore", before=current, actor="user")
        return restored

    # -- going back ------------------------------------------------------------------------------------------------

    def undo_preview(self, any_session: bool = False) -> UndoPreview:
        """What ``undo`` would take back: this session's last change; with ``any_session`` the stores' last.

        Raises:
            NotFound: there is nothing to take back.
            GuardError: there is, but all of it was changed again since.
        """
        changes, passed = self._last(any_session)
        event = changes[0].event
        return UndoPreview(
            event_type=event.event_type,
            timestamp=event.timestamp,
            actor=_text(event.detail.get("actor")),
            own_session=_text(event.detail.get("session_id")) == self._writer.session_id,
            steps=tuple(_step(change) for change in changes),
            passed=passed,
        )

    def undo(self, any_session: bool = False) -> UndoOutcome:
        """Take the last change back; called again, the one before it. What an undo did is no change of its own.

        A change that cannot be taken back any more, as somebody changed the memory since, is passed over.

        Raises:
            NotFound: there is nothing to take back.
            GuardError: there is, but all of it was changed again since; nothing was done.
        """
        changes, passed = self._last(any_session)
        event_type = changes[0].event.event_type
        steps: list[UndoStep] = []
        left: list[str] = []
        for store in self._stores.all:
            here = [change for change in changes if change.store is store]
            if not here:
                continue
            with self._writer.transaction(store):
                for change in here:
                    if problem := self._problem(change):
                        left.append(problem)
                    else:
                        self._take_back(change)
                        steps.append(_step(change))
        if left and not steps:
            raise GuardError(" ".join(left[:3]))
        return UndoOutcome(event_type, tuple(steps), (*passed, *left))

    def _last(self, any_session: bool) -> tuple[list[_Change], tuple[str, ...]]:
        """The last change in force that can be taken back, and why each newer one cannot."""
        session = None if any_session else self._writer.session_id
        passed: dict[str, None] = {}
        seen = set()
        changes = [self._changes(store, session) for store in self._stores.all]
        for change in merge(*changes, key=lambda change: change.order, reverse=True):
            batch = change.event.detail.get("batch") or (change.store, change.event.id)
            if batch not in seen:
                seen.add(batch)
                together = self._together(change)
                problems = [self._problem(one) for one in together]
                if not all(problems):
                    return together, tuple(passed)
                passed |= dict.fromkeys(problems)
        if passed:
            raise GuardError(" ".join([*passed][:3]))
        where = "No memory was changed" if any_session else "This session changed no memory"
        raise NotFound(f"{where} that could be taken back.")

    def _together(self, newest: _Change) -> list[_Change]:
        """The change with the others of the same command, newest first."""
        batch = newest.event.detail.get("batch")
        if not batch:
            return [newest]
        together: list[_Change] = []
        for store in self._stores.all:
            for change in self._changes(store, _text(newest.event.detail.get("session_id"))):
                if change.event.detail.get("batch") == batch:
                    together.append(change)
                elif change.order < newest.order:
                    break
        return together

    def _changes(self, store: SQLiteMemoryStore, session: str | None) -> Iterator[_Change]:
        """The changes of a session (or of all) that are still in force, newest first."""
        undone: set[int] = set()
        for event in _pages(store, session):
            detail = event.detail
            if isinstance(undoes := detail.get("undoes"), int):
                undone.add(undoes)
                continue
            if event.id in undone or event.event_type not in _UNDOABLE:
                continue
            if event.event_type != "reject" and not isinstance(detail.get("after"), dict):
                continue
            change = _Change(store, event, _record(detail.get("before")), _record(detail.get("after")))
            if not self._gone(change):
                yield change

    def _gone(self, change: _Change) -> bool:
        """Whether the state from before the change is back by other ways, or the record was purged."""
        if change.event.event_type == "reject":
            item_id = _text(change.event.detail.get("review_id"))
            return not any(item.id == item_id for item in change.store.review_items("rejected"))
        assert change.after is not None
        current = change.store.get(change.after.id, include_deleted=True)
        if current is None:
            return True
        if change.before is None:
            return current.deleted_at is not None
        return change.before != change.after and current == self._in_scope(change.before, current.scope)

    def _problem(self, change: _Change) -> str:
        """One sentence when the change cannot be taken back any more; else empty."""
        if change.event.event_type == "reject":
            detail = change.event.detail
            if self._review.may_reopen(change.store, _text(detail.get("review_id")), "rejected"):
                return ""
            return f'"{_text(detail.get("title"))}" stays rejected: another candidate waits under its key.'
        assert change.after is not None
        current = change.store.get(change.after.id, include_deleted=True)
        if current is None or current != self._in_scope(change.after, current.scope):
            return f'"{change.after.title}" was changed again since, so it stays as it is; /memory history shows how.'
        if change.before is not None and change.before.deleted_at is None and current.deleted_at is not None:
            rival = self._rival(change.store, current)
            if rival is not None:
                return f'"{current.title}" ({current.scope}) was saved anew since, so the deleted one stays deleted.'
        return ""

    def _take_back(self, change: _Change) -> None:
        event = change.event
        mark: dict[str, Any] = {"undoes": event.id}
        if status := _REVIEW_STATUS.get(event.event_type):
            self._review.reopen(change.store, _text(event.detail.get("review_id")), status)
        if change.after is None:
            self._writer.log(change.store, event.memory_id, "restore", "user", **mark)
            self._writer.version += 1
            return
        current = change.after
        if change.before is None:
            state, kind = replace(current, deleted_at=self._writer.now()), "delete"
        else:
            state = change.before
            kind = "update" if state.deleted_at == current.deleted_at else "delete" if state.deleted_at else "restore"
        event_type: EventType = kind  # type: ignore[assignment]
        self._writer.put(change.store, state, event_type, before=current, actor="user", extra=mark)

    def _rival(self, store: SQLiteMemoryStore, record: MemoryRecord) -> MemoryRecord | None:
        scope: Scope | None = record.scope if self._stores.shared else None
        return next((r for r in store.find_by_key(record.key_normalized, scope) if r.id != record.id), None)

    @staticmethod
    def _in_scope(record: MemoryRecord, scope: Scope) -> MemoryRecord:
        """The record as it reads in its file: the file decides the scope."""
        return replace(record, scope=scope)

    # -- the final removal -----------------------------------------------------------------------------------------

    def purge(self) -> PurgeOutcome:
        """Really remove deleted memories, their events and the free pages of the files.

        Raises:
            StoreError: a store could not be purged; one before it may have been.
        """
        counts: dict[Scope, int] = {"user": 0, "project": 0}
        freed = 0
        held = []
        for store in self._stores.all:
            for scope in self._stores.scopes(store):
                counts[scope] = len(store.records(scope if self._stores.shared else None, deleted=True))
            before = _size(store)
            if store.purge_deleted():
                self._writer.version += 1
            if not store.compact() and store.path:
                held.append(store.path)
            freed += max(0, before - _size(store))
        return PurgeOutcome(counts["user"], counts["project"], freed, tuple(held))


def _pages(store: SQLiteMemoryStore, session: str | None) -> Iterator[MemoryEvent]:
    """All events, newest first; most callers need only the first few."""
    done, size = 0, _FIRST_PAGE
    while True:
        events = store.events(session_id=session, limit=size)
        yield from events[done:]
        if len(events) < size:
            return
        done, size = len(events), size * 4


def _step(change: _Change) -> UndoStep:
    shown = change.after or change.before
    detail = change.event.detail
    return UndoStep(
        scope=shown.scope if shown else "user" if detail.get("scope") == "user" else "project",
        title=shown.title if shown else _text(detail.get("title")),
        event_type=change.event.event_type,
        before=change.after,
        after=change.before,
    )


def _record(data: object) -> MemoryRecord | None:
    return record_from_dict(data) if isinstance(data, dict) else None


def _seq(event: MemoryEvent) -> int:
    seq = event.detail.get("seq")
    return seq if isinstance(seq, int) else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _size(store: SQLiteMemoryStore) -> int:
    if store.path is None:
        return 0
    try:
        return store.path.stat().st_size
    except OSError:
        return 0
