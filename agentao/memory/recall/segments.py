"""The immutable parts of the recall index: postings, columns and folded texts of many documents.

``recall_segments`` has a row for each segment with its columns, ``recall_terms`` its postings (term to what
``postings.pack`` makes), ``recall_texts`` the folded texts, joined, in parts. Under the empty term
stands how many terms there are, so that ``complete`` notices lost rows.
"""

from __future__ import annotations

import sqlite3
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from agentao.memory import db
from agentao.memory.recall.documents import FIELD_END, TERM_END, Columns, Document
from agentao.memory.recall.postings import IndexDamaged, Postings, ordinals, pack, unpack

FAN = 8
SMALLEST = 64
CLASSES = 3
LARGEST = 60_000
"""Segments of one size class (from 64, 512, 4,096 documents on) are merged when there are so many of them, into one of
at most the largest size: ordinals have 16 bits."""

GONE_SHARE = 1 / 8
GONE_MIN = 64
"""Documents that are gone are dropped from their segments when there are more of them than this share of all."""

PART_BYTES = 28_000
"""Texts of about so many bytes together are one part of ``recall_texts``: in 30,000 and more, Python looks for a short
word in another way, which takes half as long again."""

READ_TERMS = 512
TERMS_STEP = 64

TABLES = ("recall_segments", "recall_terms", "recall_texts")
CREATE = (
    "CREATE TABLE IF NOT EXISTS recall_segments (segment INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL,"
    " columns BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS recall_terms (segment INTEGER NOT NULL, term TEXT NOT NULL, docs BLOB NOT NULL,"
    " PRIMARY KEY (segment, term)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS recall_texts (segment INTEGER NOT NULL, first INTEGER NOT NULL, marks BLOB NOT NULL,"
    " texts BLOB NOT NULL, PRIMARY KEY (segment, first))",
)


class Texts(NamedTuple):
    """Folded texts, joined, in UTF-8: where each ends, and where its last field (the content) begins, in bytes."""

    first: int
    ends: array[int]
    bodies: array[int]
    joined: bytes


_KINDS = ("I", "I", "H", "B", "B")
_WIDTHS = (4, 4, 2, 1, 1)


@contextmanager
def own_tables() -> Iterator[None]:
    """Within the block, a table or column that is missing, and text that is none, is damage of the index."""
    try:
        yield
    except sqlite3.OperationalError as exc:
        # 0: not SQLite's own complaint but that of its Python module, which cannot decode what it read.
        if db.primary_code(exc) not in (0, sqlite3.SQLITE_ERROR):
            raise
        raise IndexDamaged(str(exc)) from exc


def write(conn: sqlite3.Connection, documents: Sequence[Document]) -> None:
    """Make one or more segments of these documents."""
    for begin in range(0, len(documents), LARGEST):
        part = documents[begin : begin + LARGEST]
        postings: dict[str, array[int]] = {}
        for ordinal, document in enumerate(part):
            for term in document.terms.split(TERM_END):
                if term:
                    known = postings.get(term)
                    if known is None:
                        postings[term] = array("H", (ordinal,))
                    else:
                        known.append(ordinal)
        _store(conn, Columns.of(part), postings, [document.text for document in part])


def merge(conn: sqlite3.Connection, largest: int = LARGEST) -> None:
    """Merge segments while there are enough of one size class, to none of more than ``largest`` documents."""
    while chosen := _to_merge(conn.execute("SELECT segment, size FROM recall_segments ORDER BY segment"), largest):
        _rewrite(conn, chosen)


def _to_merge(sizes: Iterable[tuple[int, int]], largest: int) -> list[int]:
    classes: list[list[tuple[int, int]]] = [[] for _ in range(CLASSES)]
    for segment, size in sizes:
        rank = sum(size >= SMALLEST * FAN**above for above in range(1, CLASSES + 1))
        if rank < CLASSES:
            classes[rank].append((segment, size))
    for found in classes:
        if len(found) < FAN:
            continue
        chosen, total = list[int](), 0
        for segment, size in found[:FAN]:
            if total + size <= largest:
                chosen.append(segment)
                total += size
        if len(chosen) > 1:
            return chosen
    return []


def drop_gone(conn: sqlite3.Connection) -> None:
    """Write segments anew without what is gone, when that is much."""
    many = int(conn.execute("SELECT count(*) FROM recall_gone").fetchone()[0])
    if many <= GONE_MIN:
        return
    held = int(conn.execute("SELECT coalesce(sum(size), 0) FROM recall_segments").fetchone()[0])
    if many <= held * GONE_SHARE:
        return
    gone = {row[0] for row in conn.execute("SELECT n FROM recall_gone")}
    for segment, columns in read(conn):
        if len(gone.intersection(columns.numbers)) > len(columns.numbers) * GONE_SHARE / 2:
            _rewrite(conn, [segment])


def purge_gone(conn: sqlite3.Connection) -> None:
    """Write every segment that holds something that is gone anew without it. Raises: ``IndexDamaged``."""
    gone = {row[0] for row in conn.execute("SELECT n FROM recall_gone")}
    for segment, columns in read(conn):
        if not gone.isdisjoint(columns.numbers):
            _rewrite(conn, [segment])


def read(conn: sqlite3.Connection, known: Mapping[int, Columns] | None = None) -> list[tuple[int, Columns]]:
    """Every segment with its columns, but for those ``known`` already. Raises: ``IndexDamaged``."""
    found = dict(known or {})
    numbers = [row[0] for row in conn.execute("SELECT segment FROM recall_segments ORDER BY segment")]
    for number in numbers:
        if number not in found:
            row = conn.execute("SELECT size, columns FROM recall_segments WHERE segment = ?", (number,)).fetchone()
            found[number] = _unpack(*row)
    return [(number, found[number]) for number in numbers]


def whole(conn: sqlite3.Connection) -> bool:
    """Whether every segment has its columns, its postings and its texts, as far as can be told without reading them."""
    rows = conn.execute(
        "SELECT s.size * 12 = length(s.columns)"
        " AND EXISTS (SELECT 1 FROM recall_terms AS t WHERE t.segment = s.segment AND t.term = '')"
        " AND EXISTS (SELECT 1 FROM recall_texts AS x WHERE x.segment = s.segment AND x.first = 0)"
        " FROM recall_segments AS s"
    )
    return all(row[0] for row in rows)


def complete(conn: sqlite3.Connection) -> bool:
    """Whether every segment has all its terms and texts; every row of the tables is counted."""
    rows = conn.execute(
        "SELECT (SELECT count(*) - 1 FROM recall_terms AS t WHERE t.segment = s.segment)"
        " = (SELECT CAST(docs AS INTEGER) FROM recall_terms AS t WHERE t.segment = s.segment AND t.term = '')"
        " AND (SELECT sum(length(marks)) / 8 FROM recall_texts AS x WHERE x.segment = s.segment) = s.size"
        " FROM recall_segments AS s"
    )
    return all(row[0] for row in rows)


def find(conn: sqlite3.Connection, numbers: Sequence[int], terms: Sequence[str]) -> list[dict[str, Postings]]:
    """For each of these segments the postings of the terms that occur. Raises: ``IndexDamaged``."""
    found: dict[int, dict[str, Postings]] = {number: {} for number in numbers}
    wanted: list[str | None] = [*terms, ""]
    for begin in range(0, len(wanted), READ_TERMS):
        part = wanted[begin : begin + READ_TERMS]
        # Few lengths, filled up with what matches nothing, so that SQLite has the statement ready.
        part += [None] * (-len(part) % TERMS_STEP)
        # The segments are the outer loop, so that every look-up is one descent in the tree of the primary key.
        sql = (
            "SELECT s.segment, s.size, t.term, t.docs FROM recall_segments AS s CROSS JOIN recall_terms AS t"
            f" ON t.segment = s.segment WHERE t.term IN ({', '.join('?' * len(part))})"
        )
        for segment, size, term, docs in conn.execute(sql, part):
            found[segment][term] = docs if term == "" else unpack(docs, size)
    for postings in found.values():
        if postings.pop("", None) is None:
            raise IndexDamaged("a segment has no postings")
    return [found[number] for number in numbers]


def texts(conn: sqlite3.Connection, segment: int) -> Iterator[Texts]:
    """The parts of a segment, each with the ordinal of its first text. Raises: ``IndexDamaged``."""
    sql = "SELECT first, marks, texts FROM recall_texts WHERE segment = ? ORDER BY first"
    seen = 0
    for first, marks, joined in conn.execute(sql, (segment,)):
        if not isinstance(marks, bytes) or not marks or len(marks) % 8 or not isinstance(joined, bytes):
            raise IndexDamaged("the marks of texts have the wrong size")
        half = len(marks) // 2
        part = Texts(first, _array("I", marks[:half]), _array("I", marks[half:]), joined)
        if first != seen or part.ends[-1] != len(joined):
            raise IndexDamaged("the texts of a segment have the wrong size")
        seen += len(part.ends)
        yield part
    if conn.execute("SELECT size FROM recall_segments WHERE segment = ?", (segment,)).fetchone()[0] != seen:
        raise IndexDamaged("a segment has not all its texts")


def join(folded: Iterable[str], first: int = 0) -> Texts:
    """One part of these texts."""
    encoded = [text.encode("utf-8", "replace") for text in folded]
    ends, bodies = array("I"), array("I")
    at = 0
    for text in encoded:
        bodies.append(at + text.rfind(FIELD_END.encode()) + 1)
        at += len(text)
        ends.append(at)
    return Texts(first, ends, bodies, b"".join(encoded))


def _rewrite(conn: sqlite3.Connection, segments: Sequence[int]) -> None:
    """Make one segment of several, without what is gone."""
    gone = {row[0] for row in conn.execute("SELECT n FROM recall_gone")}
    kept = Columns.of(())
    postings: dict[str, array[int]] = {}
    folded: list[str] = []
    dropped: list[int] = []
    for segment in segments:
        size, blob = conn.execute("SELECT size, columns FROM recall_segments WHERE segment = ?", (segment,)).fetchone()
        columns = _unpack(size, blob)
        places: list[int] = []
        place = len(kept.numbers)
        for number in columns.numbers:
            if number in gone:
                places.append(-1)
                dropped.append(number)
            else:
                places.append(place)
                place += 1
        for term, docs in conn.execute("SELECT term, docs FROM recall_terms WHERE segment = ?", (segment,)):
            if term:
                moved = [to for old in ordinals(unpack(docs, size)) if (to := places[old]) >= 0]
                if moved:
                    postings.setdefault(term, array("H")).extend(moved)
        for part in texts(conn, segment):
            begin = 0
            for ordinal, end in enumerate(part.ends, part.first):
                if places[ordinal] >= 0:
                    folded.append(part.joined[begin:end].decode())
                begin = end
        for have, more in zip(_arrays(kept), _arrays(columns), strict=True):
            have.extend(value for value, to in zip(more, places, strict=True) if to >= 0)
        for table in TABLES:
            conn.execute(f"DELETE FROM {table} WHERE segment = ?", (segment,))
    if kept.numbers:
        _store(conn, kept, postings, folded)
    conn.executemany("DELETE FROM recall_gone WHERE n = ?", [(number,) for number in dropped])


def _store(
    conn: sqlite3.Connection, columns: Columns, postings: Mapping[str, array[int]], folded: Iterable[str]
) -> None:
    packed = b"".join(_bytes(array(kind, values)) for kind, values in zip(_KINDS, _arrays(columns), strict=True))
    segment = conn.execute(
        "INSERT INTO recall_segments (size, columns) VALUES (?, ?)", (len(columns.numbers), packed)
    ).lastrowid
    rows: list[tuple[int | None, str, bytes]] = [(segment, "", str(len(postings)).encode())]
    size = len(columns.numbers)
    rows += [(segment, term, pack(docs, size)) for term, docs in sorted(postings.items())]
    conn.executemany("INSERT INTO recall_terms VALUES (?, ?, ?)", rows)
    waiting, held, first = list[str](), 0, 0
    for text in folded:
        waiting.append(text)
        held += len(text.encode("utf-8", "replace"))
        if held >= PART_BYTES:
            _store_texts(conn, segment, join(waiting, first))
            waiting, held, first = [], 0, first + len(waiting)
    if waiting:
        _store_texts(conn, segment, join(waiting, first))


def _store_texts(conn: sqlite3.Connection, segment: int | None, part: Texts) -> None:
    marks = _bytes(part.ends) + _bytes(part.bodies)
    conn.execute("INSERT INTO recall_texts VALUES (?, ?, ?, ?)", (segment, part.first, marks, part.joined))


def _arrays(columns: Columns) -> tuple[array[int], ...]:
    return columns.numbers, columns.stamps, columns.lengths, columns.title_sizes, columns.asking


def _unpack(size: object, blob: object) -> Columns:
    if not isinstance(size, int) or not isinstance(blob, bytes) or len(blob) != size * sum(_WIDTHS):
        raise IndexDamaged("the columns of a segment have the wrong size")
    at, found = 0, []
    for kind, width in zip(_KINDS, _WIDTHS, strict=True):
        found.append(_array(kind, blob[at : at + size * width]))
        at += size * width
    numbers, stamps, lengths, title_sizes, asking = found
    return Columns(numbers, stamps, title_sizes, lengths, asking)


def _array(kind: str, blob: bytes) -> array[int]:
    values = array(kind, blob)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _bytes(values: array[int]) -> bytes:
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return values.tobytes()
