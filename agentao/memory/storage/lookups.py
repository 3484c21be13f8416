"""The side tables that answer by tag and by title, and how a store takes notice of what other programs wrote."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from agentao.memory.storage.rows import words_of
from agentao.memory.storage.times import as_stamp, is_stamp
from agentao.memory.text import compiled, fold

if TYPE_CHECKING:
    from agentao.memory.models import MemoryRecord

T = TypeVar("T")

_WORD = r"[^\W_]+"

PART_ROWS = 1_000
"""How many rows one step of a bulk write holds in memory, and how many are noted between two looks at the clock."""

_TIMED = {
    "summary": ("session_summaries", ("created_at",)),
    "review": ("memory_review_queue", ("created_at", "updated_at")),
    "event": ("memory_events", ("timestamp",)),
}
"""Kind of note -> table and its columns of time."""


def parts(items: Iterable[T]) -> Iterator[list[T]]:
    """``items`` in lists of at most ``PART_ROWS``."""
    rest = iter(items)
    while part := list(islice(rest, PART_ROWS)):
        yield part


def key_of(folded_title: str) -> str:
    """The key that a record with this title has unless the two were given apart."""
    return "_".join(compiled(_WORD).findall(folded_title))


def _odd_name(memory_id: str, title: str, key_normalized: str) -> list[tuple[str, str]]:
    """What ``memory_names`` holds: the title where it does not follow from the key, so that most saves write none."""
    folded = fold(title)
    return [] if key_of(folded) == key_normalized else [(memory_id, folded)]


def put(conn: sqlite3.Connection, records: Iterable[MemoryRecord]) -> None:
    """Set the look-ups of these records and clear their notes; a deleted record has none."""
    ids, tags, names = [], [], []
    for record in records:
        ids.append((record.id,))
        if record.deleted_at is None:
            names += _odd_name(record.id, record.title, record.key_normalized)
            tags += [(tag, record.id) for tag in {fold(tag) for tag in record.tags}]
    conn.executemany("DELETE FROM memory_tags WHERE memory_id = ?", ids)
    conn.executemany("DELETE FROM memory_names WHERE memory_id = ?", ids)
    if tags:
        conn.executemany("INSERT INTO memory_tags (tag, memory_id) VALUES (?, ?)", tags)
    if names:
        conn.executemany("INSERT INTO memory_names (memory_id, title) VALUES (?, ?)", names)
    conn.executemany("DELETE FROM memory_unseen WHERE kind = 'memory' AND id = ?", ids)


def unseen(conn: sqlite3.Connection, kind: str | None = None) -> bool:
    """Whether another program wrote something that nobody took notice of yet; ``kind="memory"``: a memory."""
    if kind is None:
        return conn.execute("SELECT 1 FROM memory_unseen LIMIT 1").fetchone() is not None
    return conn.execute("SELECT 1 FROM memory_unseen WHERE kind = ? LIMIT 1", (kind,)).fetchone() is not None


def catch_up(conn: sqlite3.Connection) -> int:
    """Take notice of a part of what other programs wrote: times in our form, look-ups. Returns how many rows.

    Memories come first. Runs inside the caller's transaction. The recall index looks after itself when it is asked.
    """
    rows = conn.execute(
        "SELECT u.id, m.title, m.tags_json, m.created_at, m.updated_at, m.deleted_at, m.id, m.key_normalized "
        "FROM memory_unseen AS u LEFT JOIN memories AS m ON m.id = u.id WHERE u.kind = 'memory' LIMIT ?",
        (PART_ROWS,),
    ).fetchall()
    _see_memories(conn, rows)
    seen = len(rows)
    for kind, (table, columns) in _TIMED.items():
        rows = conn.execute(
            f"SELECT u.id, {', '.join('t.' + column for column in columns)} FROM memory_unseen AS u "
            f"LEFT JOIN {table} AS t ON t.id = u.id WHERE u.kind = ? LIMIT ?",
            (kind, max(0, PART_ROWS - seen)),
        ).fetchall()
        conn.executemany(
            f"UPDATE {table} SET {', '.join(column + ' = ?' for column in columns)} WHERE id = ?",
            [(*map(as_stamp, row[1:]), row[0]) for row in rows],
        )
        conn.executemany("DELETE FROM memory_unseen WHERE kind = ? AND id = ?", [(kind, row[0]) for row in rows])
        seen += len(rows)
    return seen


def _see_memories(conn: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> None:
    conn.executemany(
        "UPDATE memories SET created_at = ?, updated_at = ?, deleted_at = ? WHERE id = ?",
        [
            (as_stamp(created), as_stamp(updated), None if deleted is None else as_stamp(deleted), key)
            for key, _, _, created, updated, deleted, present, _ in rows
            if present is not None
            and not (is_stamp(created) and is_stamp(updated) and (deleted is None or is_stamp(deleted)))
        ],
    )
    conn.executemany("DELETE FROM memory_tags WHERE memory_id = ?", [(row[0],) for row in rows])
    conn.executemany("DELETE FROM memory_names WHERE memory_id = ?", [(row[0],) for row in rows])
    live = [row for row in rows if row[6] is not None and row[5] is None]
    names = [name for row in live for name in _odd_name(row[0], str(row[1] or ""), str(row[7] or ""))]
    conn.executemany("INSERT INTO memory_names (memory_id, title) VALUES (?, ?)", names)
    conn.executemany(
        "INSERT INTO memory_tags (tag, memory_id) VALUES (?, ?)",
        [(tag, row[0]) for row in live for tag in {fold(tag) for tag in words_of(row[2])}],
    )
    conn.executemany("DELETE FROM memory_unseen WHERE kind = 'memory' AND id = ?", [(row[0],) for row in rows])
