"""One SQLite connection as the stores need it: pragmas, transactions, and sqlite's errors in this package's words."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentao.errors import StoreBusy, StoreDamaged, StoreError, StoreFull, StoreReadOnly

LOCK_WAIT_S = 4.5
"""How long a write waits for other programs."""

COMMAND_WAIT_S = 8.0
"""How long all that one command does waits for other programs, however many locks it needs: with the start of the
program before it, the answer is there within ten seconds."""

READ_WAIT_MS = 8_000
"""How long a read waits where it must: while another process recovers a log after a crash, or without WAL."""

LOCK_POLL_MS = 20
"""How long one attempt to get the write lock lasts. SQLite's own wait backs off to 100 ms and starves writers."""

CACHE_KIB = 8_192
"""Page cache of one connection: the inner pages of every index at 100,000 memories."""


class _Connection(sqlite3.Connection):
    """Remembers how long it waits for a lock: SQLite prepares a pragma anew each time."""

    wait_ms = -1


def connect(target: str, *, uri: bool = False) -> sqlite3.Connection:
    """A plain connection in autocommit mode that any thread may use (the store holds a lock around it)."""
    # The store's lock keeps threads apart: completion reads from a thread of its own.
    conn = sqlite3.connect(
        target, isolation_level=None, uri=uri, check_same_thread=False, cached_statements=256, factory=_Connection
    )
    # Wait for a lock instead of failing at once.
    set_wait(conn)
    # A file from elsewhere may hold triggers and views: they may call nothing that has side effects.
    conn.execute("PRAGMA trusted_schema=OFF")
    return conn


def set_wait(conn: sqlite3.Connection, wait_ms: int = READ_WAIT_MS) -> None:
    """How long a statement waits for the locks of other programs."""
    if isinstance(conn, _Connection) and conn.wait_ms == wait_ms:
        return
    conn.execute(f"PRAGMA busy_timeout={wait_ms:d}")
    if isinstance(conn, _Connection):
        conn.wait_ms = wait_ms


def reach(conn: sqlite3.Connection) -> None:
    """Read once; a file in WAL mode on a disk without shared memory is brought out of that mode, or cannot be read."""
    try:
        conn.execute("SELECT 1 FROM sqlite_master").fetchall()
    except sqlite3.OperationalError as exc:
        if primary_code(exc) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_IOERR):
            raise
        # Alone with the file, a connection needs no shared memory for the log.
        conn.execute("PRAGMA locking_mode=EXCLUSIVE")
        conn.execute("PRAGMA journal_mode=DELETE").fetchall()
        conn.execute("PRAGMA locking_mode=NORMAL")
        conn.execute("SELECT 1 FROM sqlite_master").fetchall()


def set_durable(conn: sqlite3.Connection, *, new: bool = False) -> str:
    """Switch to WAL where the disk can do it, with an fsync at every commit; returns the journal mode in force.

    ``new``: this process has just made the file, so that there is nothing to roll back to if its first page fails.
    """
    # FULL: in WAL mode the default of some builds (NORMAL) loses the newest commits at a power cut.
    conn.execute("PRAGMA synchronous=FULL")
    conn.execute(f"PRAGMA cache_size=-{CACHE_KIB:d}")
    # Deleted text is overwritten in the file.
    conn.execute("PRAGMA secure_delete=ON")
    mode = str(conn.execute("PRAGMA journal_mode").fetchone()[0]).lower()
    if mode == "wal":
        return mode
    try:
        if new:
            conn.execute("PRAGMA journal_mode=MEMORY").fetchone()
        # Readers are not blocked by a writer. A network file system refuses it, with an error or with another mode.
        if str(conn.execute("PRAGMA journal_mode=WAL").fetchone()[0]).lower() == "wal":
            return "wal"
    except sqlite3.OperationalError as exc:
        if is_busy(exc) and not new:
            return mode
    return str(conn.execute("PRAGMA journal_mode=DELETE").fetchone()[0]).lower()


@contextmanager
def unsynced(conn: sqlite3.Connection) -> Iterator[None]:
    """Within the block no commit waits for the disk. In WAL mode the next one outside it waits for all of them."""
    conn.execute("PRAGMA synchronous=OFF")
    try:
        yield
    finally:
        conn.execute("PRAGMA synchronous=FULL")


def primary_code(exc: sqlite3.Error) -> int:
    """SQLite's primary result code of ``exc``, 0 when it has none."""
    code = getattr(exc, "sqlite_errorcode", 0)
    return int(code or 0) & 0xFF


def is_busy(exc: BaseException) -> bool:
    """Whether another connection's lock is the cause."""
    return isinstance(exc, sqlite3.Error) and primary_code(exc) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def store_error(exc: sqlite3.Error | UnicodeError, place: Path | str) -> StoreError:
    """``exc`` as one sentence that names the file and what to do."""
    if isinstance(exc, UnicodeError):
        return StoreError(f"{place}: the text holds characters that no file can store; nothing was written.")
    code = primary_code(exc)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return StoreBusy(
            f"{place} is locked: another program has been writing to it for too long; "
            "nothing was written. Try again when it is done."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return StoreReadOnly(f"{place} cannot be written; nothing was saved. Check who owns it and its folder.")
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(f"The disk that holds {place} is full; nothing was written. Free some space and try again.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreDamaged(f"{place} is damaged ({exc}).")
    if code == sqlite3.SQLITE_CONSTRAINT:
        return StoreError(
            f"{place} does not take this ({exc}); nothing was written. A rule that agentao did not make stands in the "
            "file: /memory export FILE, move the database away, then /memory import FILE."
        )
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreError(f"{place} cannot be opened. Check that the file and its folder exist and are yours.")
    return StoreError(f"{place}: the database reports an error: {exc}.")


@contextmanager
def translate(place: Path | str) -> Iterator[None]:
    """Within the block, sqlite's errors become the ``StoreError`` family."""
    try:
        yield
    except (sqlite3.Error, UnicodeEncodeError) as exc:
        raise store_error(exc, place) from exc


class _Patience(threading.local):
    """How long the command that this thread carries out may go on waiting; None outside of one."""

    left_s: float | None = None


_patience = _Patience()


@contextmanager
def one_command() -> Iterator[None]:
    """All waits for locks in the block together take ``COMMAND_WAIT_S`` at most; nested, it is part of the outer."""
    if _patience.left_s is not None:
        yield
        return
    _patience.left_s = COMMAND_WAIT_S
    try:
        yield
    finally:
        _patience.left_s = None


@contextmanager
def _waiting() -> Iterator[float]:
    """Gives how long (in seconds) may be waited; the time in the block counts as waited."""
    left_s, start = _patience.left_s, time.monotonic()
    try:
        yield LOCK_WAIT_S if left_s is None else min(LOCK_WAIT_S, left_s)
    finally:
        if left_s is not None:
            _patience.left_s = max(0.0, left_s - (time.monotonic() - start))


def begin_immediate(conn: sqlite3.Connection, wait_s: float | None = None, *, waits: bool = True) -> None:
    """Take the write lock. From then on the connection waits for no longer than what is left of the time.

    ``waits=False``: in WAL mode, where nothing inside of a transaction waits; the wait stays as the lock needed it.
    """
    with _waiting() as longest_s:
        _begin_immediate(conn, longest_s if wait_s is None else wait_s, waits)


def _begin_immediate(conn: sqlite3.Connection, wait_s: float, waits: bool) -> None:
    left_ms = READ_WAIT_MS
    deadline = time.monotonic() + wait_s
    set_wait(conn, LOCK_POLL_MS if wait_s > 0 else 0)
    try:
        while True:
            try:
                conn.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as exc:
                if not is_busy(exc) or time.monotonic() >= deadline:
                    raise
            else:
                left_ms = max(1, int((deadline - time.monotonic()) * 1000))
                return
    finally:
        if waits:
            set_wait(conn, left_ms)


def compact(conn: sqlite3.Connection) -> bool:
    """Write the file anew without its free pages and empty its log; False where another program that reads keeps it."""
    with _waiting() as longest_s:
        set_wait(conn, int(longest_s * 1000))
        try:
            conn.execute("VACUUM")
            return not conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError as exc:
            if not is_busy(exc):
                raise
            return False
        finally:
            set_wait(conn)


def give_way() -> None:
    """Between two of many transactions: leave the lock alone for as long as a waiting writer needs to look again."""
    time.sleep(LOCK_POLL_MS * 1.5 / 1000)


@contextmanager
def transaction(conn: sqlite3.Connection, wait_s: float | None = None, *, waits: bool = True) -> Iterator[None]:
    """``BEGIN IMMEDIATE`` … commit; rolled back on any error. Nested, it is a savepoint.

    ``waits=False``: as for ``begin_immediate``; who reads next says how long that may wait.
    """
    if conn.in_transaction:
        with _savepoint(conn):
            yield
        return
    begin_immediate(conn, wait_s, waits=waits)
    committed = False
    try:
        yield
        # Without WAL the commit waits for readers; the wait as a whole stays within the limit.
        conn.execute("COMMIT")
        committed = True
    finally:
        if not committed:
            roll_back(conn)
        if waits:
            with contextlib.suppress(sqlite3.Error):
                set_wait(conn)


@contextmanager
def _savepoint(conn: sqlite3.Connection) -> Iterator[None]:
    conn.execute("SAVEPOINT inner_block")
    released = False
    try:
        yield
        conn.execute("RELEASE inner_block")
        released = True
    finally:
        # After some errors (disk full) SQLite has rolled everything back by itself and the savepoint is gone.
        if not released and conn.in_transaction:
            conn.execute("ROLLBACK TO inner_block")
            conn.execute("RELEASE inner_block")


def roll_back(conn: sqlite3.Connection) -> None:
    """Roll back if a transaction is open; a failure here never hides the error that led to it."""
    with contextlib.suppress(sqlite3.Error):
        if conn.in_transaction:
            conn.execute("ROLLBACK")
