"""``SQLiteMemoryStore``: the memories of one file. SQL and rows only; what may be saved is decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agentao.memory.recall import index
from agentao.memory.storage import lookups, opening
from agentao.memory.storage.ledger import Ledger
from agentao.memory.storage.rows import (
    MEMORY_COLUMNS,
    changed,
    detail_of,
    in_our_time,
    record_of,
    row_of,
    type_of,
)
from agentao.memory.storage.times import utc_now
from agentao.memory.text import fold, holds_surrogate

if TYPE_CHECKING:
    from agentao.memory.models import Clock, MemoryRecord, MemoryType, Scope

Order = Literal["created", "updated"]

_SELECT = "SELECT " + ", ".join(f"m.{name}" for name in MEMORY_COLUMNS) + " FROM memories AS m "
_SELECT_WITHOUT_LISTS = _SELECT.replace("m.tags_json", "'[]'").replace("m.keywords_json", "'[]'")
_INSERT = (
    f"INSERT INTO memories ({', '.join(MEMORY_COLUMNS)}) VALUES ({', '.join('?' * len(MEMORY_COLUMNS))}) "
    "ON CONFLICT (id) DO UPDATE SET "
)
_UPSERT = _INSERT + ", ".join(f"{name} = excluded.{name}" for name in MEMORY_COLUMNS[1:])
# A file that belongs to one scope keeps the column as whoever made the row wrote it.
_UPSERT_IN_SCOPE = _INSERT + ", ".join(f"{name} = excluded.{name}" for name in MEMORY_COLUMNS[2:])
_NONE = " AND m.scope IS NOT m.scope"
"""No row at all. A condition that is false for itself would keep SQLite from using the index that is asked for."""


class SQLiteMemoryStore(Ledger):
    """The memories, summaries, events and review items of one file.

    ``scope`` is the scope of every record where the file stands for one; None where one file serves both, then each
    row's own column decides. ``problem`` is one sentence when the file cannot be used as it should; ``persistent`` says
    whether writes reach the disk; ``notices`` tells what was set aside or carried over. Any thread may call.
    """

    @classmethod
    def open(
        cls, path: Path | str | None, *, clock: Clock = utc_now, scope: Scope | None = None, links: bool | None = None
    ) -> SQLiteMemoryStore:
        """Open or make the file at ``path``; ``None`` or ``":memory:"``: no file.

        ``links`` admits links that lead out of the project; by default only for the user's own store.

        Raises: the ``StoreError`` family when the file cannot be read and written.
        """
        place, links = _place(path), scope == "user" if links is None else links
        opened = opening.open_memory() if place is None else opening.open_file(place, links)
        return cls(opened, clock=clock, scope=scope, links=links)

    @classmethod
    def open_or_memory(
        cls,
        path: Path | str | None,
        *,
        clock: Clock = utc_now,
        scope: Scope | None = None,
        links: bool | None = None,
        must_last: bool = False,
    ) -> SQLiteMemoryStore:
        """As ``open``, but no file makes it fail: what can be read is read, and ``problem`` and ``notices`` tell.

        ``must_last``: where the file cannot be written, a write raises why instead of lasting for this run only.
        """
        place, links = _place(path), scope == "user" if links is None else links
        opened = opening.open_memory() if place is None else opening.open_or_memory(place, links)
        return cls(opened, clock=clock, scope=scope, links=links, forgiving=True, must_last=must_last)

    # -- reading ---------------------------------------------------------------

    def get(self, memory_id: str, include_deleted: bool = False) -> MemoryRecord | None:
        """The record with this id."""
        live = "" if include_deleted else " AND m.deleted_at IS NULL"
        found = self._records(_SELECT + "WHERE m.id = ?" + live, (memory_id,))
        return found[0] if found else None

    def by_ids(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        """The live records with these ids."""
        found: dict[str, MemoryRecord] = {}
        for part in lookups.parts(ids):
            marks = ", ".join("?" * len(part))
            for record in self._records(f"{_SELECT}WHERE m.id IN ({marks}) AND m.deleted_at IS NULL", part):
                found[record.id] = record
        return found

    def get_many(self, ids: Sequence[str], *, lists: bool = True) -> dict[str, MemoryRecord]:
        """The live records with these ids, by id; for as many ids as fit on a screen or in a prompt.

        ``lists=False`` leaves tags and keywords empty, which are half of the work.
        """
        marks = ", ".join("?" * len(ids))
        select = _SELECT if lists else _SELECT_WITHOUT_LISTS
        found = self._records(f"{select}WHERE m.id IN ({marks}) AND m.deleted_at IS NULL", list(ids))
        return {record.id: record for record in found}

    def find_by_key(self, key_normalized: str, scope: Scope | None = None) -> list[MemoryRecord]:
        """Live records with this key, oldest first."""
        where, values = self._scope_where(scope)
        # The unique index begins with the scope.
        where = where or " AND m.scope IN ('project', 'user')"
        return self._records(
            f"{_SELECT}WHERE m.deleted_at IS NULL AND m.key_normalized = ?{where} ORDER BY m.created_at, m.id",
            (key_normalized, *values),
        )

    def find_by_title(self, title: str, scope: Scope | None = None) -> list[MemoryRecord]:
        """Live records whose title equals ``title`` when both are folded, oldest first."""
        where, values = self._scope_where(scope)
        folded = fold(title)
        self.refresh(whole=True)
        found = self._records(
            f"{_SELECT}JOIN memory_names AS n ON n.memory_id = m.id WHERE n.title = ? AND m.deleted_at IS NULL{where}",
            (folded, *values),
        )
        ids = {record.id for record in found}
        found += [
            r for r in self.find_by_key(lookups.key_of(folded), scope) if fold(r.title) == folded and r.id not in ids
        ]
        if self.has_unseen():
            return self._with_unseen(found, scope, lambda record: fold(record.title) == folded)
        return sorted(found, key=lambda record: (record.created_at, record.id))

    def find_deleted(self, title: str, key_normalized: str, scope: Scope | None = None) -> list[MemoryRecord]:
        """Deleted records with this title (casefolded); if none, those with this key; by the time of deletion."""
        where, values = self._scope_where(scope)
        rows = self._rows(
            "SELECT m.id, m.title, m.key_normalized FROM memories AS m WHERE m.deleted_at IS NOT NULL" + where, values
        )
        folded = fold(title)
        ids = [key for key, named, _ in rows if folded and fold(str(named or "")) == folded]
        ids = ids or [key for key, _, keyed in rows if key_normalized and keyed == key_normalized]
        found = [record for key in ids if (record := self.get(key, include_deleted=True)) is not None]
        return sorted(found, key=lambda record: (record.deleted_at or "", record.id))

    def find_by_id_prefix(self, prefix: str, include_deleted: bool = False) -> list[MemoryRecord]:
        """Records whose id begins with ``prefix``, by id; none for an empty prefix."""
        if not prefix:
            return []
        live = "" if include_deleted else " AND m.deleted_at IS NULL"
        return self._records(
            f"{_SELECT}WHERE m.id >= ? AND m.id < ?{live} ORDER BY m.id", (prefix, prefix + "\U0010ffff")
        )

    def records(
        self,
        scope: Scope | None = None,
        *,
        types: Iterable[MemoryType] | None = None,
        order: Order = "created",
        newest_first: bool = False,
        limit: int | None = None,
        deleted: bool = False,
    ) -> list[MemoryRecord]:
        """Live records (or, with ``deleted``, the deleted ones, by the time of deletion); equal times by id."""
        where, values = self._filters(scope, types)
        column = "deleted_at" if deleted else f"{order}_at"
        way = " DESC" if newest_first else ""
        # In the order of this index, type and scope are looked at before a row is read.
        by = f"INDEXED BY memories_{order} " if limit is not None and not deleted else ""
        live = "NOT NULL" if deleted else "NULL"
        sql = f"{_SELECT}{by}WHERE m.deleted_at IS {live}{where} ORDER BY m.{column}{way}, m.id{way}"
        if limit is not None:
            sql += " LIMIT ?"
            values.append(max(0, limit))
        return self._records(sql, values)

    def titles(
        self, scope: Scope | None = None, *, types: Iterable[MemoryType] | None = None
    ) -> list[tuple[MemoryType, str, str]]:
        """Type, title and id of all live records, in no order; much less than the records."""
        where, values = self._filters(scope, types)
        # Most rows are read: as they lie in the file, not one by one in the order of an index.
        by = "" if types is not None else "NOT INDEXED "
        sql = f"SELECT m.type, m.title, m.id FROM memories AS m {by}WHERE m.deleted_at IS NULL{where}"
        rows = self._rows(sql, values)
        return [(type_of(kind), str(title or ""), str(memory_id)) for kind, title, memory_id in rows]

    def newest(
        self,
        scope: Scope | None = None,
        *,
        types: Iterable[MemoryType] | None = None,
        order: Order = "created",
        limit: int,
    ) -> list[MemoryRecord]:
        """As ``records(newest_first=True)``; rare types are found without passing over all that is newer."""
        kinds = sorted(set(types or ()))
        if not kinds or order != "created":
            return self.records(scope, types=types, order=order, newest_first=True, limit=limit)
        where, values = self._scope_where(scope)
        one = (
            "SELECT * FROM (SELECT m.id, m.created_at AS at FROM memories AS m INDEXED BY memories_type_created "
            f"WHERE m.deleted_at IS NULL AND m.type = ?{where} ORDER BY m.created_at DESC, m.id DESC LIMIT ?)"
        )
        chosen = f"SELECT id FROM ({' UNION ALL '.join([one] * len(kinds))}) ORDER BY at DESC, id DESC LIMIT ?"
        return self._records(
            f"{_SELECT}WHERE m.id IN ({chosen}) ORDER BY m.created_at DESC, m.id DESC",
            [value for kind in kinds for value in (kind, *values, limit)] + [limit],
        )

    def type_counts(self, scope: Scope | None = None) -> dict[MemoryType, int]:
        """How many live records there are of each type that occurs."""
        where, values = self._scope_where(scope)
        counts: dict[MemoryType, int] = {}
        for kind, count in self._rows(
            "SELECT m.type, count(*) FROM memories AS m INDEXED BY memories_type_created "
            f"WHERE m.deleted_at IS NULL{where} GROUP BY m.type",
            values,
        ):
            known = type_of(kind)
            counts[known] = counts.get(known, 0) + int(count)
        return counts

    def count(self, scope: Scope | None = None, *, types: Iterable[MemoryType] | None = None) -> int:
        """How many live records there are."""
        where, values = self._filters(scope, types)
        # This index holds what is asked for and answers without reading a row.
        sql = f"SELECT count(*) FROM memories AS m INDEXED BY memories_type_created WHERE m.deleted_at IS NULL{where}"
        return int(self._rows(sql, values)[0][0])

    def filter_by_tag(self, tag: str, scope: Scope | None = None) -> Sequence[MemoryRecord]:
        """Live records with exactly this tag, whatever the case of either; oldest first."""
        from agentao.memory.storage.recordview import EAGER_MAX, RecordView

        where, values = self._scope_where(scope)
        folded = fold(tag)
        if holds_surrogate(folded):
            return []
        self.refresh(whole=True)
        tagged = f"FROM memory_tags AS t JOIN memories AS m ON m.id = t.memory_id WHERE t.tag = ?{where}"
        keys = self._rows(f"SELECT m.created_at, m.id, 0 {tagged} AND m.deleted_at IS NULL", (folded, *values))
        keys.sort()
        unseen = self.has_unseen()
        if len(keys) > EAGER_MAX and not unseen:
            return RecordView(keys, [self])
        records = self.by_ids([key for _, key, _ in keys])
        found = [records[key] for _, key, _ in keys if key in records]
        return self._with_unseen(found, scope, lambda record: folded in map(fold, record.tags)) if unseen else found

    def tag_counts(self, scope: Scope | None = None) -> list[tuple[str, int]]:
        """Each tag, casefolded, with its number of live records; the most frequent first, then by tag."""
        where, values = self._scope_where(scope)
        self.refresh(whole=True)
        if where or self.has_unseen():
            counts: dict[str, int] = {}
            for record in self.records(scope):
                for folded in {fold(tag) for tag in record.tags}:
                    counts[folded] = counts.get(folded, 0) + 1
            return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        rows = self._rows("SELECT tag, count(*) AS n FROM memory_tags GROUP BY tag ORDER BY n DESC, tag", values)
        return [(str(tag), int(n)) for tag, n in rows]

    # -- writing ---------------------------------------------------------------

    def write(
        self,
        record: MemoryRecord,
        event_type: str,
        *,
        before: MemoryRecord | None = None,
        actor: str = "model",
        session_id: str = "",
        extra: dict[str, Any] | None = None,
        joined: bool = False,
    ) -> None:
        """Insert ``record``, or replace the one with its id, together with its event and its index entries.

        ``extra`` stands in the event's detail beside ``actor``, ``session_id``, ``before`` and ``after``. ``joined``:
        inside a transaction, an error undoes all of it, which spares a savepoint.
        """
        record = in_our_time(record)
        with self._joined() if joined else self.transaction():
            row = self._put_row(record)
            self._derive([record])
            self._add_event(record.id, event_type, detail_of(before, row, actor, session_id, extra), session_id)

    def upsert_many(self, records: Iterable[MemoryRecord]) -> int:
        """Write all ``records`` in one transaction with an ``import`` event each; returns how many.

        A record replaces the one with its id, else the live one of its scope and key, which keeps its id and age.
        """
        done = 0
        with self.transaction():
            for part in lookups.parts(records):
                written = {}
                for given in part:
                    record, before = self._settle(in_our_time(given))
                    row = self._put_row(record)
                    self._add_event(record.id, "import", detail_of(before, row, "import", ""), None)
                    written[record.id] = record
                self._derive(written.values())
                done += len(part)
        return done

    # -- inside ----------------------------------------------------------------

    def _settle(self, given: MemoryRecord) -> tuple[MemoryRecord, MemoryRecord | None]:
        before = self.get(given.id, include_deleted=True)
        if before is None and given.deleted_at is None:
            same_key = self.find_by_key(given.key_normalized, given.scope)
            if same_key:
                before = same_key[0]
                return changed(given, id=before.id, created_at=before.created_at), before
        return given, before

    def _put_row(self, record: MemoryRecord) -> Sequence[str | None]:
        """Returns the row."""
        row = row_of(record)
        if self.scope is None:
            self._conn.execute(_UPSERT, row)
        else:
            self._conn.execute(_UPSERT_IN_SCOPE, (row[0], self.scope, *row[2:]))
        return row

    def _derive(self, records: Iterable[MemoryRecord]) -> None:
        """What follows from the rows: look-ups and the recall index."""
        records = list(records)
        lookups.put(self._conn, records)
        with index.spared(self._conn):
            index.put(self._conn, [record for record in records if record.deleted_at is None])
            index.remove(self._conn, [record.id for record in records if record.deleted_at is not None])

    def _records(self, sql: str, values: Sequence[Any] = ()) -> list[MemoryRecord]:
        scope = self.scope
        return [record_of(row, scope) for row in self._rows(sql, values)]

    def _with_unseen(
        self, found: list[MemoryRecord], scope: Scope | None, matches: Callable[[MemoryRecord], bool]
    ) -> list[MemoryRecord]:
        """``found`` through the look-ups, corrected by rows that another program wrote and nobody could note yet."""
        where, values = self._scope_where(scope)
        unseen = self._records(
            f"{_SELECT}JOIN memory_unseen AS u ON u.kind = 'memory' AND u.id = m.id WHERE m.deleted_at IS NULL{where}",
            values,
        )
        ids = {record.id for record in unseen}
        kept = [record for record in found if record.id not in ids] + [record for record in unseen if matches(record)]
        return sorted(kept, key=lambda record: (record.created_at, record.id))

    def _scope_where(self, scope: Scope | None) -> tuple[str, list[Any]]:
        """Nothing where the file decides the scope: then all its rows are of it (or none is wanted)."""
        if scope is None or scope == self.scope:
            return "", []
        if self.scope is not None:
            return _NONE, []
        return " AND m.scope = ?", [scope]

    def _filters(self, scope: Scope | None, types: Iterable[MemoryType] | None) -> tuple[str, list[Any]]:
        where, values = self._scope_where(scope)
        if types is not None:
            names = sorted(set(types))
            where += f" AND m.type IN ({', '.join('?' * len(names))})" if names else _NONE
            values += names
        return where, values


def _place(path: Path | str | None) -> Path | None:
    return None if path is None or str(path) == ":memory:" else Path(path)
