"""Damaged files: set aside, never overwritten; whatever can be read from them is carried into a new file.

Three sources, the better one first: the tables as SQLite reads them; the leaf pages read one by one where its tree is
broken; the newest event of a memory whose own row is gone (events hold the row as it was written).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentao.memory import db, migrations
from agentao.memory.models import MEMORY_TYPES, SCOPES
from agentao.memory.storage import files, lookups, pages
from agentao.memory.storage.rows import (
    EVENT_COLUMNS,
    MEMORY_COLUMNS,
    REVIEW_COLUMNS,
    SUMMARY_COLUMNS,
    record_from_dict,
    row_of,
)
from agentao.memory.storage.times import EPOCH, as_stamp

META_COLUMNS = ("key", "value")
COLUMNS: dict[str, tuple[str, ...]] = {
    "schema_meta": META_COLUMNS,
    "memory_events": EVENT_COLUMNS,
    "memories": MEMORY_COLUMNS,
    "session_summaries": SUMMARY_COLUMNS,
    "memory_review_queue": REVIEW_COLUMNS,
}
_TIME_OF = {
    "memories": "created_at",
    "session_summaries": "created_at",
    "memory_events": "timestamp",
    "memory_review_queue": "created_at",
}

_WORDS = (
    ("memories", "memory", "memories"),
    ("session_summaries", "session summary", "session summaries"),
    ("memory_review_queue", "review item", "review items"),
    ("memory_events", "event", "events"),
)

_META_KEYS = ("store_id", "trusted_store:", "summaries_generation")
"""By these a row of ``schema_meta`` is known when its table is gone."""

Row = tuple[Any, ...]


class Carried:
    """How many rows of each table were carried over, and the ids that were seen but could not be read."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(COLUMNS, 0)
        self.lost: set[str] = set()

    def words(self) -> str:
        """``41 memories and 3 session summaries were carried over; 2 memories could not be read``."""
        kept = [f"{n} {one if n == 1 else many}" for table, one, many in _WORDS if (n := self.counts[table])]
        text = f"{', '.join(kept)} carried over" if kept else "nothing could be read from it"
        if self.lost:
            text += f", {len(self.lost)} {'memory' if len(self.lost) == 1 else 'memories'} could not be read"
        return text


def replace(path: Path, real: Path, seen: tuple[int, int] | None) -> str:
    """Set the damaged file aside and put a new one in its place; returns what to tell the user.

    An empty text: another process has done it already. Raises: ``StoreError`` or ``OSError``; then nothing was moved.
    """
    folder = real.parent
    with files.folder_lock(folder):
        if seen is None or files.identity(real) != seen:
            return ""
        for left_over in folder.glob("recovering-*"):
            shutil.rmtree(left_over, ignore_errors=True)
        work = Path(tempfile.mkdtemp(prefix="recovering-", dir=folder))
        try:
            # An attempt that was cut short has given the file its second name already, and moved its log there.
            before = [name for name in folder.glob(f"{real.name}.damaged-*") if files.identity(name) == seen]
            aside = before[0] if before else _free_name(real)
            copy = files.copy_with_log(aside if before and not files.has_log(real) else real, work / "copy.db")
            new = work / "new.db"
            files.make_file(new)
            with db.translate(new), contextlib.closing(db.connect(str(new))) as target:
                migrations.migrate(target)
                carried = salvage(copy, target)
            if not before:
                try:
                    os.link(real, aside)
                except OSError:
                    real.rename(aside)
            for suffix in files.SIDE_FILES:
                with contextlib.suppress(FileNotFoundError):
                    files.side(real, suffix).rename(files.side(aside, suffix))
            # With the link, at no moment is there no file under the name.
            new.replace(real)
            files.sync_folder(folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return f"{path} was damaged: it is kept as {aside.name}; {carried.words()}."


def _free_name(real: Path) -> Path:
    stem = f"{real.name}.damaged-{datetime.now(UTC).strftime('%Y%m%dT%H%M%SZ')}"
    name, number = real.with_name(stem), 1
    while name.exists():
        number += 1
        name = real.with_name(f"{stem}-{number}")
    return name


def read_into(target: sqlite3.Connection, path: Path) -> str:
    """Carry what can be read into ``target`` and leave the file as it is; returns what to tell the user."""
    with tempfile.TemporaryDirectory(prefix="agentao-") as work, db.translate(path):
        carried = salvage(files.copy_with_log(path.resolve(), Path(work) / "copy.db"), target)
    return f"{path} is damaged and left as it is; {carried.words()}."


def salvage(copy: Path, target: sqlite3.Connection) -> Carried:
    """Carry what can be read in ``copy``, which is changed by that, into the empty store ``target``."""
    if files.is_torn(copy) or not _opens(copy):
        pages.mend_header(copy)
    with contextlib.closing(db.connect(str(copy))) as source:
        # A schema that is broken in part counts as read.
        source.execute("PRAGMA writable_schema=ON")
        with contextlib.suppress(sqlite3.Error):
            # The log belongs to what is read page by page.
            source.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return carry(source, target, copy)


def _opens(copy: Path) -> bool:
    try:
        with contextlib.closing(db.connect(str(copy))) as conn:
            names = {row[0] for row in conn.execute("SELECT name FROM sqlite_master")}
            return bool(names)
    except sqlite3.Error:
        return False


def carry(source: sqlite3.Connection, target: sqlite3.Connection, file: Path | None = None) -> Carried:
    """Carry all rows by the names of their columns; with ``file``, its pages are read where the tables are broken."""
    source.text_factory = lambda data: data.decode("utf-8", "replace")
    carried = Carried()
    with db.transaction(target):
        whole = True
        for table in COLUMNS:
            rows = Rows(source, table)
            for row in rows:
                _insert(target, table, row, carried)
            whole = whole and rows.whole
        if file is not None and not whole:
            for table, row in _from_pages(file):
                _insert(target, table, row, carried)
        if file is not None:
            _from_events(target, carried)
        carried.counts["memories"] = target.execute(
            "SELECT count(*) FROM memories WHERE deleted_at IS NULL"
        ).fetchone()[0]
        while lookups.catch_up(target):
            pass
    return carried


class Rows:
    """The rows of one table, forwards and, where that ends in a fault, backwards; ``whole`` when there was none."""

    def __init__(self, source: sqlite3.Connection, table: str) -> None:
        self._source, self._table = source, table
        self.whole = True

    def __iter__(self) -> Iterator[Row]:
        wanted = COLUMNS[self._table]
        try:
            present = {row[1] for row in self._source.execute(f"PRAGMA table_info({self._table})")}
        except sqlite3.Error:
            present = set()
        if wanted[0] not in present:
            self.whole = False
            return
        chosen = ", ".join(name if name in present else "NULL" for name in wanted)
        for order in ("", " ORDER BY rowid DESC"):
            try:
                yield from self._source.execute(f"SELECT {chosen} FROM {self._table} NOT INDEXED{order}")
            except sqlite3.Error:
                self.whole = False
            else:
                return


def _from_pages(file: Path) -> Iterator[tuple[str, Row]]:
    """Rows of our tables, known by their shape. Of two versions of a row the newer one comes first."""
    found: dict[tuple[str, Any], Row] = {}
    for row_id, values in pages.leaf_rows(file):
        table = _table_of(values)
        if table is None:
            continue
        row = (row_id, *values[1:]) if table == "memory_events" else tuple(values)
        other = found.get((table, row[0]))
        if other is None or str(row[-2]) > str(other[-2]):
            found[table, row[0]] = row
    for (table, _), row in found.items():
        yield table, row


def _table_of(values: list[pages.Value]) -> str | None:
    if len(values) == 14 and values[1] in SCOPES and values[2] in MEMORY_TYPES:
        return "memory_review_queue" if isinstance(values[9], int) else "memories"
    if len(values) == 6 and isinstance(values[3], int) and isinstance(values[4], int):
        return "session_summaries"
    if len(values) == 5 and values[0] is None and isinstance(values[2], str):
        return "memory_events"
    if len(values) == 2 and str(values[0]).startswith(_META_KEYS):
        return "schema_meta"
    return None


def _insert(target: sqlite3.Connection, table: str, row: Row, carried: Carried) -> None:
    columns = COLUMNS[table]
    if row[0] is None or (table == "schema_meta" and row[0] == "version"):
        return
    time = row[columns.index(_TIME_OF[table])] if table in _TIME_OF else None
    text = [value for value in row if isinstance(value, str)]
    if (table in _TIME_OF and as_stamp(time) == EPOCH and time != EPOCH) or any("\x00" in value for value in text):
        if table == "memories":
            carried.lost.add(str(row[0]))
        return
    verb = "INSERT OR REPLACE" if table == "schema_meta" else "INSERT OR IGNORE"
    done = target.execute(f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", row)
    carried.counts[table] += done.rowcount


def _from_events(target: sqlite3.Connection, carried: Carried) -> None:
    """Make again what stands in the newest event of a memory whose row is gone."""
    newest = target.execute(
        "SELECT memory_id, detail FROM memory_events "
        "WHERE id IN (SELECT max(id) FROM memory_events GROUP BY memory_id) "
        "AND memory_id IS NOT NULL AND memory_id NOT IN (SELECT id FROM memories) "
        "AND event_type IN ('create', 'update', 'delete', 'restore', 'clear', 'approve', 'import')"
    ).fetchall()
    for memory_id, detail in newest:
        try:
            record = record_from_dict(json.loads(detail)["after"])
            if record.id != memory_id or not record.key_normalized:
                raise ValueError(memory_id)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            carried.lost.add(str(memory_id))
            continue
        _insert(target, "memories", row_of(record), carried)
        carried.lost.discard(str(memory_id))
    session_of = [
        (session, event_id)
        for event_id, detail in target.execute("SELECT id, detail FROM memory_events")
        if (session := _session_of(detail))
    ]
    target.executemany("INSERT OR IGNORE INTO event_sessions VALUES (?, ?)", session_of)


def _session_of(detail: object) -> str:
    try:
        return str(json.loads(str(detail)).get("session_id") or "")
    except (ValueError, AttributeError, RecursionError):
        return ""
