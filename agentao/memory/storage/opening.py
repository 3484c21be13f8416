"""How a store's file is found, made and opened, in every state a file may be in.

``open_file`` opens what can be read and written, or says why not. ``open_or_memory`` never fails because of a file:

    a damaged file              set aside, what can be read carried into a new one   (recovery.py)
    not writable, locked,       a copy of it is read, writes last for this run only
    full disk, newer version
    unreadable, no file at all  an empty store for this run only
    another user's file, a      not even read: an empty store for this run only
    link out of the project
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from agentao.errors import StoreBusy, StoreDamaged, StoreError, StoreReadOnly, StoreTooNew
from agentao.memory import db, migrations
from agentao.memory.recall import index
from agentao.memory.storage import files, lookups

CHECK_MAX_BYTES = 4 * 2**20
"""A file up to this size is checked whole when it is opened (about 5 ms); a larger one as far as it is read."""

IN_MEMORY_MAX_BYTES = 32 * 2**20
"""A copy of a larger file lies in a temporary file without a name instead of in memory."""

NOTICE_S = 0.05
"""How long a start or a read goes on noting what other programs wrote."""

FOR_THIS_RUN = "New memories last for this run only."


class Opened:
    """An open connection and what there is to say about it. ``path`` is as given, ``real`` without links."""

    def __init__(
        self,
        conn: sqlite3.Connection,
        path: Path | None,
        real: Path | None = None,
        *,
        persistent: bool = True,
        fault: StoreError | None = None,
    ) -> None:
        self.conn = conn
        self.path = path
        self.real = real
        self.persistent = persistent
        self.fault = fault
        """Why the file itself is not used; None where it is, or where there never was one."""
        self.notices: list[str] = []


def open_memory(fault: StoreError | None = None, path: Path | None = None) -> Opened:
    """A store without a file, that lasts as long as the process."""
    conn = db.connect(":memory:")
    migrations.migrate(conn)
    return Opened(conn, path, persistent=False, fault=fault)


def open_file(path: Path, links: bool = False) -> Opened:
    """Open, or make, the file at ``path`` for reading and writing. Raises the ``StoreError`` family."""
    real = files.locate(path, links)
    try:
        return _open(path, real)
    except OSError as exc:
        raise StoreError(f"{path} cannot be opened: {exc.strerror or exc}.") from exc


def _open(path: Path, real: Path) -> Opened:
    files.make_folder(real.parent)
    new = files.make_file(real)
    files.check_access(real)
    files.tighten(real)
    if files.is_torn(real):
        raise StoreDamaged(f"{path} is damaged (it does not begin as a database does).")
    with db.translate(path):
        if files.has_log(real):
            # The last connection that could write would move the log into the file; a look must not change a byte.
            with contextlib.suppress(StoreReadOnly), db.translate(path), reading(real) as conn:
                examine(conn, path, real)
        conn = db.connect(str(real))
    ready = False
    try:
        with db.translate(path):
            db.reach(conn)
            examine(conn, path, real)
            mode = db.set_durable(conn, new=new)
            # A new file holds nothing of the user's: the first save waits for the disk, and for the tables with it.
            with db.unsynced(conn) if new and mode == "wal" else contextlib.nullcontext():
                migrations.complete(conn)
            take_notice(conn)
            ready = True
    finally:
        if not ready:
            conn.close()
    return Opened(conn, path, real)


def open_or_memory(path: Path, links: bool = False) -> Opened:
    """As ``open_file``; where that cannot be, a store for this run only that says why."""
    try:
        real = files.locate(path, links)
    except StoreError as exc:
        return open_memory(exc, path)
    try:
        return open_file(path, links)
    except StoreDamaged as exc:
        return mend(path, links, exc)
    except StoreError as exc:
        return read_copy(path, real, exc)


def mend(path: Path, links: bool, fault: StoreError, seen: tuple[int, int] | None = None) -> Opened:
    """Set the damaged file aside and open a new one with what could be read. ``seen``: the file that was damaged."""
    from agentao.memory.storage import recovery  # rarely needed, and never by the way to a prompt

    try:
        real = files.locate(path, links)
        notice = recovery.replace(path, real, seen or files.identity(real))
        opened = open_file(path, links)
    except (StoreError, OSError, sqlite3.Error) as exc:
        # It cannot be renamed here: read what is there, write nothing.
        reason = exc if isinstance(exc, StoreError) and not isinstance(exc, StoreDamaged) else fault
        opened = open_memory(reason, path)
        with contextlib.suppress(StoreError, OSError, sqlite3.Error):
            opened.notices.append(recovery.read_into(opened.conn, path))
        return opened
    if notice:
        opened.notices.append(notice)
    return opened


def read_copy(path: Path, real: Path, fault: StoreError) -> Opened:
    """What the file holds, in a store for this run only; an empty one where it cannot be read."""
    try:
        if not real.exists():
            return open_memory(fault, path)
        target = ":memory:" if real.stat().st_size <= IN_MEMORY_MAX_BYTES else ""
        with db.translate(path), reading(real) as source:
            conn = db.connect(target)
            if isinstance(fault, StoreTooNew):
                from agentao.memory.storage import recovery

                migrations.migrate(conn)
                recovery.carry(source, conn)
            else:
                source.backup(conn)
                migrations.complete(conn)
            take_notice(conn)
    except (StoreError, OSError):
        return open_memory(fault, path)
    return Opened(conn, path, real, persistent=False, fault=fault)


def take_notice(conn: sqlite3.Connection, whole: bool = False) -> None:
    """Note what other programs wrote before; where one of them is writing right now, at the next read.

    A file of 100,000 rows from elsewhere must not hold up a start: what takes longer than ``NOTICE_S`` waits, unless
    the caller needs the ``whole`` of the memories now.
    """
    until = time.monotonic() + NOTICE_S
    # A full disk must not keep anyone from reading either; damage is no OperationalError.
    with contextlib.suppress(sqlite3.OperationalError):
        if not index.stands(conn):
            with db.transaction(conn, wait_s=0):
                index.create(conn)
        while lookups.unseen(conn, "memory" if whole else None):
            with db.transaction(conn, wait_s=0):
                lookups.catch_up(conn)
            if not whole and time.monotonic() >= until:
                return


def examine(conn: sqlite3.Connection, path: Path, real: Path) -> None:
    """Raise ``StoreTooNew`` or ``StoreDamaged`` where this program must not write; changes nothing."""
    own, stated = migrations.user_version(conn), migrations.stated_version(conn)
    if own > migrations.LATEST or (stated is not None and not 0 <= stated <= migrations.SCHEMA_VERSION):
        found = "?" if stated in (None, -1) else stated
        raise StoreTooNew(
            f"{path} was written by a newer version of agentao (schema {found}.{own}; "
            f"this one knows {migrations.SCHEMA_VERSION}.{migrations.LATEST}): it is read and not changed. "
            "Update agentao to write to it."
        )
    kinds = dict(conn.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"))
    if any(kinds.get(name, "table") != "table" for name in migrations.REQUIRED):
        raise StoreDamaged(f"{path} is damaged (a table of it is no table).")
    if real.stat().st_size <= CHECK_MAX_BYTES:
        faults = check(conn)
        if faults:
            raise StoreDamaged(f"{path} is damaged ({faults[0]}).")


def check(conn: sqlite3.Connection) -> list[str]:
    """What is wrong with the pages of the file; reads all of it."""
    try:
        found = [line for row in conn.execute("PRAGMA quick_check(20)") for line in str(row[0]).splitlines()]
    except sqlite3.DatabaseError as exc:
        if db.primary_code(exc) not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        found = [str(exc)]
    # A broken rule of a column, an unused page or an index that can be made anew loses nothing.
    harmless = ("ok", "***", "NULL value in", "CHECK constraint", "malformed inverted index")
    return [line for line in found if not line.startswith(harmless) and not line.endswith("is never used")]


@contextlib.contextmanager
def reading(real: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot change the file, also where its folder admits no side files."""
    with contextlib.ExitStack() as stack:
        if not files.has_log(real):
            # A connection that might write takes its side files away at the end; where it cannot, it needs none.
            conn = _probe(f"{real.as_uri()}?{'mode=rw' if files.may_write(real) else 'immutable=1'}")
        else:
            try:
                # One that might write would empty the log into the file at the end.
                conn = _probe(f"{real.as_uri()}?mode=ro")
            except sqlite3.Error as exc:
                if db.primary_code(exc) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                    raise
                import tempfile

                work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="agentao-")))
                conn = _probe(files.copy_with_log(real, work / "copy.db").as_uri())
        stack.enter_context(contextlib.closing(conn))
        yield conn


def _probe(uri: str) -> sqlite3.Connection:
    conn = db.connect(uri, uri=True)
    try:
        conn.execute("PRAGMA query_only=ON")
        conn.execute("SELECT 1 FROM sqlite_master").fetchall()
    except sqlite3.Error:
        conn.close()
        raise
    return conn


def put_back(conn: sqlite3.Connection, path: Path, real: Path, links: bool) -> str:
    """Write the file anew that was deleted while ``conn`` has it open; returns what to tell the user."""
    real = files.locate(path, links)
    files.make_folder(real.parent)
    new = real.with_name(f"{real.name}.restoring-{os.getpid()}")
    copy_to(conn, new)
    try:
        # Another process may have put it back already: that one stays.
        with contextlib.suppress(FileExistsError):
            os.link(new, real)
    finally:
        new.unlink(missing_ok=True)
    return f"{path} was deleted while it was open; it was written anew with everything that was in it."


def save_log(conn: sqlite3.Connection, path: Path) -> str:
    """Bring what stands in a deleted log into its file; returns what to tell the user."""
    with db.translate(path):
        busy = conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        raise StoreBusy(f"{path} is in use and its log (-wal) was deleted; nothing was written. Close other programs.")
    return f"The log of {path} (-wal) was deleted while it was open; what stood in it is saved."


def copy_to(conn: sqlite3.Connection, path: Path) -> None:
    """A consistent copy of an open database as one new file for this user alone. Raises: ``StoreError``."""
    if path.exists() or path.is_symlink():
        raise StoreError(f"{path} exists already; nothing was written. Name a new file.")
    files.make_file(path)
    done = False
    try:
        with db.translate(path), contextlib.closing(db.connect(str(path))) as copy:
            conn.backup(copy)
            # One file that can be moved: without the log that WAL would want beside it.
            copy.execute("PRAGMA journal_mode=DELETE")
            done = True
    finally:
        if not done:
            path.unlink(missing_ok=True)
