"""One open store file: its connection, its lock, its transactions, and what other programs did to it meanwhile."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from agentao.memory import db, lookups
from agentao.memory.models import Clock, Scope
from agentao.memory.opening import Opened
from agentao.memory.times import to_stamp


class StoreFile:
    """What every part of a store shares. Any thread may call; calls take turns."""

    def __init__(self, opened: Opened, *, clock: Clock, scope: Scope | None = None) -> None:
        self._opened = opened
        self._conn = opened.conn
        self._clock = clock
        self._lock = threading.RLock()
        self._own_writes = 0
        self._seen_version = -1
        self._closed = False
        self.scope: Scope | None = scope
        self.refresh()

    @property
    def path(self) -> Path | None:
        """The file, also where it could not be used; None for a store without one."""
        return self._opened.path

    @property
    def problem(self) -> str | None:
        """One plain sentence when the file cannot be used as it should."""
        return self._opened.problem

    @property
    def persistent(self) -> bool:
        """Whether writes reach the disk."""
        return self._opened.persistent

    @property
    def writable(self) -> bool:
        """Whether the file itself is written; where it is not, writes last for this run only."""
        return self._opened.persistent

    @property
    def journal_mode(self) -> str:
        """``wal``, or what the disk can do instead; ``memory`` without a file."""
        return self._opened.journal_mode

    @property
    def notices(self) -> list[str]:
        """What was set aside and carried over, one sentence each."""
        return self._opened.notices

    @property
    def connection(self) -> sqlite3.Connection:
        """For the recall index and search only."""
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
                self._conn.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes of the block, or none. Takes the write lock at once; nested, it is a savepoint."""
        with self._lock, db.translate(self._place):
            with db.transaction(self._conn):
                yield
            if not self._conn.in_transaction:
                self._own_writes += 1

    def refresh(self) -> None:
        """Take notice of what other programs wrote since; does nothing, cheaply, when they wrote nothing.

        Never waits for a writer: what cannot be noted now is read as it stands and noted the next time.
        """
        with self._lock, db.translate(self._place):
            if self._conn.in_transaction:
                return
            version = self._file_version()
            if version == self._seen_version:
                return
            if lookups.anything_unseen(self._conn):
                try:
                    with db.transaction(self._conn, wait_s=0):
                        lookups.catch_up(self._conn)
                except sqlite3.OperationalError as exc:
                    if db.is_busy(exc):
                        return
                    raise
            self._seen_version = version

    def has_unseen(self) -> bool:
        """Whether there are rows that the look-ups do not know yet."""
        with self._lock, db.translate(self._place):
            return lookups.anything_unseen(self._conn)

    def data_version(self) -> int:
        """A number that changes whenever any process has written to the file."""
        with self._lock, db.translate(self._place):
            return (self._file_version() << 32) + self._own_writes

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

    def _compact(self) -> None:
        """Write the file anew without its free pages, and empty the log."""
        with self._lock, db.translate(self._place):
            self._conn.execute("VACUUM")
            self._conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @property
    def _place(self) -> Path | str:
        return self._opened.path or "The store in memory"

    def _now(self) -> str:
        return to_stamp(self._clock())

    def _file_version(self) -> int:
        return int(self._conn.execute("PRAGMA data_version").fetchone()[0])

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of one reading statement, so that no read stays open behind it."""
        with self._lock, db.translate(self._place):
            self.refresh()
            return self._conn.execute(sql, values).fetchall()
