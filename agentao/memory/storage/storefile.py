"""One open store file: its connection, its lock, its transactions, and what happens to it meanwhile.

Other programs write to the file: ``refresh`` takes notice. It may be deleted or replaced while it is open: before each
use the name is compared with what is open. It may turn out to be damaged: then it is set aside as at the start.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from agentao.errors import StoreDamaged
from agentao.memory import db
from agentao.memory.models import Clock, Scope
from agentao.memory.storage import files, lookups, opening
from agentao.memory.storage.opening import Opened
from agentao.memory.storage.times import to_stamp


class StoreFile:
    """What every part of a store shares. Any thread may call; calls take turns.

    ``forgiving``: a damaged file is set aside, as ``open_or_memory`` does; else it is an error. ``links`` and
    ``must_last`` as there.
    """

    def __init__(
        self,
        opened: Opened,
        *,
        clock: Clock,
        scope: Scope | None = None,
        forgiving: bool = False,
        links: bool = False,
        must_last: bool = False,
    ) -> None:
        self._clock = clock
        self._lock = threading.RLock()
        self._forgiving, self._links, self._must_last = forgiving, links, must_last
        self._epoch = self._own_writes = 0
        self.replaced = 0
        """How often another file was found under the name, which need not be from here."""
        self._closed = False
        self.scope: Scope | None = scope
        self._adopt(opened)

    def _adopt(self, opened: Opened) -> None:
        self._opened = opened
        self._conn = opened.conn
        self._seen_version = -1
        self._epoch += 1
        self._name = str(opened.real)
        self._identity = files.identity(self._name) if opened.real and opened.persistent else None
        self._has_wal = self.journal_mode == "wal"

    @property
    def path(self) -> Path | None:
        """The file, also where it could not be used; None for a store without one."""
        return self._opened.path

    @property
    def problem(self) -> str | None:
        """One plain sentence when the file cannot be used as it should."""
        fault = self._opened.fault
        if fault is None:
            return None
        return str(fault) if self._must_last else f"{fault} {opening.FOR_THIS_RUN}"

    @property
    def persistent(self) -> bool:
        """Whether writes reach the disk; where they do not, they last for this run only."""
        return self._opened.persistent

    @property
    def writable(self) -> bool:
        """Whether the file itself is written."""
        return self._opened.persistent

    @property
    def journal_mode(self) -> str:
        """``wal``, or what the disk can do instead; ``memory`` where nothing reaches the disk."""
        if not self.persistent:
            return "memory"
        with self._lock, db.translate(self._place):
            self._may_wait()
            return str(self._conn.execute("PRAGMA journal_mode").fetchone()[0]).lower()

    @property
    def notices(self) -> list[str]:
        """What was set aside, carried over or found replaced, one sentence each, oldest first."""
        return self._opened.notices

    @property
    def connection(self) -> sqlite3.Connection:
        """For the recall index and search only. It may be another one after the next call."""
        return self._conn

    @property
    def store_id(self) -> str:
        """The random id of this file."""
        return self.get_meta("store_id") or ""

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes of the block, or none. Takes the write lock at once; nested, it is a savepoint."""
        with self._lock:
            if self._conn.in_transaction:
                with db.translate(self._place), db.transaction(self._conn):
                    yield
                return
            with db.translate(self._place):
                self._follow()
            fault = self._opened.fault
            if self._must_last and fault is not None:
                said = "nothing was" in str(fault)
                raise type(fault)(str(fault) if said else f"Nothing was written: {fault}")
            try:
                with db.translate(self._place):
                    for noticed in (False, True):
                        with db.transaction(self._conn, waits=not self._has_wal):
                            if noticed or self._file_version() == self._seen_version:
                                yield
                                break
                        # Another program may have taken away what a write needs.
                        self.refresh()
            except StoreDamaged as exc:
                if self._mend(exc):
                    raise StoreDamaged(f"{exc} It was set aside; nothing was written. Try again.") from exc
                raise
            self._own_writes += 1

    @contextmanager
    def _joined(self) -> Iterator[None]:
        """As ``transaction``; nested, it is a part of the outer one, which an error undoes as a whole."""
        with self._lock:
            if not self._conn.in_transaction:
                with self.transaction():
                    yield
                return
            with db.translate(self._place):
                done = False
                try:
                    yield
                    done = True
                finally:
                    if not done:
                        db.roll_back(self._conn)

    @contextmanager
    def exclusive(self) -> Iterator[sqlite3.Connection]:
        """The connection, for several statements of the recall index and search with no other thread in between."""
        with self._lock, db.translate(self._place):
            self._may_wait()
            yield self._conn

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        """Another connection to the file, for reading what takes long: the store can be used meanwhile."""
        assert self._opened.real is not None, "there is no file"
        with db.translate(self._place), opening.reading(self._opened.real) as conn:
            yield conn

    def refresh(self, whole: bool = False) -> None:
        """Take notice of what other programs did since; does nothing, cheaply, when they did nothing.

        Never waits for a writer, nor long for many rows: what is not noted now is read as it stands and noted later.
        ``whole``: all memories are noted now, if nobody is writing.
        """
        with self._lock, db.translate(self._place):
            if self._conn.in_transaction:
                return
            self._follow()
            self._may_wait()
            version = self._file_version()
            if version != self._seen_version:
                opening.take_notice(self._conn, whole)
                if not lookups.unseen(self._conn):
                    self._seen_version = version

    def follow(self) -> None:
        """Look whether the open file still is the one of its name; open what is there now, or put it back."""
        with self._lock, db.translate(self._place):
            if not self._conn.in_transaction:
                self._follow()

    def has_unseen(self) -> bool:
        """Whether there are memories that the look-ups do not know yet."""
        with self._lock, db.translate(self._place):
            self._may_wait()
            return lookups.unseen(self._conn, "memory")

    def faults(self) -> list[str]:
        """What is wrong with the file's pages, one line each; reads the whole file."""
        with self._lock, db.translate(self._place):
            self._may_wait()
            return opening.check(self._conn)

    def data_version(self) -> int:
        """A number that changes whenever any process has written to the file."""
        with self._lock, db.translate(self._place):
            self.refresh()
            return (((self._epoch << 32) + self._file_version()) << 32) + self._own_writes

    def compact(self) -> bool:
        """Take text that was removed out of the file and its log; False where another program's reading keeps it."""
        with self._lock, db.translate(self._place):
            return db.compact(self._conn)

    def get_meta(self, key: str) -> str | None:
        """One value of ``schema_meta``."""
        rows = self._rows("SELECT value FROM schema_meta WHERE key = ?", (key,))
        return None if not rows or rows[0][0] is None else str(rows[0][0])

    def set_meta(self, key: str, value: str) -> None:
        """Set one value of ``schema_meta``."""
        with self.transaction():
            self._conn.execute(
                "INSERT INTO schema_meta (key, value) VALUES (?, ?) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, value),
            )

    # -- inside ----------------------------------------------------------------

    @property
    def _place(self) -> Path | str:
        return self._opened.path or "The store in memory"

    def _now(self) -> str:
        return to_stamp(self._clock())

    def _may_wait(self) -> None:
        """Before a read: after a save in WAL mode the connection waits as briefly as a save does."""
        if not self._conn.in_transaction:
            db.set_wait(self._conn)

    def _file_version(self) -> int:
        return int(self._conn.execute("PRAGMA data_version").fetchone()[0])

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of one reading statement, so that no read stays open behind it."""
        with self._lock:
            try:
                return self._rows_once(sql, values)
            except StoreDamaged as exc:
                if not self._mend(exc):
                    raise
                return self._rows_once(sql, values)

    def _rows_once(self, sql: str, values: Sequence[Any]) -> list[Any]:
        with db.translate(self._place):
            if not self._conn.in_transaction:
                self.refresh()
            try:
                return self._conn.execute(sql, values).fetchall()
            except sqlite3.OperationalError as exc:
                if "decode" not in str(exc).lower():
                    raise
                # Bytes that are no UTF-8, from another program: shown as U+FFFD from here on.
                self._conn.text_factory = lambda data: data.decode("utf-8", "replace")
                return self._conn.execute(sql, values).fetchall()

    def _mend(self, fault: StoreDamaged) -> bool:
        """Set the damaged file aside and go on with a new one; whether that was done."""
        path = self.path
        if not self._forgiving or path is None or not self.persistent or self._conn.in_transaction:
            return False
        self._leave()
        before = self.notices
        self._adopt(opening.mend(path, self._links, fault, self._identity))
        self.notices[:0] = before
        return True

    def _follow(self) -> None:
        path, real = self._opened.path, self._opened.real
        if self._identity is None or real is None or path is None:
            return
        now = files.identity(self._name)
        log_gone = self._has_wal and now == self._identity and files.identity(self._name + "-wal") is None
        if now == self._identity and not log_gone:
            return
        self._may_wait()
        if log_gone:
            notice = opening.save_log(self._conn, path)
        elif now is None:
            notice = opening.put_back(self._conn, path, real, self._links)
        else:
            notice = f"{path} was replaced while it was open; the file that is there now is used."
        self._leave()
        self.replaced += 1
        before = self.notices
        self._adopt((opening.open_or_memory if self._forgiving else opening.open_file)(path, self._links))
        self.notices[:0] = [*before, notice]

    def _leave(self) -> None:
        """Close the connection, or never, where its file is no longer the one of that name.

        SQLite's last connection deletes ``-wal`` and ``-shm`` by their names, and these may be another file's by now.
        """
        real = self._opened.real
        if self._identity is not None and real is not None and files.identity(real) != self._identity:
            import ctypes

            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._conn))
            return
        with contextlib.suppress(sqlite3.Error):
            self._conn.close()
