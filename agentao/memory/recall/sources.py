"""One store as recall and search read it: its index, or its records where no index can be used."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from agentao.memory import db
from agentao.memory.recall import index, segments
from agentao.memory.recall.documents import TERM_END, Columns, Document, analyse, find, text_only
from agentao.memory.recall.postings import IndexDamaged, Postings

if TYPE_CHECKING:
    from agentao.memory.store import SQLiteMemoryStore

UNWRITTEN = 0x8000_0000
"""Documents from here on are read from the records and stand in no table: the store could not be written meanwhile."""

KEPT_DOCUMENTS = 200_000
KEPT_POSTINGS = 8_000_000
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
        self._found: dict[str, Sequence[tuple[int, Postings]]] = {}
        self._held = 0
        if before and before.columns.keys() == self.columns.keys():
            self._found, self._held = before._found, before._held

    def find(self, terms: Sequence[str]) -> list[dict[str, Postings]]:
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
        found: list[dict[str, Postings]] = [{} for _ in self.columns]
        for term in terms:
            for at, postings in known[term]:
                found[at][term] = postings
        return found


class IndexSource:
    """The index of one store as it stands in one version of the file, read in a transaction."""

    def __init__(
        self,
        conn: sqlite3.Connection,
        read: Callable[[], Mapping[str, Document]],
        version: Version | None = None,
        before: IndexSource | None = None,
    ) -> None:
        """``read`` gives the documents, by id, of those unread records that are to be looked at."""
        self._conn = conn
        self._version = version
        self._written: Segments = Segments(conn, before._written if before else None)
        self.segments: list[Columns] = list(self._written.columns.values())
        self.gone: frozenset[int] = index.gone(conn)
        self.unwritten: dict[int, str] = {}
        """Number to id of documents that are read from their records."""
        self._waiting = index.pending(conn)
        self.unread = unread = index.unread(conn)
        """How many records are not looked at, because the index does not know them yet."""
        if unread:
            self._overlay(read())
        self.segments.append(Columns.of(self._waiting))
        self.count = sum(len(columns.numbers) for columns in self.segments) - len(self.gone)
        self.light = not unread and self.count <= KEPT_DOCUMENTS and len(self._waiting) <= index.PENDING_MAX
        """Whether it may be kept."""

    def _overlay(self, documents: Mapping[str, Document]) -> None:
        """Take these documents in place of what the index says of records that were changed."""
        stale = index.unread_numbers(self._conn)
        waiting = [document for document in self._waiting if document.number not in stale]
        self.gone |= stale - {document.number for document in self._waiting}
        self.unwritten = dict(enumerate(documents, UNWRITTEN))
        waiting += [document._replace(number=n) for n, document in enumerate(documents.values(), UNWRITTEN)]
        self.unread -= len(documents)
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

    def stands(self, conn: sqlite3.Connection, version: Version) -> bool:
        """Whether this is the version that ``conn`` sees."""
        return conn is self._conn and version == self._version

    def find(self, terms: Sequence[str]) -> list[Mapping[str, Postings]]:
        """For each segment the postings of those terms that occur in it. Raises: ``IndexDamaged``."""
        return [*self._written.find(terms), find(self._waiting, self._unmerged.intersection(terms))]

    def ids(self, numbers: Collection[int]) -> dict[int, str]:
        """Number to record id."""
        return _ids(self._conn, self.unwritten, numbers)

    def texts(self) -> Iterator[tuple[int, segments.Texts]]:
        """All texts in parts, each with the place of its segment. Raises: ``IndexDamaged``."""
        for at, number in enumerate(self._written.columns):
            for part in segments.texts(self._conn, number):
                yield at, part
        yield len(self.segments) - 1, segments.join(document.text for document in self._waiting)


class RecordSource:
    """Records of a store analysed now, for a file that has no index and cannot be given one."""

    def __init__(self, documents: Mapping[str, Document], unread: int = 0) -> None:
        """``unread``: how many more records there are."""
        self.unwritten = dict(enumerate(documents, UNWRITTEN))
        self._documents = [document._replace(number=n) for n, document in enumerate(documents.values(), UNWRITTEN)]
        self.segments = [Columns.of(self._documents)]
        self.gone: frozenset[int] = frozenset()
        self.dead = [self.gone]
        self.count = len(documents)
        self.unread = unread

    def find(self, terms: Sequence[str]) -> list[Mapping[str, Postings]]:
        """For the one segment the postings of those terms that occur in it."""
        return [find(self._documents, terms)]

    def ids(self, numbers: Collection[int]) -> dict[int, str]:
        """Number to record id."""
        return {number: self.unwritten[number] for number in numbers}

    def texts(self) -> Iterator[tuple[int, segments.Texts]]:
        """All texts as one part."""
        yield 0, segments.join(document.text for document in self._documents)


StoreSource = IndexSource | RecordSource


def ids(store: SQLiteMemoryStore, unwritten: Mapping[int, str], numbers: Collection[int]) -> dict[int, str]:
    """Number to record id, for the numbers of a source that is closed; ``unwritten`` was its own."""
    with suppress(IndexDamaged), store.exclusive() as conn, segments.own_tables():
        return _ids(conn, unwritten, numbers)
    return {}


def _ids(conn: sqlite3.Connection, unwritten: Mapping[int, str], numbers: Collection[int]) -> dict[int, str]:
    written = index.ids_of(conn, [number for number in numbers if number < UNWRITTEN])
    return written | {number: unwritten[number] for number in numbers if number in unwritten}


Seen = tuple[sqlite3.Connection, int]
"""A state of a file as other programs left it: a connection, and what changes with every commit of another one."""

_checked: weakref.WeakKeyDictionary[SQLiteMemoryStore, Seen] = weakref.WeakKeyDictionary()
"""When the index of a store was found sound, or made anew."""


def seen(conn: sqlite3.Connection) -> Seen:
    """The state that ``conn`` sees now."""
    return conn, int(conn.execute("PRAGMA data_version").fetchone()[0])


@contextmanager
def opened(
    stores: Iterable[SQLiteMemoryStore], *, use_index: bool = True, needles: Sequence[str] | None = None
) -> Iterator[list[StoreSource]]:
    """The sources of these stores, each as it stands at one moment. ``use_index=False``: read the records instead.

    A missing or damaged index is made anew, one step now and the rest later; ``unread`` says what is left out until
    then. With ``needles`` nothing is: of what is not indexed, the texts in which all of these folded texts occur are
    looked at. Raises: the ``StoreError`` family, ``IndexDamaged``.
    """
    with ExitStack() as stack:
        sources: list[StoreSource] = []
        for store in stores:
            conn = stack.enter_context(store.exclusive())
            stack.enter_context(segments.own_tables())
            if use_index and usable(store, conn):
                read = _reader(conn, needles)
                alone = not conn.in_transaction
                stack.enter_context(_one_moment(conn))
                sources.append(_latest(store, conn, read) if alone else IndexSource(conn, read))
            else:
                sources.append(_record_source(store, needles, whole=not use_index))
        yield sources


def _reader(conn: sqlite3.Connection, needles: Sequence[str] | None) -> Callable[[], Mapping[str, Document]]:
    """Indexes what can be indexed now; gives what reads of the rest what has to be looked at all the same."""
    unread = index.unread(conn)
    # Search is asked for at every key of a completion: it only does what is done with one step.
    step = unread and (needles is None or unread <= index.STEP_RECORDS)
    written = bool(step) and write_now(conn, index.step)
    if needles is not None:
        return lambda: index.unread_texts(conn, needles)
    return lambda: {} if written else index.analysed(index.next_unread(conn))


def _record_source(store: SQLiteMemoryStore, needles: Sequence[str] | None, *, whole: bool) -> RecordSource:
    if needles is not None:
        return RecordSource({record.id: text_only(record) for record in store.records()})
    limit = None if whole else index.STEP_RECORDS
    records = store.records(order="updated", newest_first=True, limit=limit)
    return RecordSource({record.id: analyse(record) for record in records}, store.count() - len(records))


_kept: weakref.WeakKeyDictionary[SQLiteMemoryStore, IndexSource] = weakref.WeakKeyDictionary()
"""What the last question of each store read."""


def _latest(
    store: SQLiteMemoryStore, conn: sqlite3.Connection, read: Callable[[], Mapping[str, Document]]
) -> IndexSource:
    """The source of the last question as long as nobody has written since, else a new one."""
    # The first changes with every commit of another connection, the second with every row that this one changed.
    version = (int(conn.execute("PRAGMA data_version").fetchone()[0]), conn.total_changes)
    source = _kept.get(store)
    if source is None or not source.stands(conn, version):
        source = IndexSource(conn, read, version, _kept.pop(store, None))
        if source.light:
            _kept[store] = source
    return source


def distrust(stores: Iterable[SQLiteMemoryStore]) -> None:
    """The index of one of these stores was found damaged: check, and if need be make it anew, at the next opening."""
    for store in stores:
        _checked.pop(store, None)
        _kept.pop(store, None)
        with store.exclusive() as conn:
            write_now(conn, index.create)


def unread(stores: Iterable[SQLiteMemoryStore]) -> int:
    """How many records no index knows now. Raises: the ``StoreError`` family."""
    total = 0
    for store in stores:
        with store.exclusive() as conn:
            total += index.unread(conn) if index.check(conn).usable else store.count()
    return total


def usable(store: SQLiteMemoryStore, conn: sqlite3.Connection) -> bool:
    """Whether the index can be read; what is wrong or missing is put right first where the file can be written now."""
    # First the store's own notes: they rewrite times, which would mark the records for the index once more.
    store.refresh(whole=True)
    now = seen(conn)
    if _checked.get(store) != now:
        health = index.check(conn)
        if not (health.usable and health.complete) and not write_now(conn, index.create):
            return health.usable
        _checked[store] = now
    return True


def write_now(conn: sqlite3.Connection, change: Callable[[sqlite3.Connection], object]) -> bool:
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
