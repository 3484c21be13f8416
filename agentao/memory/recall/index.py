"""The recall index: what recall and search read, kept in the database beside the records.

The store calls ``put`` and ``remove`` inside its write transaction. Programs that know nothing of the index (older
versions of Agentao, a SQLite shell) fire the triggers on ``memories`` instead, which note the changed ids in
``recall_dirty``: these records are *unread* until they are indexed, all of them by ``sync``, some by ``step``. Only
plain tables are used, so that a SQLite without FTS5 can read and write the file. Documents have numbers of their own,
because the row ids of ``memories`` change at VACUUM.

New documents wait in ``recall_pending`` until there are enough for a *segment*: an immutable part of the index with
its own postings, columns and texts. Segments of about one size are merged when there are enough of them, so that a
save writes little and a question reads few of them. Documents that go are noted in ``recall_gone`` until then.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from agentao.memory import models
from agentao.memory.recall import segments
from agentao.memory.recall.documents import FIELD_END, Document, analyse, fits, strings, text_only
from agentao.memory.recall.postings import IndexDamaged
from agentao.memory.text import fold

if TYPE_CHECKING:
    from logging import Logger

    from agentao.memory.models import MemoryRecord

T = TypeVar("T")

FORMAT = "12"
"""Changes whenever what is written for a record changes (tokenizer, tables of words); an index of another format is
remade."""

PENDING_MAX = 64
PENDING_CHARS_MAX = 100_000
"""More documents, or more text, than this do not wait: every question reads all that waits."""

NEWEST_CHECKED = 20

BATCH = 4_096
"""So many records are put into the index together when there are many."""

STEP_RECORDS = 1_000
STEP_BYTES = 400_000
"""What is unread is indexed in steps of at most so many records and bytes of text (but one record at least), which take
about half a second: nobody waits for more."""

STEP_MERGE = 10_000
"""In such a step, only segments that make one of at most so many documents are merged."""

TABLES = ("recall_docs", "recall_pending", "recall_gone", "recall_dirty", "recall_meta", *segments.TABLES)

_CREATE = (
    "CREATE TABLE IF NOT EXISTS recall_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS recall_docs (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE)",
    "CREATE TABLE IF NOT EXISTS recall_pending (n INTEGER PRIMARY KEY, stamp INTEGER NOT NULL,"
    " title_size INTEGER NOT NULL, length INTEGER NOT NULL, asking INTEGER NOT NULL, terms TEXT NOT NULL,"
    " text TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS recall_gone (n INTEGER PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS recall_dirty (id TEXT PRIMARY KEY) WITHOUT ROWID",
    *segments.CREATE,
)
# No "OR IGNORE": in a trigger the conflict clause of the statement that fires it counts, so that an upsert would fail.
_NOTE = (
    "INSERT INTO recall_dirty SELECT {0}.id WHERE {0}.id IS NOT NULL AND {0}.id NOT IN (SELECT id FROM recall_dirty);"
)
TRIGGERS = {
    f"recall_{event.lower()}": f"AFTER {event} ON memories BEGIN "
    + " ".join(_NOTE.format(row) for row in rows)
    + " END"
    for event, rows in (("INSERT", ("NEW",)), ("UPDATE", ("OLD", "NEW")), ("DELETE", ("OLD",)))
}
"""Name -> what follows it in the statement that makes the trigger."""
Unread = tuple[Any, ...]
"""A row of ``_UNREAD``."""

_UNREAD = (
    "SELECT d.id, m.title, m.key_normalized, m.content, m.tags_json, m.keywords_json, m.updated_at, m.deleted_at, m.id"
    " FROM recall_dirty AS d LEFT JOIN memories AS m ON m.id = d.id"
)


class Health(NamedTuple):
    """What ``check`` found: whether the index can be read, and whether it knows every record."""

    usable: bool
    complete: bool


def create(conn: sqlite3.Connection) -> None:
    """Make the tables and triggers; every record that stands there already is marked for ``sync``."""
    for table in TABLES:
        conn.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _CREATE:
        conn.execute(statement)
    for name, body in TRIGGERS.items():
        conn.execute(f"CREATE TRIGGER IF NOT EXISTS {name} {body}")
    conn.execute("INSERT INTO recall_meta VALUES ('format', ?), ('live', '0')", (FORMAT,))
    conn.execute("INSERT INTO recall_dirty SELECT id FROM memories WHERE deleted_at IS NULL AND id IS NOT NULL")


def put(conn: sqlite3.Connection, records: Iterable[MemoryRecord]) -> None:
    """Index live records, replacing what was there under their ids. Runs inside the caller's transaction."""
    for batch in _batches(records):
        last = {record.id: record for record in batch}
        _forget(conn, list(last))
        _add(conn, {record.id: _document(record) for record in last.values() if record.deleted_at is None})


def remove(conn: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Forget the records with these ids; unknown ids are no fault."""
    for batch in _batches(ids):
        _forget(conn, batch)


def purge(conn: sqlite3.Connection) -> None:
    """Leave no text of a removed record in the index. Runs in the caller's transaction. Raises: ``IndexDamaged``."""
    segments.purge_gone(conn)


@contextmanager
def spared(conn: sqlite3.Connection) -> Iterator[None]:
    """Around the changes that follow from a write: strange bytes in the index are no reason to lose that.

    The index is emptied then, and filled anew from the records when nobody waits for it.
    """
    try:
        with segments.own_tables():
            yield
    except IndexDamaged as exc:
        _log().warning("the recall index is made anew: %s", exc)
        create(conn)
    except (LookupError, TypeError, ValueError):
        _log().exception("the recall index is made anew")
        create(conn)


def sync(conn: sqlite3.Connection) -> int:
    """Index all that is unread; returns how many records. Cheap when there is nothing to do."""
    seen = 0
    while rows := conn.execute(f"{_UNREAD} LIMIT ?", (BATCH,)).fetchall():
        take(conn, rows, analysed(rows))
        seen += len(rows)
    return seen


def step(conn: sqlite3.Connection) -> None:
    """Index a part of what is unread, which takes no longer than anybody may wait."""
    rows = next_unread(conn)
    take(conn, rows, analysed(rows), brief=True)


def unread(conn: sqlite3.Connection) -> int:
    """How many records were changed that the index does not know yet."""
    return int(conn.execute("SELECT count(*) FROM recall_dirty").fetchone()[0])


def next_unread(conn: sqlite3.Connection) -> list[Unread]:
    """The unread records that are indexed next, as many as make one step; the newest first, as ids sort by creation."""
    found: list[Unread] = []
    size = 0
    with closing(conn.execute(f"{_UNREAD} ORDER BY d.id DESC LIMIT ?", (STEP_RECORDS,))) as rows:
        for row in rows:
            size += sum(len(str(text or "").encode("utf-8", "replace")) for text in row[1:4])
            if found and size > STEP_BYTES:
                break
            found.append(row)
    return found


def unchanged(conn: sqlite3.Connection, rows: Iterable[Unread]) -> list[Unread]:
    """Those of these rows that still stand so."""
    found: list[Unread] = []
    for batch in _batches(rows, 500):
        marks = ", ".join("?" * len(batch))
        now = set(conn.execute(f"{_UNREAD} WHERE d.id IN ({marks})", [row[0] for row in batch]))
        found += [row for row in batch if row in now]
    return found


def analysed(rows: Iterable[Unread]) -> dict[str, Document]:
    """The documents of these rows by id, for those that live."""
    return {record.id: _document(record) for record in map(_live, rows) if record is not None}


def take(
    conn: sqlite3.Connection, rows: Sequence[Unread], documents: Mapping[str, Document], *, brief: bool = False
) -> None:
    """Index these rows, of which the ``documents`` live. ``brief`` leaves what takes long to others."""
    ids = [row[0] for row in rows]
    _forget(conn, ids, brief=brief)
    _add(conn, {memory_id: documents[memory_id] for memory_id in ids if memory_id in documents}, brief=brief)


def stands(conn: sqlite3.Connection) -> bool:
    """Whether all tables are there: without them the triggers, and with them every save, would fail."""
    marks = ", ".join("?" * len(TABLES))
    sql = f"SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ({marks})"
    return bool(conn.execute(sql, TABLES).fetchone()[0] == len(TABLES))


def check(conn: sqlite3.Connection) -> Health:
    """Whether the tables, triggers and numbers fit together, and the newest records are known.

    Takes a millisecond or two at 100,000 records; what it cannot see, ``whole`` does.
    """
    try:
        names = {row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE name LIKE 'recall_%'")}
        if not names.issuperset(TABLES):
            return Health(False, False)
        meta = dict(conn.execute("SELECT key, value FROM recall_meta").fetchall())
        if meta.get("format") != FORMAT:
            return Health(False, False)
        held, named = conn.execute(
            "SELECT (SELECT count(*) FROM recall_pending) + (SELECT coalesce(sum(size), 0) FROM recall_segments)"
            " - (SELECT count(*) FROM recall_gone), (SELECT count(*) FROM recall_docs)"
        ).fetchone()
        usable = meta.get("live") == str(held) == str(named) and segments.whole(conn)
        unknown = conn.execute(
            "SELECT 1 FROM (SELECT id FROM memories WHERE deleted_at IS NULL AND id IS NOT NULL"
            " ORDER BY updated_at DESC LIMIT ?) AS newest WHERE NOT EXISTS (SELECT 1 FROM recall_docs AS d"
            " WHERE d.id = newest.id) AND NOT EXISTS (SELECT 1 FROM recall_dirty AS x WHERE x.id = newest.id)",
            (NEWEST_CHECKED,),
        ).fetchone()
    except sqlite3.DatabaseError:
        return Health(False, False)
    return Health(usable, names.issuperset(TRIGGERS) and unknown is None)


def unread_numbers(conn: sqlite3.Connection) -> frozenset[int]:
    """The numbers of documents that no longer say what their records do."""
    return frozenset(
        row[0] for row in conn.execute("SELECT n FROM recall_docs WHERE id IN (SELECT id FROM recall_dirty)")
    )


def unread_texts(conn: sqlite3.Connection, needles: Sequence[str]) -> dict[str, Document]:
    """The documents, without terms, of the unread records in which every one of these folded texts occurs, by id.

    All are looked through, which takes a second for 100,000.
    """
    found: dict[str, Document] = {}
    for row in conn.execute(_UNREAD):
        held = FIELD_END.join(str(text or "") for text in row[1:6]).replace("\0", " ")
        folded = fold(held)
        # Lists are JSON, in which a character may be written as its code.
        if ("\\" in held or all(needle in folded for needle in needles)) and (record := _live(row)) is not None:
            found[record.id] = text_only(record)
    return found


def whole(conn: sqlite3.Connection) -> bool:
    """Whether no row is lost: of a segment no term or text, of a record (that is not unread) not its document.

    Reads much of the file: half a second at 100,000 records.
    """
    lost = conn.execute(
        "SELECT EXISTS (SELECT 1 FROM memories AS m WHERE m.deleted_at IS NULL AND typeof(m.id) = 'text'"
        " AND m.id NOT IN (SELECT id FROM recall_docs) AND m.id NOT IN (SELECT id FROM recall_dirty))"
        " OR EXISTS (SELECT 1 FROM recall_docs AS d WHERE d.id NOT IN (SELECT id FROM recall_dirty)"
        " AND NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.id = d.id AND m.deleted_at IS NULL))"
    ).fetchone()[0]
    return not lost and segments.complete(conn)


def _live(row: Unread) -> MemoryRecord | None:
    return _record(row) if row[8] is not None and row[7] is None else None


def _document(record: MemoryRecord) -> Document:
    """The document of a record. One whose words cannot be told, by a fault of our own, is at least found by search."""
    try:
        return analyse(record)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        _log().exception("the words of %s cannot be told", record.id)
        return text_only(record)


def _record(row: Unread) -> MemoryRecord:
    memory_id, title, key, content, tags, keywords, updated = (row[at] for at in range(7))
    return models.MemoryRecord(
        str(memory_id),
        "project",
        "note",
        str(key or ""),
        str(title or ""),
        str(content or ""),
        strings(tags),
        strings(keywords),
        updated_at=str(updated or ""),
    )


def _add(conn: sqlite3.Connection, found: Mapping[str, Document], *, brief: bool = False) -> None:
    documents = []
    for memory_id, document in found.items():
        number = conn.execute("INSERT INTO recall_docs (id) VALUES (?)", (memory_id,)).lastrowid
        documents.append(document._replace(number=number or 0))
    _count_live(conn, len(documents))
    if len(documents) > PENDING_MAX:
        segments.write(conn, documents)
    else:
        conn.executemany("INSERT INTO recall_pending VALUES (?, ?, ?, ?, ?, ?, ?)", documents)
        if not _too_much_waits(conn, max((len(document.terms) for document in documents), default=0)):
            return
        segments.write(conn, pending(conn))
        conn.execute("DELETE FROM recall_pending")
    segments.merge(conn, STEP_MERGE if brief else segments.LARGEST)


def _too_much_waits(conn: sqlite3.Connection, added_chars: int) -> bool:
    """``added_chars``: the longest document that came now. Only a long one is worth measuring all that waits."""
    if conn.execute("SELECT count(*) FROM recall_pending").fetchone()[0] > PENDING_MAX:
        return True
    if added_chars <= PENDING_CHARS_MAX // PENDING_MAX:
        return False
    chars = conn.execute("SELECT coalesce(sum(length(terms)), 0) FROM recall_pending").fetchone()[0]
    return bool(chars > PENDING_CHARS_MAX)


def pending(conn: sqlite3.Connection) -> list[Document]:
    """The documents that stand in no segment yet. Raises: ``IndexDamaged``."""
    sql = "SELECT n, stamp, title_size, length, asking, terms, text FROM recall_pending ORDER BY n"
    # Closed at once, also by what cannot be decoded: a table that is being read cannot be dropped.
    with closing(conn.execute(sql)) as rows:
        documents = [Document(*row) for row in rows]
    if not all(map(fits, documents)):
        raise IndexDamaged("a waiting document holds what no document does")
    return documents


def _forget(conn: sqlite3.Connection, ids: Sequence[str], *, brief: bool = False) -> None:
    forgotten = 0
    for memory_id in ids:
        row = conn.execute("SELECT n FROM recall_docs WHERE id = ?", (memory_id,)).fetchone()
        if row is not None:
            conn.execute("DELETE FROM recall_docs WHERE n = ?", row)
            if not conn.execute("DELETE FROM recall_pending WHERE n = ?", row).rowcount:
                conn.execute("INSERT OR IGNORE INTO recall_gone VALUES (?)", row)
            forgotten += 1
    _count_live(conn, -forgotten)
    conn.executemany("DELETE FROM recall_dirty WHERE id = ?", [(memory_id,) for memory_id in ids])
    if forgotten and not brief:
        segments.drop_gone(conn)


def numbers_of(conn: sqlite3.Connection, ids: Iterable[str]) -> set[int]:
    """The document numbers of these ids, as far as they are indexed."""
    found: set[int] = set()
    for batch in _batches(ids, 500):
        marks = ", ".join("?" * len(batch))
        found.update(row[0] for row in conn.execute(f"SELECT n FROM recall_docs WHERE id IN ({marks})", batch))
    return found


def ids_of(conn: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, str]:
    """Number to id; numbers that are no longer live are left out."""
    found: dict[int, str] = {}
    for batch in _batches(numbers, 500):
        marks = ", ".join("?" * len(batch))
        found.update(conn.execute(f"SELECT n, id FROM recall_docs WHERE n IN ({marks})", batch).fetchall())
    return found


def gone(conn: sqlite3.Connection) -> frozenset[int]:
    """The numbers that stand in a segment and are no longer live."""
    return frozenset(array("q", [row[0] for row in conn.execute("SELECT n FROM recall_gone")]))


def _count_live(conn: sqlite3.Connection, change: int) -> None:
    if change:
        conn.execute("UPDATE recall_meta SET value = CAST(value AS INTEGER) + ? WHERE key = 'live'", (change,))


def _batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def _log() -> Logger:
    import logging  # not before there is something to tell

    return logging.getLogger(__name__)
