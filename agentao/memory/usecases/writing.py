"""The one write path: whatever asks for a save or a delete, the same guard, rows and audit events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from agentao.memory import models
from agentao.memory.guard import MemoryGuard
from agentao.memory.models import Confidence, MemoryRecord, Source
from agentao.memory.storage.ids import RecordIds, new_session_id, random_id
from agentao.memory.storage.times import to_stamp
from agentao.memory.store import SQLiteMemoryStore
from agentao.memory.usecases.stores import StoreSet

if TYPE_CHECKING:
    from agentao.memory.models import Clock, EventType, MemoryType, SaveMemoryRequest, SaveOutcome, Scope

Actor = Literal["model", "user", "review", "import"]
Change = Literal["new", "changed", "unchanged"]

CONFIDENCE_OF: dict[Source, Confidence] = {
    "explicit": "explicit_user",
    "auto": "auto_summary",
    "crystallized": "inferred",
}

_TARGET_ATTEMPTS = 3
"""How often the scope is looked up again when another process moves the key between the two stores meanwhile."""


class Draft(NamedTuple):
    """A request that has passed the guard. ``tags``, ``scope`` and ``type`` are ``None`` where they were left open.

    ``rule_scope`` is the scope by the rule, for when nothing else decides.
    """

    key: str
    title: str
    content: str
    tags: list[str] | None
    scope: Scope | None
    rule_scope: Scope
    type: MemoryType | None
    source: Source
    confidence: Confidence


class MemoryWriter:
    """Writes records with their events, and knows the session in which it does so."""

    def __init__(self, stores: StoreSet, guard: MemoryGuard, clock: Clock, session_id: str | None) -> None:
        self.stores = stores
        self.guard = guard
        self.session_id = session_id or new_session_id(clock)
        self.version = 0
        self.before_write: Callable[[SQLiteMemoryStore], None] = lambda store: None
        self.is_judged: Callable[[SQLiteMemoryStore], bool] = lambda store: True
        self.new_id = RecordIds(clock)
        self._clock = clock

    # -- rows and events -------------------------------------------------------------------------------------------

    def now(self) -> str:
        """The present time as it stands in a store."""
        return to_stamp(self._clock())

    def new_session(self) -> str:
        """Begin a new session."""
        self.session_id = new_session_id(self._clock)
        return self.session_id

    @contextmanager
    def transaction(self, store: SQLiteMemoryStore) -> Iterator[None]:
        """A write transaction of one store; everything that was read before it may have changed."""
        for again in (False, True):
            self.before_write(store)
            with store.transaction():
                # A transaction looks whether the file is still the same.
                if again or self.is_judged(store):
                    yield
                    return

    def put(
        self,
        store: SQLiteMemoryStore,
        record: MemoryRecord,
        event_type: EventType,
        *,
        before: MemoryRecord | None,
        actor: Actor,
        extra: dict[str, Any] | None = None,
    ) -> None:
        """One row and its event. ``extra`` goes into the event's detail beside actor, session, before and after."""
        store.write(
            record,
            event_type,
            before=before,
            actor=actor,
            session_id=self.session_id,
            extra=self._ordered(extra),
            joined=True,
        )
        self.version += 1

    def log(self, store: SQLiteMemoryStore, memory_id: str, event_type: EventType, actor: Actor, **extra: Any) -> None:
        """An event without a change of a row."""
        detail = {"actor": actor, "session_id": self.session_id, **self._ordered(extra)}
        store.log_event(memory_id, event_type, detail)

    def _ordered(self, extra: dict[str, Any] | None) -> dict[str, Any]:
        # Events of two stores are told apart by this number where their times are equal.
        return {"seq": self.version, **(extra or {})}

    # -- saving ----------------------------------------------------------------------------------------------------

    def draft(self, request: SaveMemoryRequest) -> Draft:
        """The request after the guard.

        Raises:
            GuardError: a part of it may not be stored.
        """
        guard = self.guard
        tags = request.tags
        guard.check_record(request.key, request.value, [tags] if isinstance(tags, str) else list(tags or ()))
        clean = None if tags is None else guard.validate_tags(tags)
        if request.type is not None:
            guard.classify_type(request.key, clean, request.type)
        key = guard.validate_key(request.key)
        return Draft(
            key=key,
            title=guard.validate_title(request.key),
            content=guard.validate_content(request.value),
            tags=clean,
            scope=request.scope,
            rule_scope=guard.classify_scope(key, clean, request.scope),
            type=request.type,
            source=request.source,
            confidence=request.confidence or CONFIDENCE_OF[request.source],
        )

    def save(
        self,
        draft: Draft,
        actor: Actor,
        event_type: EventType | None = None,
        extra: dict[str, Any] | None = None,
    ) -> SaveOutcome:
        """Insert or update the one live record of this scope and key.

        Raises:
            StoreError: nothing was written.
        """
        scope = self._target(draft)
        for _ in range(_TARGET_ATTEMPTS):
            with self.transaction(self.stores.of(scope)):
                again = self._target(draft)
                if again == scope:
                    return self._save_in(scope, draft, actor, event_type, extra)
                scope = again
        with self.transaction(self.stores.of(scope)):
            return self._save_in(scope, draft, actor, event_type, extra)

    def _target(self, draft: Draft) -> Scope:
        """The scope to write to: the given one; without tags that of the key's one live record; else the rule's."""
        if draft.scope is not None:
            return draft.scope
        if draft.tags is None:
            parts = self.stores.parts()
            scopes = {record.scope for store, part in parts for record in store.find_by_key(draft.key, part)}
            if len(scopes) == 1:
                return scopes.pop()
        return draft.rule_scope

    def _save_in(
        self, scope: Scope, draft: Draft, actor: Actor, event_type: EventType | None, extra: dict[str, Any] | None
    ) -> SaveOutcome:
        store = self.stores.of(scope)
        before = self._single(store, scope, draft.key, actor)
        record = self._record(scope, draft, before)
        if before is not None and event_type is None and _says_the_same(before, record):
            self.log(store, before.id, "unchanged", actor)
            return models.SaveOutcome(before, "unchanged", before, store.persistent)
        change: Change = "new" if before is None else "changed"
        fallback: EventType = "create" if before is None else "update"
        self.put(store, record, event_type or fallback, before=before, actor=actor, extra=extra)
        return models.SaveOutcome(record, change, before, store.persistent)

    def _record(self, scope: Scope, draft: Draft, before: MemoryRecord | None) -> MemoryRecord:
        guard = self.guard
        if draft.tags is None and before is not None:
            tags, kind = before.tags, draft.type or before.type
        else:
            tags = draft.tags or []
            kind = guard.classify_type(draft.key, tags, draft.type)
        now = self.now()
        return MemoryRecord(
            id=self.new_id() if before is None else before.id,
            scope=scope,
            type=kind,
            key_normalized=draft.key,
            title=draft.title,
            content=draft.content,
            tags=list(tags),
            keywords=guard.extract_keywords(draft.title, tags, draft.content),
            source=draft.source,
            confidence=draft.confidence,
            sensitivity="normal" if before is None else before.sensitivity,
            created_at=now if before is None else before.created_at,
            updated_at=now,
        )

    def _single(self, store: SQLiteMemoryStore, scope: Scope, key: str, actor: Actor) -> MemoryRecord | None:
        """The live record of a key. Where a foreign program left several in one file: the newest; the others go."""
        live = sorted(store.find_by_key(key, scope), key=lambda record: (record.updated_at, record.id))
        for record in live[:-1]:
            self.put(store, replace(record, deleted_at=self.now()), "delete", before=record, actor=actor)
        return live[-1] if live else None

    # -- deleting --------------------------------------------------------------------------------------------------

    def delete(
        self,
        store: SQLiteMemoryStore,
        ids: Iterable[str],
        actor: Actor,
        event_type: EventType = "delete",
        extra: dict[str, Any] | None = None,
    ) -> list[MemoryRecord]:
        """Softly delete those of the ids that are live, in one transaction; returns what they were."""
        deleted = []
        with self.transaction(store):
            now = self.now()
            for memory_id in ids:
                record = store.get(memory_id)
                if record is not None:
                    self.put(
                        store, replace(record, deleted_at=now), event_type, before=record, actor=actor, extra=extra
                    )
                    deleted.append(record)
        return deleted

    def delete_records(self, records: Sequence[MemoryRecord], actor: Actor) -> list[MemoryRecord]:
        """Softly delete these, in both stores, as one command; returns those that were still live."""
        extra = {"batch": new_batch()} if len(records) > 1 else None
        deleted = []
        for store in self.stores.all:
            ids = [record.id for record in records if self.stores.of(record.scope) is store]
            if ids:
                deleted += self.delete(store, ids, actor, extra=extra)
        return deleted


def new_batch() -> str:
    """A mark for the events of one command, so that one undo takes them back together."""
    return random_id()


def oldest_first(records: Sequence[MemoryRecord]) -> list[MemoryRecord]:
    """By creation, oldest first; ids settle ties."""
    return sorted(records, key=lambda record: (record.created_at, record.id))


def _says_the_same(before: MemoryRecord, after: MemoryRecord) -> bool:
    """Whether a save would bring nothing new; another spelling of the key alone is nothing new."""
    return (before.content, before.tags, before.type, before.source, before.confidence) == (
        after.content,
        after.tags,
        after.type,
        after.source,
        after.confidence,
    )
