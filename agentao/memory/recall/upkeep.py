"""What the recall index needs while nobody waits for it: to be looked through as a whole, and the rest of its records.

Both never wait for another program, and stop when they are told to; what is not done then is done the next time.
"""

from __future__ import annotations

import logging
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from agentao.memory.recall import index, sources
from agentao.memory.recall.postings import IndexDamaged

if TYPE_CHECKING:
    from agentao.memory.recall.documents import Document
    from agentao.memory.store import SQLiteMemoryStore

STOP_EVERY = 1_000
"""After so many instructions of SQLite's machine, well under a millisecond, it is asked whether to stop."""

PAUSE_RECORDS = 8
PAUSE_S = 0.0001
"""After so many records, about two milliseconds, a thread that waits for the interpreter has it: keys are echoed as
typed."""

log = logging.getLogger(__name__)

_examined: weakref.WeakKeyDictionary[SQLiteMemoryStore, sources.Seen] = weakref.WeakKeyDictionary()
"""When the whole index of a store was looked through."""


def due(stores: Iterable[SQLiteMemoryStore]) -> bool:
    """Whether there is anything to do; told at once. Raises: the ``StoreError`` family."""
    for store in stores:
        with store.exclusive() as conn:
            if _unexamined(store, conn) or index.unread(conn):
                return True
    return False


def tend(stores: Iterable[SQLiteMemoryStore], stopped: Callable[[], bool]) -> None:
    """Do all there is to do, in steps, until ``stopped``. Any thread may call.

    The locks of a store and of its file are held for a short part of each step. Raises: the ``StoreError`` family.
    """
    for store in stores:
        if not _examine(store, stopped):
            log.warning("the recall index is made anew: rows of it are lost")
            sources.distrust([store])
        while _index_some(store, stopped):
            pass


def _unexamined(store: SQLiteMemoryStore, conn: sqlite3.Connection) -> bool:
    return store.writable and _examined.get(store) != sources.seen(conn)


def _examine(store: SQLiteMemoryStore, stopped: Callable[[], bool]) -> bool:
    """Look through the whole index, once for each state that others may have left it in; False if rows are lost."""
    with store.exclusive() as conn:
        if stopped() or not sources.usable(store, conn) or not _unexamined(store, conn):
            return True
        now = sources.seen(conn)
    with store.reader() as conn:
        conn.set_progress_handler(stopped, STOP_EVERY)
        try:
            sound = index.whole(conn)
        except sqlite3.OperationalError:
            # Stopped, or another program is at it.
            return True
    _examined[store] = now
    return sound


def _index_some(store: SQLiteMemoryStore, stopped: Callable[[], bool]) -> bool:
    """Index one step's worth of what is unread; False where there is nothing (more) to do now."""
    with store.exclusive() as conn:
        rows = [] if stopped() or conn.in_transaction else index.next_unread(conn)
    documents: dict[str, Document] = {}
    for begin in range(0, len(rows), PAUSE_RECORDS):
        if stopped():
            return False
        documents |= index.analysed(rows[begin : begin + PAUSE_RECORDS])
        time.sleep(PAUSE_S)
    with store.exclusive() as conn:
        if stopped() or not rows:
            return False
        conn.set_progress_handler(stopped, STOP_EVERY)
        try:
            return sources.write_now(conn, lambda conn: index.take(conn, index.unchanged(conn, rows), documents))
        except IndexDamaged as exc:
            log.warning("the recall index is made anew: %s", exc)
            sources.distrust([store])
            return False
        finally:
            conn.set_progress_handler(None, 0)
