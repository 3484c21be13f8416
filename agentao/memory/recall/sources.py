"""One store as recall and search read it: its index, or its records where no index can be used."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from agentao.memory import db
from agentao.memory.recall import index, segments
from agentao.memory.recall.documents import TERM_END, Columns, Document, analyse, find

if TYPE_CHECKING:
    from agentao.memory.store import SQLiteMemoryStore

UNWRITTEN = 0x8000_0000
"""Documents from here on are read from the records and stand in no table: the store could not be written meanwhile."""

KEPT_DOCUMENTS = 200_000
KEPT_POSTINGS = 1_000_000
"""From one question to the next the columns of an index of at most so many documents are kept (12 bytes each), and the
postings of so many (2 bytes each): memory does not grow with the store."""

TERM_COST = 64
"""What is kept for a term, whether it occurs or not, counted in postings."""

Version = tuple[int, int]


class Segments:
    """The segments of an index, and what was read of them: it stays true for as long as they have their numbers.

    Numbers begin anew only when the tables are made anew, which changes the version of the schema.
    """

    def __init__(self, conn: sqlite3.Connection, before: Segments | None = None) -> None:
        self._conn = conn
        self._schema = int(conn.execute("PRAGMA schema_version").fetchone()[0])
        if before is not None and (before._conn is not conn or before._schema != self._schema):
            before = None
        self.columns: dict[int, Columns] = dict(segments.read(conn, before.columns if before else {}))
        self._found: dict[str, Sequence[tuple[int, Sequence[int]]]] = {}
        self._held = 0
        if before and before.columns.keys() == self.columns.keys():
            self._found, self._held = before._found, before._held

    def find(self, terms: Sequence[str]) -> list[dict[str, Sequence[int]]]:
        """For each segment the postings of those terms that occur in it. Raises: ``IndexDamaged``."""
        if self._held > KEPT_POSTINGS:
            self._found.clear()
            self._held = 0
        known = self._found
        if missing := [term for term in terms if term not in known]:
            parts = segments.find(self._conn, list(self.columns), missing)
            known.update(dict.fromkeys(missing, ()))
            self._held += TERM_COST * len(missing)
            for at, part in enumerate(parts):
                for term, postings in part.items():
                    known[term] = (*known[term], (at, postings))
                    self._held += len(postings) + TERM_COST
        found: list[dict[str, Sequence[int]]] = [{} for _ in self.columns]
        for term in terms:
            for at, postings in known[term]:
                found[at][term] = postings
        return found


class IndexSource:
    """The index of one store as it stands in one version of the file, read in a transaction."""

    def __init__(
        self, conn: sqlite3.Connection, version: Version | None = None, before: IndexSource | None = None
    ) -> None:
        self._conn = conn
        self._version = version
        self._written: Segments = Segments(conn, before._written if before else None)
        self.segments: list[Columns] = list(self._written.columns.values())
        self.gone: frozenset[int] = index.gone(conn)
        self._ids: dict[int, str] = {}
        self._waiting = index.pending(conn)
        if conn.execute("SELECT 1 FROM recall_dirty LIMIT 1").fetchone():
            self._overlay(*index.dirty_documents(conn))
        self.segments.append(Columns.of(self._waiting))
        self.count = sum(len(columns.numbers) for columns in self.segments) - len(self.gone)

    def _overlay(self, changed: Iterable[str], unwritten: Iterable[tuple[str, Document]]) -> None:
        """Read what other programs changed from the records, as long as the index does not know it."""
        stale = index.numbers_of(self._conn, changed)
        waiting = [document for document in self._waiting if document.number not in stale]
        self.gone |= stale - {document.number for document in self._waiting}
        for at, (memory_id, document) in enumerate(unwritten):
            self._ids[UNWRITTEN + at] = memory_id
            waiting.append(document._replace(number=UNWRITTEN + at))
        self._waiting = waiting

    @cached_property
    def dead(self) -> list[frozenset[int]]:
        """For each segment the ordinals of what is gone from it."""
        gone = self.gone
        if not gone:
            return [frozenset()] * len(self.segments)
        return [frozenset(at for at, n in enumerate(columns.numbers) if n in gone) for columns in self.segments]

    @cached_property
    def _unmerged(self) -> frozenset[str]:
        """All terms of what stands in no segment yet."""
        return frozenset("".join(document.terms for document in self._waiting).split(TERM_END))

    @property
    def light(self) -> bool:
        """Whether it may be kept."""
        return self.count <= KEPT_DOCUMENTS and len(self._waiting) <= index.PENDING_MAX

    def stands(self, conn: sqlite3.Connection, version: Version) -> bool:
        """Whether this is the version that ``conn`` sees."""
        return conn is self._conn and version == self._version

    def find(self, terms: Sequence[str]) -> list[Mapping[str, Sequence[int]]]:
        """For each segment the postings of those terms that occur in it. Raises: ``IndexDamaged``."""
        return [*self._written.find(terms), find(self._waiting, self._unmerged.intersection(terms))]

    def ids(self, numbers: Collection[int]) -> dict[int, str]:
        """Number to record id."""
        written = index.ids_of(self._conn, [number for number in numbers if number < UNWRITTEN])
        return written | {number: self._ids[number] for number in numbers if number in self._ids}

    def numbers(self, ids: Iterable[str]) -> set[int]:
        """The numbers of these records, as far as they are known."""
        wanted = set(ids)
        unwritten = {number for number, memory_id in self._ids.items() if memory_id in wanted}
        return index.numbers_of(self._conn, wanted) | unwritten

    def texts(self) -> Iterator[tuple[int, segments.Texts]]:
        """All texts in parts, each with the place of its segment. Raises: ``IndexDamaged``."""
        for at, number in enumerate(self._written.columns):
            for part in segments.texts(self._conn, number):
                yield at, part
        yield len(self.segments) - 1, segments.join(document.text for document in self._waiting)


class RecordSource:
    """All records of a store analysed now, for a file that has no index and cannot be given one."""

    def __init__(self, store: SQLiteMemoryStore) -> None:
        records = store.records()
        self._ids = [record.id for record in records]
        self._documents = [analyse(record, number) for number, record in enumerate(records)]
        self.segments = [Columns.of(self._documents)]
        self.gone: frozenset[int] = frozenset()
        self.dead = [self.gone]
        self.count = len(records)

    def find(self, terms: Sequence[str]) -> list[Mapping[str, Sequence[int]]]:
        """For the one segment the postings of those terms that occur in it."""
        return [find(self._documents, terms)]

    def ids(self, numbers: Collection[int]) -> dict[int, str]:
        """Number to record id."""
        return {number: self._ids[number] for number in numbers}

    def numbers(self, ids: Iterable[str]) -> set[int]:
        """The numbers of these records."""
        wanted = set(ids)
        return {number for number, memory_id in enumerate(self._ids) if memory_id in wanted}

    def texts(self) -> Iterator[tuple[int, segments.Texts]]:
        """All texts as one part."""
        yield 0, segments.join(document.text for document in self._documents)


StoreSource = IndexSource | RecordSource


_checked: weakref.WeakSet[SQLiteMemoryStore] = weakref.WeakSet()
"""Stores whose index was found whole, or made anew, in this process."""


@contextmanager
def opened(stores: Iterable[SQLiteMemoryStore], *, use_index: bool = True) -> Iterator[list[StoreSource]]:
    """The sources of these stores, each as it stands at one moment. ``use_index=False``: read the records instead.

    A missing or damaged index is made anew first. Raises: the ``StoreError`` family, ``IndexDamaged``.
    """
    with ExitStack() as stack:
        sources: list[StoreSource] = []
        for store in stores:
            conn = stack.enter_context(store.exclusive())
            stack.enter_context(_own_tables())
            if use_index and _ready(store, conn):
                alone = not conn.in_transaction
                stack.enter_context(_one_moment(conn))
                sources.append(_latest(store, conn) if alone else IndexSource(conn))
            else:
                sources.append(RecordSource(store))
        yield sources


@contextmanager
def _own_tables() -> Iterator[None]:
    """Within the block, a table or column that is missing, and text that is none, is damage of the index."""
    try:
        yield
    except sqlite3.OperationalError as exc:
        # 0: not SQLite's own complaint but that of its Python module, which cannot decode what it read.
        if db.primary_code(exc) not in (0, sqlite3.SQLITE_ERROR):
            raise
        raise segments.IndexDamaged(str(exc)) from exc


_kept: weakref.WeakKeyDictionary[SQLiteMemoryStore, IndexSource] = weakref.WeakKeyDictionary()
"""What the last question of each store read."""


def _latest(store: SQLiteMemoryStore, conn: sqlite3.Connection) -> IndexSource:
    """The source of the last question as long as nobody has written since, else a new one."""
    # The first changes with every commit of another connection, the second with every row that this one changed.
    version = (int(conn.execute("PRAGMA data_version").fetchone()[0]), conn.total_changes)
    source = _kept.get(store)
    if source is None or not source.stands(conn, version):
        source = IndexSource(conn, version, _kept.pop(store, None))
        if source.light:
            _kept[store] = source
    return source


def distrust(stores: Iterable[SQLiteMemoryStore]) -> None:
    """The index of one of these stores was found damaged: check, and if need be make it anew, at the next opening."""
    for store in stores:
        _checked.discard(store)
        _kept.pop(store, None)
        with store.exclusive() as conn:
            _write_now(conn, index.create)


def _ready(store: SQLiteMemoryStore, conn: sqlite3.Connection) -> bool:
    """Whether the index can be read; what is wrong or missing is put right first where the file can be written now."""
    # First the store's own notes: they rewrite times, which would mark the records for the index once more.
    store.refresh(whole=True)
    if store not in _checked:
        health = index.check(conn)
        if not (health.usable and health.complete) and not _write_now(conn, index.create):
            return health.usable
        _checked.add(store)
    # A large store takes a minute: in many transactions, so that other processes can save meanwhile.
    while conn.execute("SELECT 1 FROM recall_dirty LIMIT 1").fetchone():
        if not _write_now(conn, lambda conn: index.sync(conn, batches=1)):
            break
        if conn.execute("SELECT 1 FROM recall_dirty LIMIT 1").fetchone():
            db.give_way()
    return True


def _write_now(conn: sqlite3.Connection, change: Callable[[sqlite3.Connection], object]) -> bool:
    """Whether the change could be made; recall never waits for another writer."""
    try:
        with db.transaction(conn, wait_s=0):
            change(conn)
    except sqlite3.OperationalError:
        return False
    return True


@contextmanager
def _one_moment(conn: sqlite3.Connection) -> Iterator[None]:
    """All reads of the block see the same state, whatever other processes write meanwhile."""
    if conn.in_transaction:
        yield
        return
    conn.execute("BEGIN")
    try:
        yield
    finally:
        db.roll_back(conn)
