"""Transactions, and sqlite's errors in this package's words."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentao.errors import StoreBusy, StoreDamaged, StoreError, StoreFull, StoreReadOnly
from agentao.memory import db


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(db.connect(str(tmp_path / "any.db"))) as conn:
        db.set_durable(conn)
        conn.execute("CREATE TABLE t (a UNIQUE)")
        yield conn


def values(conn: sqlite3.Connection) -> list[int]:
    return [row[0] for row in conn.execute("SELECT a FROM t ORDER BY a")]


def test_a_commit_reaches_the_disk_before_it_returns(conn: sqlite3.Connection) -> None:
    """WAL with an fsync at every commit; deleted text is overwritten; foreign schemas cannot call what has effects."""
    assert conn.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert conn.execute("PRAGMA synchronous").fetchone() == (2,)
    assert conn.execute("PRAGMA secure_delete").fetchone() == (1,)
    assert conn.execute("PRAGMA trusted_schema").fetchone() == (0,)


def test_a_transaction_is_all_or_nothing(conn: sqlite3.Connection) -> None:
    """A block that ends well is committed; one that raises, anything at all, leaves no trace and no open lock."""
    with db.transaction(conn):
        conn.execute("INSERT INTO t VALUES (1)")
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error), db.transaction(conn):
            conn.execute("INSERT INTO t VALUES (2)")
            raise error
    assert values(conn) == [1]
    assert not conn.in_transaction


def test_a_nested_block_is_undone_alone(conn: sqlite3.Connection) -> None:
    """An error caught between the blocks undoes the inner one and leaves what the outer one did."""
    with db.transaction(conn):
        conn.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(ValueError), db.transaction(conn):
            conn.execute("INSERT INTO t VALUES (2)")
            raise ValueError
        with db.transaction(conn), db.transaction(conn):
            conn.execute("INSERT INTO t VALUES (3)")
    assert values(conn) == [1, 3]


def test_the_first_error_is_the_one_that_is_seen(conn: sqlite3.Connection) -> None:
    """When SQLite has rolled back by itself, the clean-up does not hide the cause."""
    with pytest.raises(sqlite3.IntegrityError), db.transaction(conn):
        conn.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
        conn.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
    with pytest.raises(sqlite3.IntegrityError), db.transaction(conn), db.transaction(conn):
        conn.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
        conn.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
    assert not conn.in_transaction


def test_the_write_lock_is_taken_at_once(conn: sqlite3.Connection, tmp_path: Path) -> None:
    """A transaction never reads first and fails at its first write; the wait is over after the limit."""
    with contextlib.closing(db.connect(str(tmp_path / "any.db"))) as other:
        with db.transaction(other):
            with pytest.raises(sqlite3.OperationalError) as caught, db.transaction(conn, wait_s=0.03):
                raise AssertionError("not reached")
            assert db.is_busy(caught.value)
            with pytest.raises(sqlite3.OperationalError), db.transaction(conn, wait_s=0):
                raise AssertionError("not reached")
        with db.transaction(conn):
            conn.execute("INSERT INTO t VALUES (1)")
    assert conn.execute("PRAGMA busy_timeout").fetchone() == (db.READ_WAIT_MS,)


@pytest.mark.parametrize(
    ("code", "error", "words"),
    [
        (sqlite3.SQLITE_BUSY, StoreBusy, "is locked"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreBusy, "is locked"),
        (sqlite3.SQLITE_LOCKED, StoreBusy, "is locked"),
        (sqlite3.SQLITE_READONLY, StoreReadOnly, "cannot be written"),
        (sqlite3.SQLITE_READONLY_DBMOVED, StoreReadOnly, "cannot be written"),
        (sqlite3.SQLITE_FULL, StoreFull, "full"),
        (sqlite3.SQLITE_CORRUPT, StoreDamaged, "is damaged"),
        (sqlite3.SQLITE_NOTADB, StoreDamaged, "is damaged"),
        (sqlite3.SQLITE_CANTOPEN, StoreError, "cannot be opened"),
        (sqlite3.SQLITE_IOERR_FSYNC, StoreError, "reports an error"),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, StoreError, "does not take this"),
    ],
)
def test_each_error_of_sqlite_has_its_class_and_its_words(code: int, error: type[StoreError], words: str) -> None:
    """The message is one line, names the file, and says what happened."""
    fault = sqlite3.OperationalError("some words")
    fault.sqlite_errorcode = code
    with pytest.raises(error) as caught, db.translate(Path("/home/u/memory.db")):
        raise fault
    assert type(caught.value) is error
    assert "/home/u/memory.db" in str(caught.value) and words in str(caught.value) and "\n" not in str(caught.value)
