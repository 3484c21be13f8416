"""The recall index keeps step with the records, whoever writes them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from agentao.memory.models import MemoryRecord
from agentao.memory.recall import index

MEMORIES = (
    "CREATE TABLE memories (id TEXT PRIMARY KEY, scope TEXT, type TEXT, key_normalized TEXT, title TEXT, content TEXT,"
    " tags_json TEXT, keywords_json TEXT, source TEXT, confidence TEXT, sensitivity TEXT, created_at TEXT,"
    " updated_at TEXT, deleted_at TEXT)"
)


@pytest.fixture
def conn() -> Iterator[sqlite3.Connection]:
    """A database with the documented ``memories`` table and the index."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    conn.execute(MEMORIES)
    index.create(conn)
    yield conn
    conn.close()


def indexed(conn: sqlite3.Connection) -> set[str]:
    return {row[0] for row in conn.execute("SELECT id FROM recall_docs")}


def insert(
    conn: sqlite3.Connection, memory_id: str, content: str = "uses uv", tags: str | None = '["tooling"]'
) -> None:
    """What an older program does: plain SQL that names the columns."""
    conn.execute(
        "INSERT INTO memories (id, scope, type, key_normalized, title, content, tags_json, updated_at)"
        " VALUES (?, 'project', 'note', 'k', 'K', ?, ?, '2026-01-02T03:04:05')",
        (memory_id, content, tags),
    )


def test_rows_of_another_program_are_indexed_when_next_seen(conn: sqlite3.Connection) -> None:
    """Plain SQL inserts, updates, soft deletes and deletes reach the index at the next sync."""
    insert(conn, "a")
    insert(conn, "b")
    assert index.sync(conn) == 2
    assert indexed(conn) == {"a", "b"}

    conn.execute("UPDATE memories SET deleted_at = '2026-01-03T00:00:00' WHERE id = 'a'")
    conn.execute("DELETE FROM memories WHERE id = 'b'")

    assert index.sync(conn) == 2
    assert indexed(conn) == set()
    assert index.sync(conn) == 0


@pytest.mark.parametrize("tags", [None, "", "not json", '{"a": 1}', "[1, null]"])
def test_odd_tags_of_another_program_are_no_fault(conn: sqlite3.Connection, tags: str | None) -> None:
    """A row whose JSON is broken is indexed all the same."""
    insert(conn, "a", tags=tags)
    index.sync(conn)
    assert indexed(conn) == {"a"}


def test_a_record_whose_words_cannot_be_told_costs_nothing_else(conn: sqlite3.Connection) -> None:
    """A fault of our own with one text leaves the others known, and that one to search."""

    class Odd(str):
        """A text that cannot be read to its end."""

        def rstrip(self, chars: str | None = None, /) -> str:
            raise LookupError("no end")

    records = [
        MemoryRecord("a", "project", "note", "k", "K", Odd("The Zebra")),
        MemoryRecord("b", "project", "note", "l", "L", "x"),
    ]
    index.put(conn, records)
    assert indexed(conn) == {"a", "b"}
    assert ["the zebra" in document.text for document in index.pending(conn)] == [True, False]


def test_put_leaves_nothing_to_sync(conn: sqlite3.Connection) -> None:
    """A record that the store indexes itself is not indexed twice."""
    insert(conn, "a")
    record = MemoryRecord("a", "project", "note", "k", "K", "uses uv", ["tooling"], updated_at="2026-01-02T03:04:05")
    index.put(conn, [record])
    assert index.sync(conn) == 0
    assert indexed(conn) == {"a"}
    index.remove(conn, ["a", "unknown"])
    assert indexed(conn) == set()


def test_a_new_index_needs_only_the_records(conn: sqlite3.Connection) -> None:
    """Whatever became of the index, it can be made again from the records."""
    insert(conn, "a")
    conn.execute("DROP TABLE recall_docs")
    index.create(conn)
    index.sync(conn)
    assert indexed(conn) == {"a"}
