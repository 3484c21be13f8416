"""The steps that bring a file to the present schema; append only.

The four tables of the design and the review queue keep the shape that Agentao 0.3 to 0.5 gave them, so that those
versions read and write the same file: ``schema_meta.version`` stays ``3``. What is ours (indexes, triggers, side
tables) is counted in ``PRAGMA user_version``, set in the same transaction as the step itself.

Side tables: ``memory_tags`` holds each live record's folded tags, ``memory_names`` those folded titles that do not
follow from the key, ``event_sessions`` the session of each event. ``memory_unseen`` holds what other programs wrote
since: triggers note it there in plain SQL, and the store brings times into its own form and fills the side tables when
it next looks (``lookups.catch_up``).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable

from agentao.memory.db import transaction
from agentao.memory.recall import index

SCHEMA_VERSION = 3
"""The version that the file states to other programs."""

_MEMORIES = """CREATE TABLE IF NOT EXISTS memories (
    id TEXT PRIMARY KEY, scope TEXT, type TEXT, key_normalized TEXT, title TEXT, content TEXT,
    tags_json TEXT DEFAULT '[]', keywords_json TEXT DEFAULT '[]', source TEXT DEFAULT 'explicit',
    confidence TEXT DEFAULT 'explicit_user', sensitivity TEXT DEFAULT 'normal',
    created_at TEXT, updated_at TEXT, deleted_at TEXT)"""
_SUMMARIES = """CREATE TABLE IF NOT EXISTS session_summaries (
    id TEXT PRIMARY KEY, session_id TEXT, summary_text TEXT, tokens_before INTEGER DEFAULT 0,
    messages_summarized INTEGER DEFAULT 0, created_at TEXT)"""
_EVENTS = """CREATE TABLE IF NOT EXISTS memory_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT, event_type TEXT, timestamp TEXT, detail TEXT)"""
_META = "CREATE TABLE IF NOT EXISTS schema_meta (key TEXT PRIMARY KEY, value TEXT)"
_REVIEW = """CREATE TABLE IF NOT EXISTS memory_review_queue (
    id TEXT PRIMARY KEY, scope TEXT, type TEXT, key_normalized TEXT, title TEXT, content TEXT,
    tags_json TEXT DEFAULT '[]', evidence TEXT, source_session TEXT, occurrences INTEGER DEFAULT 1,
    confidence TEXT DEFAULT 'auto_summary', status TEXT DEFAULT 'pending', created_at TEXT, updated_at TEXT)"""

_COLUMNS: dict[str, str] = {
    "memories": "scope type key_normalized title content tags_json keywords_json source confidence sensitivity "
    "created_at updated_at deleted_at",
    "session_summaries": "session_id summary_text tokens_before:INTEGER messages_summarized:INTEGER created_at",
    "memory_events": "memory_id event_type timestamp detail",
    "memory_review_queue": "scope type key_normalized title content tags_json evidence source_session "
    "occurrences:INTEGER confidence status created_at updated_at",
    "schema_meta": "value",
}

TABLES = tuple(_COLUMNS)
"""The tables that other versions know."""


def m001_tables(conn: sqlite3.Connection) -> None:
    """The tables that older versions know; a file that has only some of them or of their columns is completed."""
    for statement in (_META, _MEMORIES, _SUMMARIES, _EVENTS, _REVIEW):
        conn.execute(statement)
    for table, columns in _COLUMNS.items():
        present = {row[1] for row in conn.execute(f"PRAGMA table_info({table})")}
        for column in columns.split():
            name, _, kind = column.partition(":")
            if name not in present:
                conn.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind or 'TEXT'}")
    _make_unique(
        conn,
        "CREATE UNIQUE INDEX IF NOT EXISTS memories_live_key ON memories (scope, key_normalized) "
        "WHERE deleted_at IS NULL",
        "UPDATE memories SET deleted_at = coalesce(updated_at, created_at, '1970-01-01T00:00:00') "
        "WHERE deleted_at IS NULL AND EXISTS (SELECT 1 FROM memories AS newer WHERE newer.deleted_at IS NULL "
        "AND newer.scope = memories.scope AND newer.key_normalized = memories.key_normalized "
        "AND (coalesce(newer.updated_at, ''), newer.id) > (coalesce(memories.updated_at, ''), memories.id))",
    )
    _make_unique(
        conn,
        "CREATE UNIQUE INDEX IF NOT EXISTS review_pending_key ON memory_review_queue (scope, key_normalized) "
        "WHERE status = 'pending'",
        "DELETE FROM memory_review_queue WHERE status = 'pending' AND EXISTS ("
        "SELECT 1 FROM memory_review_queue AS newer WHERE newer.status = 'pending' "
        "AND newer.scope = memory_review_queue.scope "
        "AND newer.key_normalized = memory_review_queue.key_normalized AND newer.id > memory_review_queue.id)",
    )
    conn.execute(
        "INSERT INTO schema_meta (key, value) VALUES ('version', ?) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (str(SCHEMA_VERSION),),
    )


def _make_unique(conn: sqlite3.Connection, index: str, keep_newest: str) -> None:
    """A file that lacks the index may hold a key twice: the newest stays live."""
    try:
        conn.execute(index)
    except sqlite3.IntegrityError:
        conn.execute(keep_newest)
        conn.execute(index)


def m002_lookups(conn: sqlite3.Connection) -> None:
    """Indexes for lists and histories, side tables for tags and titles, and the notes on what other programs write."""
    conn.execute("INSERT OR IGNORE INTO schema_meta (key, value) VALUES ('store_id', ?)", (os.urandom(16).hex(),))
    # Scope and type stand in the index so that a filtered list reads no row it does not show.
    conn.execute(
        "CREATE INDEX IF NOT EXISTS memories_created ON memories (created_at, id, type, scope) WHERE deleted_at IS NULL"
    )
    conn.execute(
        "CREATE INDEX IF NOT EXISTS memories_updated ON memories (updated_at, id, type, scope) WHERE deleted_at IS NULL"
    )
    conn.execute(
        "CREATE INDEX IF NOT EXISTS memories_deleted ON memories (deleted_at, id) WHERE deleted_at IS NOT NULL"
    )
    conn.execute("CREATE INDEX IF NOT EXISTS summaries_created ON session_summaries (created_at, id)")
    conn.execute("CREATE INDEX IF NOT EXISTS summaries_session ON session_summaries (session_id, created_at, id)")
    conn.execute("CREATE INDEX IF NOT EXISTS events_memory ON memory_events (memory_id, id)")
    conn.execute(
        "CREATE TABLE IF NOT EXISTS event_sessions "
        "(session_id TEXT NOT NULL, event_id INTEGER NOT NULL, PRIMARY KEY (session_id, event_id)) WITHOUT ROWID"
    )
    conn.execute(
        "CREATE TABLE IF NOT EXISTS memory_tags "
        "(tag TEXT NOT NULL, memory_id TEXT NOT NULL, PRIMARY KEY (tag, memory_id)) WITHOUT ROWID"
    )
    conn.execute("CREATE INDEX IF NOT EXISTS tags_memory ON memory_tags (memory_id)")
    conn.execute(
        "CREATE TABLE IF NOT EXISTS memory_names (memory_id TEXT PRIMARY KEY, title TEXT NOT NULL) WITHOUT ROWID"
    )
    conn.execute("CREATE INDEX IF NOT EXISTS names_title ON memory_names (title)")
    conn.execute(
        "CREATE TABLE IF NOT EXISTS memory_unseen "
        "(kind TEXT NOT NULL, id NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID"
    )
    for name, body in _note_triggers().items():
        conn.execute(f"CREATE TRIGGER IF NOT EXISTS {name} {body}")
    conn.execute("INSERT OR IGNORE INTO memory_unseen SELECT 'memory', id FROM memories WHERE id IS NOT NULL")
    for kind, table, column in _TIMED:
        conn.execute(
            f"INSERT OR IGNORE INTO memory_unseen SELECT '{kind}', id FROM {table} "
            f"WHERE id IS NOT NULL AND {_foreign_time(column)}"
        )


_TIMED = (
    ("summary", "session_summaries", "created_at"),
    ("event", "memory_events", "timestamp"),
    ("review", "memory_review_queue", "updated_at"),
)


def _foreign_time(column: str) -> str:
    return f"({column} IS NULL OR length({column}) <> 32 OR substr({column}, -6) <> '+00:00')"


def _note_triggers() -> dict[str, str]:
    """Triggers in plain SQL, so that they run in any program: a memory is noted at every change, the rest by its time.

    ``WHERE NOT EXISTS`` and no ``OR IGNORE``: the conflict clause of the statement that fires a trigger overrides it.
    """
    made = {}
    for event, rows in (("INSERT", ("NEW",)), ("UPDATE", ("OLD", "NEW"))):
        notes = " ".join(_note("memory", row) for row in rows)
        made[f"memories_note_{event.lower()}"] = f"AFTER {event} ON memories BEGIN {notes} END"
    made["memories_note_delete"] = (
        "AFTER DELETE ON memories BEGIN "
        "DELETE FROM memory_tags WHERE memory_id = OLD.id; DELETE FROM memory_names WHERE memory_id = OLD.id; "
        "DELETE FROM memory_unseen WHERE kind = 'memory' AND id = OLD.id; END"
    )
    for kind, table, column in _TIMED:
        for event in ("INSERT", "UPDATE"):
            made[f"{table}_note_{event.lower()}"] = (
                f"AFTER {event} ON {table} WHEN {_foreign_time('NEW.' + column)} BEGIN {_note(kind, 'NEW')} END"
            )
    return made


def _note(kind: str, row: str) -> str:
    return (
        f"INSERT INTO memory_unseen SELECT '{kind}', {row}.id WHERE {row}.id IS NOT NULL "
        f"AND NOT EXISTS (SELECT 1 FROM memory_unseen WHERE kind = '{kind}' AND id = {row}.id);"
    )


def m003_recall_index(conn: sqlite3.Connection) -> None:
    """What recall and search read."""
    index.create(conn)


def m004_by_kind(conn: sqlite3.Connection) -> None:
    """The newest records of one type are found without passing over all others."""
    conn.execute(
        "CREATE INDEX IF NOT EXISTS memories_type_created ON memories (type, created_at, id, scope) "
        "WHERE deleted_at IS NULL"
    )


def m005_less_to_write(conn: sqlite3.Connection) -> None:
    """Indexes go that cost each save a page and save a list no more than some milliseconds at 100,000 records."""
    for name in ("memories_key", "memories_type_updated", "memories_scope_created"):
        conn.execute(f"DROP INDEX IF EXISTS {name}")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    m001_tables,
    m002_lookups,
    m003_recall_index,
    m004_by_kind,
    m005_less_to_write,
)
LATEST = len(MIGRATIONS)


_TRIGGERS = {name: f"CREATE TRIGGER {name} {body}" for name, body in (_note_triggers() | index.TRIGGERS).items()}
"""All triggers that a store has, as SQLite keeps their text."""

REQUIRED = frozenset(
    {*TABLES, "event_sessions", "memory_tags", "memory_names", "memory_unseen"}
    | {"memories_live_key", "review_pending_key"}
    | {f"memories_{name}" for name in ("created", "updated", "type_created")}
    | {*index.TABLES, *_TRIGGERS}
)
"""What a store cannot do without: the tables, the indexes that statements name, the triggers."""


def complete(conn: sqlite3.Connection) -> int:
    """Bring the file to the present schema, and put back what someone dropped from it; returns how many steps ran.

    Triggers that are not ours go: in a file from elsewhere they could write memories, or change what is saved. So do
    indexes that could refuse a save.
    """
    schema = conn.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    strange = {name for kind, name, sql in schema if kind == "trigger" and _TRIGGERS.get(name) != sql}
    refusing = {name for kind, name, sql in schema if kind == "index" and sql and _may_refuse(sql)}
    if strange or refusing:
        with transaction(conn):
            _drop("TRIGGER", conn, strange)
            _drop("INDEX", conn, refusing)
        strange |= refusing
    if user_version(conn) == LATEST:
        names = {name for _, name, _ in schema} - strange
        if names >= REQUIRED:
            return 0
        # Each step makes only what is missing. A trigger on what is missing would stop the first of them.
        with transaction(conn):
            _drop("TRIGGER", conn, names & set(_TRIGGERS))
            conn.execute("PRAGMA user_version=0")
    # One transaction around all steps: the first start waits for the disk once, not once for each of them.
    with transaction(conn):
        return migrate(conn)


def _may_refuse(index: str) -> bool:
    """Whether an index, by its text, could make a save fail: by another key than ours, or an expression."""
    head, _, rest = index.lower().partition("(")
    inside, _, where = rest.partition(")")
    columns = [column.split() for column in inside.split(",")]
    if any(not words or not words[0].isidentifier() or words[1:] not in ([], ["asc"], ["desc"]) for words in columns):
        return True
    where = " ".join(where.replace("=", " = ").split())
    if "unique" in head.split():
        return [words[0] for words in columns] != ["scope", "key_normalized"] or where not in _LIVE
    return where not in ("", "where deleted_at is not null", *_LIVE)


_LIVE = ("where deleted_at is null", "where status = 'pending'")
"""What the key of a memory and of a review item is unique among."""


def _drop(kind: str, conn: sqlite3.Connection, names: Iterable[str]) -> None:
    for name in names:
        # Quoted: the name may be any text.
        conn.execute('DROP {} IF EXISTS "{}"'.format(kind, name.replace('"', '""')))


def user_version(conn: sqlite3.Connection) -> int:
    """How many of our steps the file has."""
    return int(conn.execute("PRAGMA user_version").fetchone()[0])


def stated_version(conn: sqlite3.Connection) -> int | None:
    """``schema_meta.version``: None where the file has none, -1 where it is no number."""
    if not conn.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_meta'").fetchone():
        return None
    row = conn.execute("SELECT value FROM schema_meta WHERE key = 'version'").fetchone()
    if row is None or row[0] is None:
        return None
    try:
        return int(row[0])
    except (TypeError, ValueError):
        return -1


def migrate(conn: sqlite3.Connection, to: int = LATEST) -> int:
    """Run the steps that are missing up to step ``to``, each in a transaction of its own; returns how many ran."""
    done = 0
    while user_version(conn) < to:
        with transaction(conn):
            # Another process may have done it while this one waited for the lock.
            step = user_version(conn)
            if step < to:
                MIGRATIONS[step](conn)
                conn.execute(f"PRAGMA user_version={step + 1:d}")
                done += 1
    return done
