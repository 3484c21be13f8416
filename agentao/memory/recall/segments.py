"""The immutable parts of the recall index: postings, columns and folded texts of many documents.

``recall_segments`` has a row for each segment with its columns, ``recall_terms`` its postings (term to the ordinals of
its documents, 16 bits each, little-endian), ``recall_texts`` the folded texts, joined, in parts. Under the empty term
stands how many terms there are, so that lost rows are noticed.
"""

from __future__ import annotations

import sqlite3
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agentao.memory.recall.documents import TERM_END, Columns, Document

FAN = 8
SMALLEST = 64
LARGEST = 32_768
"""Segments of one size class (64, 512, 4,096 …) are merged when there are so many; none grows beyond the largest.
Ordinals have 16 bits."""

GONE_SHARE = 1 / 8
GONE_MIN = 64
"""Documents that are gone are dropped from their segments when there are more of them than this share of all."""

PART_CHARS = 60_000
TEXT_END = "\0"
"""Texts of about so many characters together are one part of ``recall_texts``; each ends with this character."""

READ_TERMS = 500

TABLES = ("recall_segments", "recall_terms", "recall_texts")
CREATE = (
    "CREATE TABLE IF NOT EXISTS recall_segments (segment INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL,"
    " columns BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS recall_terms (segment INTEGER NOT NULL, term TEXT NOT NULL, docs BLOB NOT NULL,"
    " PRIMARY KEY (segment, term)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS recall_texts (segment INTEGER NOT NULL, first INTEGER NOT NULL, texts BLOB NOT NULL,"
    " PRIMARY KEY (segment, first))",
)
_KINDS = ("I", "I", "H", "B", "B")
_WIDTHS = (4, 4, 2, 1, 1)


class IndexDamaged(Exception):
    """The tables of the index do not fit together; it is made again from the records."""


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


def merge(conn: sqlite3.Connection) -> None:
    """Merge segments while there are enough of one size class."""
    while True:
        classes: dict[int, list[int]] = {}
        for segment, size in conn.execute("SELECT segment, size FROM recall_segments ORDER BY segment"):
            rank = 0
            while size >= SMALLEST * FAN ** (rank + 1):
                rank += 1
            classes.setdefault(rank, []).append(segment)
        full = next((found for rank, found in sorted(classes.items()) if len(found) >= FAN and rank < 3), None)
        if full is None:
            return
        _rewrite(conn, full[:FAN])


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


def read(conn: sqlite3.Connection) -> list[tuple[int, Columns]]:
    """Every segment with its columns. Raises: ``IndexDamaged``."""
    return [
        (segment, _unpack(size, blob))
        for segment, size, blob in conn.execute("SELECT segment, size, columns FROM recall_segments ORDER BY segment")
    ]


def whole(conn: sqlite3.Connection) -> bool:
    """Whether every segment has its columns, its postings and its texts, as far as can be told without reading them."""
    rows = conn.execute(
        "SELECT s.size * 12 = length(s.columns)"
        " AND EXISTS (SELECT 1 FROM recall_terms AS t WHERE t.segment = s.segment AND t.term = '')"
        " AND EXISTS (SELECT 1 FROM recall_texts AS x WHERE x.segment = s.segment AND x.first = 0)"
        " FROM recall_segments AS s"
    )
    return all(row[0] for row in rows)


def find(conn: sqlite3.Connection, numbers: Sequence[int], terms: Sequence[str]) -> list[dict[str, Sequence[int]]]:
    """For each of these segments the postings of the terms that occur. Raises: ``IndexDamaged``."""
    found: dict[int, dict[str, Sequence[int]]] = {number: {} for number in numbers}
    wanted = [*terms, ""]
    for begin in range(0, len(wanted), READ_TERMS):
        part = wanted[begin : begin + READ_TERMS]
        # The segments are the outer loop, so that every look-up is one descent in the tree of the primary key.
        sql = (
            "SELECT s.segment, t.term, t.docs FROM recall_segments AS s CROSS JOIN recall_terms AS t"
            f" ON t.segment = s.segment WHERE t.term IN ({', '.join('?' * len(part))})"
        )
        for segment, term, docs in conn.execute(sql, part):
            found[segment][term] = docs if term == "" else _ordinals(docs)
    for postings in found.values():
        if postings.pop("", None) is None:
            raise IndexDamaged("a segment has no postings")
    return [found[number] for number in numbers]


def texts(conn: sqlite3.Connection, segment: int) -> Iterator[tuple[int, bytes]]:
    """The parts of a segment: the ordinal of the first text, and the texts, each with its end mark, in UTF-8."""
    yield from conn.execute("SELECT first, texts FROM recall_texts WHERE segment = ? ORDER BY first", (segment,))


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
                moved = [to for old in _ordinals(docs) if (to := places[old]) >= 0]
                if moved:
                    postings.setdefault(term, array("H")).extend(moved)
        ordinal = 0
        for _, part in texts(conn, segment):
            for text in part.decode().split(TEXT_END)[:-1]:
                if places[ordinal] >= 0:
                    folded.append(text)
                ordinal += 1
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
    rows += [(segment, term, _bytes(docs)) for term, docs in sorted(postings.items())]
    conn.executemany("INSERT INTO recall_terms VALUES (?, ?, ?)", rows)
    first, waiting, chars, ordinal = 0, list[str](), 0, 0
    parts: list[tuple[int | None, int, bytes]] = []
    for ordinal, text in enumerate(folded, 1):
        waiting.append(text)
        chars += len(text)
        if chars >= PART_CHARS:
            parts.append((segment, first, _joined(waiting)))
            first, waiting, chars = ordinal, [], 0
    if waiting:
        parts.append((segment, first, _joined(waiting)))
    conn.executemany("INSERT INTO recall_texts VALUES (?, ?, ?)", parts)


def _joined(folded: Sequence[str]) -> bytes:
    return (TEXT_END.join(folded) + TEXT_END).encode("utf-8", "replace")


def _arrays(columns: Columns) -> tuple[array[int], ...]:
    return columns.numbers, columns.stamps, columns.lengths, columns.title_sizes, columns.asking


def _unpack(size: int, blob: object) -> Columns:
    if not isinstance(blob, bytes) or len(blob) != size * sum(_WIDTHS):
        raise IndexDamaged("the columns of a segment have the wrong size")
    at, found = 0, []
    for kind, width in zip(_KINDS, _WIDTHS, strict=True):
        found.append(_array(kind, blob[at : at + size * width]))
        at += size * width
    numbers, stamps, lengths, title_sizes, asking = found
    return Columns(numbers, stamps, title_sizes, lengths, asking)


def _ordinals(blob: object) -> array[int]:
    if not isinstance(blob, bytes) or len(blob) % 2:
        raise IndexDamaged("the postings of a term have the wrong size")
    return _array("H", blob)


def _array(kind: str, blob: bytes) -> array[int]:
    values = array(kind)
    values.frombytes(blob)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _bytes(values: array[int]) -> bytes:
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return values.tobytes()
