"""Builders for the tests of the store: records, files as older versions left them, faults, and another user."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agentao.memory.models import MemoryRecord, MemoryReviewItem, SessionSummaryRecord
from agentao.memory.storage.times import to_stamp
from agentao.memory.store import SQLiteMemoryStore

LOADED_BEFORE_THE_USER_CHANGES = (ctypes, fcntl, tempfile)
"""Another user may not be able to read the interpreter's library."""

NOBODY = 65534
START = datetime(2026, 1, 1, tzinfo=UTC)

OLD_TABLES = """
CREATE TABLE schema_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO schema_meta VALUES ('version', '3');
CREATE TABLE memories (
    id TEXT PRIMARY KEY, scope TEXT NOT NULL, type TEXT NOT NULL, key_normalized TEXT NOT NULL, title TEXT NOT NULL,
    content TEXT NOT NULL, tags_json TEXT NOT NULL DEFAULT '[]', keywords_json TEXT NOT NULL DEFAULT '[]',
    source TEXT NOT NULL DEFAULT 'explicit', confidence TEXT NOT NULL DEFAULT 'explicit_user',
    sensitivity TEXT NOT NULL DEFAULT 'normal', created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT);
CREATE UNIQUE INDEX idx_memories_scope_key ON memories (scope, key_normalized) WHERE deleted_at IS NULL;
CREATE TABLE session_summaries (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, summary_text TEXT NOT NULL, tokens_before INTEGER NOT NULL DEFAULT 0,
    messages_summarized INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL);
CREATE TABLE memory_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT NOT NULL, event_type TEXT NOT NULL, timestamp TEXT NOT NULL,
    detail TEXT);
CREATE TABLE memory_review_queue (
    id TEXT PRIMARY KEY, scope TEXT NOT NULL, type TEXT NOT NULL, key_normalized TEXT NOT NULL, title TEXT NOT NULL,
    content TEXT NOT NULL, tags_json TEXT NOT NULL DEFAULT '[]', evidence TEXT NOT NULL DEFAULT '',
    source_session TEXT NOT NULL DEFAULT '', occurrences INTEGER NOT NULL DEFAULT 1,
    confidence TEXT NOT NULL DEFAULT 'auto_summary', status TEXT NOT NULL DEFAULT 'pending', created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL);
CREATE UNIQUE INDEX idx_review_scope_key ON memory_review_queue (scope, key_normalized) WHERE status = 'pending';
"""
"""The tables as Agentao 0.3 to 0.5 makes them."""

OLD_TIME = "2025-06-01T12:00:00"


def stamp(number: int) -> str:
    """The ``number``-th second of the tests' calendar, in the form of the store."""
    return to_stamp(START + timedelta(seconds=number))


def record(number: int, **changes: Any) -> MemoryRecord:
    """The ``number``-th record; ids and times grow with the number."""
    made = MemoryRecord(
        f"m{number:05d}", "project", "note", f"key_{number}", f"Key {number}", f"content of record {number}",
        ["alpha", f"tag{number % 3}"], ["content", "record"], created_at=stamp(number), updated_at=stamp(number),
    )  # fmt: skip
    return replace(made, **changes)


def summary(number: int, session: str = "s1") -> SessionSummaryRecord:
    """The ``number``-th summary."""
    return SessionSummaryRecord(f"sum{number:03d}", session, f"talk {number}", 100, 4, stamp(number))


def review(number: int, **changes: Any) -> MemoryReviewItem:
    """The ``number``-th pending item."""
    made = MemoryReviewItem(
        f"r{number:05d}", "project", "note", f"mined_{number}", f"Mined {number}", "prefers uv", ["tool"],
        "I prefer uv", "s1", 1, "auto_summary", "pending", stamp(number), stamp(number),
    )  # fmt: skip
    return replace(made, **changes)


def fill(path: Path, count: int) -> list[MemoryRecord]:
    """Make a store at ``path`` with ``count`` records, a summary and a review item."""
    records = [record(number) for number in range(count)]
    with SQLiteMemoryStore.open(path) as store:
        with store.transaction():
            for one in records:
                store.write(one, "create", session_id="s1")
        store.add_summary(summary(1))
        store.write_review(review(1))
    return records


def old_file(path: Path, count: int = 2) -> None:
    """A file as an older version leaves it, with ``count`` memories."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.executescript(OLD_TABLES)
        for number in range(count):
            old_save(conn, number)
        conn.execute("INSERT INTO session_summaries VALUES ('s', 'old', 'we talked', 10, 2, ?)", (OLD_TIME,))
        conn.commit()


def old_save(conn: sqlite3.Connection, number: int, **changes: str) -> None:
    """Save as an older version does: by column names, local time without a zone, an event of its own form."""
    values = {
        "id": f"old{number}", "scope": "project", "type": "note", "key_normalized": f"old_{number}",
        "title": f"Old {number}", "content": f"old content {number}", "tags_json": '["Old", "Größe"]',
        "keywords_json": "[]", "source": "explicit", "confidence": "explicit_user", "sensitivity": "normal",
        "created_at": OLD_TIME, "updated_at": OLD_TIME, **changes,
    }  # fmt: skip
    conn.execute(
        f"INSERT INTO memories ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", tuple(values.values())
    )
    conn.execute(
        "INSERT INTO memory_events (memory_id, event_type, timestamp, detail) VALUES (?, 'create', ?, 'saved')",
        (values["id"], OLD_TIME),
    )


def rows(path: Path, sql: str, *values: object) -> list[Any]:
    """What plain SQL reads in the file."""
    with contextlib.closing(sqlite3.connect(path)) as conn:
        return conn.execute(sql, values).fetchall()


def modes(folder: Path) -> dict[str, str]:
    """The mode of each file in ``folder``, in octal."""
    return {path.name: f"{path.stat().st_mode & 0o777:o}" for path in folder.iterdir()}


@contextlib.contextmanager
def as_other_user() -> Iterator[Path]:
    """A folder of a user whom the rights of files bind, and that user in force: root is bound by none."""
    root = os.geteuid() == 0
    with contextlib.ExitStack() as stack:
        if root:
            groups, group = os.getgroups(), os.getegid()
            os.setgroups([])
            stack.callback(os.setgroups, groups)
            os.setegid(NOBODY)
            stack.callback(os.setegid, group)
            os.seteuid(NOBODY)
            stack.callback(os.seteuid, 0)
        folder = Path(tempfile.mkdtemp(prefix="agentao-test-"))
        stack.callback(shutil.rmtree, folder)
        stack.callback(allow, folder)
        yield folder


def allow(folder: Path) -> None:
    """Give the owner all rights again, so that the folder can be removed."""
    folder.chmod(0o700)
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
