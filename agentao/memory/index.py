"""The recall index: what recall and search read, kept in the database beside the records.

The store calls ``put`` and ``remove`` inside its write transaction. Programs that know nothing of the index (older
versions of Agentao, a SQLite shell) fire the triggers on ``memories`` instead, which note the changed ids in
``recall_dirty``; ``sync`` indexes those. Only plain tables are used, so that a SQLite without FTS5 can read and
write the file. Documents have numbers of their own, because the row ids of ``memories`` change at VACUUM.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from agentao.memory.models import MemoryRecord
from agentao.memory.tokenizer import fold, words

_TABLES = (
    "CREATE TABLE IF NOT EXISTS recall_docs (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, tags TEXT NOT NULL,"
    " title TEXT NOT NULL, terms TEXT NOT NULL, text TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS recall_dirty (id TEXT PRIMARY KEY) WITHOUT ROWID",
)
# No "OR IGNORE": in a trigger the conflict clause of the statement that fires it counts, so that an upsert would fail.
_NOTE = (
    "INSERT INTO recall_dirty SELECT {0}.id WHERE {0}.id IS NOT NULL AND {0}.id NOT IN (SELECT id FROM recall_dirty);"
)
_TRIGGERS = tuple(
    f"CREATE TRIGGER IF NOT EXISTS recall_{event.lower()} AFTER {event} ON memories BEGIN "
    + " ".join(_NOTE.format(row) for row in rows)
    + " END"
    for event, rows in (("INSERT", ("NEW",)), ("UPDATE", ("OLD", "NEW")), ("DELETE", ("OLD",)))
)
_COLUMNS = "id, title, key_normalized, content, tags_json, keywords_json, updated_at, deleted_at"


def create(conn: sqlite3.Connection) -> None:
    """Make the tables and triggers that are missing; every record that stands there already is marked for ``sync``."""
    for statement in (*_TABLES, *_TRIGGERS):
        conn.execute(statement)
    conn.execute(
        "INSERT OR IGNORE INTO recall_dirty SELECT id FROM memories WHERE deleted_at IS NULL AND id IS NOT NULL"
    )


def put(conn: sqlite3.Connection, records: Iterable[MemoryRecord]) -> None:
    """Index live records, replacing what was there under their ids. Runs inside the caller's transaction."""
    for record in records:
        if record.deleted_at is not None:
            remove(conn, [record.id])
            continue
        _put(conn, record.id, record.title, record.key_normalized, record.content, record.tags, record.keywords)


def remove(conn: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Forget the records with these ids; unknown ids are no fault."""
    for memory_id in ids:
        conn.execute("DELETE FROM recall_docs WHERE id = ?", (memory_id,))
        conn.execute("DELETE FROM recall_dirty WHERE id = ?", (memory_id,))


def sync(conn: sqlite3.Connection) -> int:
    """Index what other programs changed; returns how many records. Cheap when there is nothing to do."""
    dirty = [row[0] for row in conn.execute("SELECT id FROM recall_dirty")]
    for memory_id in dirty:
        row = conn.execute(f"SELECT {_COLUMNS} FROM memories WHERE id = ?", (memory_id,)).fetchone()
        if row is None or row[7] is not None:
            remove(conn, [memory_id])
        else:
            _put(conn, row[0], row[1], row[2], row[3], _strings(row[4]), _strings(row[5]))
    return len(dirty)


def rebuild(conn: sqlite3.Connection) -> None:
    """Make the whole index anew from the records."""
    for table in ("recall_docs", "recall_dirty"):
        conn.execute(f"DROP TABLE IF EXISTS {table}")
    create(conn)
    sync(conn)


def _put(
    conn: sqlite3.Connection, memory_id: str, title: str, key: str, content: str, tags: list[str], keywords: list[str]
) -> None:
    conn.execute("DELETE FROM recall_docs WHERE id = ?", (memory_id,))
    found = [word for text in (title, " ".join(tags), content) for word in words(text)]
    terms = dict.fromkeys(term for word in found for term in (word.term, *word.also))
    text = "\x1f".join(fold(part) for part in (title, key, "\x1e".join(tags), content))
    text += "".join(f"\x1f{extra}" for extra in map(fold, keywords) if extra not in text)
    conn.execute(
        "INSERT INTO recall_docs (id, tags, title, terms, text) VALUES (?, ?, ?, ?, ?)",
        (memory_id, json.dumps(tags), " ".join(word.term for word in words(title)), " ".join(terms), text),
    )
    conn.execute("DELETE FROM recall_dirty WHERE id = ?", (memory_id,))


def _strings(text: str | None) -> list[str]:
    """The strings of a JSON list as an older program wrote it; anything else counts as none."""
    try:
        value = json.loads(text or "[]")
    except ValueError:
        return []
    return [str(item) for item in value] if isinstance(value, list) else []
