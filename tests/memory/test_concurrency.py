"""Many programs at one file: nobody is turned away in silence, nothing is lost, readers wait for no one."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from agentao.errors import StoreBusy
from agentao.memory import db
from agentao.memory.store import SQLiteMemoryStore
from tests.support.stores import fill, old_save, record, rows

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_eight_processes_save_at_once(tmp_path: Path) -> None:
    """CC-01: Eight processes with 250 saves each, from a file that is not there yet: all rows, all events, no error."""
    path = tmp_path / "memory.db"
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.writers", "compete", str(path), "8", "250"],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=280,
        check=True,
    )
    assert json.loads(done.stdout) == {"errors": []}
    with SQLiteMemoryStore.open(path) as store:
        assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.count() == 8 * 250 + 1
        assert len(store.find_by_key("shared")) == 1
        assert store.get_meta("turns") == "80", "a change made in a transaction sees the one before it"
        assert len(store.events()) == 8 * 250 + 80
        assert {len(store.events(session_id=f"p{n}")) for n in range(8)} == {250}
        assert len(store.filter_by_tag("alpha")) == store.count()


def test_a_save_waits_for_another_programs_lock(tmp_path: Path) -> None:
    """CC-01: While another program writes, a save waits and then succeeds."""
    path = tmp_path / "memory.db"
    fill(path, 1)
    writer = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO schema_meta VALUES ('held', 'yes')")
    release = threading.Timer(0.3, lambda: writer.execute("COMMIT"))
    with contextlib.closing(writer), SQLiteMemoryStore.open(path) as store:
        release.start()
        store.write(record(9), "create")
        assert store.get_meta("held") == "yes", "it was written after the lock was free"
        release.join()
    assert rows(path, "SELECT count(*) FROM memories") == [(2,)]


def test_a_lock_held_too_long_is_an_error_and_no_silent_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CC-02: After the wait the save fails in words; nothing went to memory instead; when the lock is free saves
    work."""
    assert db.LOCK_WAIT_S < 10
    monkeypatch.setattr(db, "LOCK_WAIT_S", 0.05)
    path = tmp_path / "memory.db"
    fill(path, 1)
    writer = sqlite3.connect(path, isolation_level=None)
    with contextlib.closing(writer), SQLiteMemoryStore.open_or_memory(path) as store:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match=r"memory\.db is locked.*nothing was written.*[Tt]ry again"):
            store.write(record(9), "create")
        assert store.persistent and store.count() == 1 and len(store.records()) == 1
        assert not store.connection.in_transaction
        writer.execute("ROLLBACK")
        store.write(record(9), "create")
        assert store.count() == 2


def test_one_command_waits_no_longer_than_its_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CC-02: the waits of one command for all its locks together have one limit; the next command has its own."""
    assert db.COMMAND_WAIT_S < 10
    monkeypatch.setattr(db, "LOCK_WAIT_S", 0.1)
    monkeypatch.setattr(db, "COMMAND_WAIT_S", 0.15)
    path = tmp_path / "memory.db"
    fill(path, 1)
    tries: list[str] = []

    def save(store: SQLiteMemoryStore) -> int:
        """How often the save asked for the lock before it gave up."""
        tries.clear()
        with pytest.raises(StoreBusy, match="locked"):
            store.write(record(9), "create")
        return len([sql for sql in tries if sql.startswith("BEGIN")])

    with (
        contextlib.closing(sqlite3.connect(path, isolation_level=None)) as writer,
        SQLiteMemoryStore.open(path) as store,
    ):
        writer.execute("BEGIN IMMEDIATE")
        store.connection.set_trace_callback(tries.append)
        with db.one_command():
            assert save(store) > 1
            with db.one_command():
                assert save(store) >= 1
            assert save(store) == save(store) == 1, "the patience is at its end: one look at the lock, and no wait"
        assert save(store) > 1
        with db.one_command():
            assert save(store) > 1


def test_readers_are_not_held_up_by_a_writer(tmp_path: Path) -> None:
    """CC-03: With the write lock held, and rows of an older version not yet noted, every read answers, tags
    included."""
    path = tmp_path / "memory.db"
    fill(path, 3)
    with SQLiteMemoryStore.open(path) as store, contextlib.closing(sqlite3.connect(path)) as other:
        assert store.count() == 3
        old_save(other, 1)
        other.commit()
        other.execute("BEGIN IMMEDIATE")
        assert [r.id for r in store.filter_by_tag("GRÖSSE")] == ["old1"]
        assert [r.id for r in store.find_by_title("old 1")] == ["old1"]
        assert dict(store.tag_counts())["old"] == 1
        (seen,) = store.find_by_key("old_1")
        assert seen.created_at.endswith("+00:00")
        assert len(store.records()) == store.count() == 4
        assert store.has_unseen(), "it could not be noted while the lock was held"
        other.rollback()
        assert [r.id for r in store.filter_by_tag("größe")] == ["old1"]
        assert not store.has_unseen()


def test_two_sessions_see_each_others_saves(tmp_path: Path) -> None:
    """CC-04: What one session saves the other lists at once, and its version number of the data tells that it
    changed."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open(path) as first, SQLiteMemoryStore.open(path) as second:
        before = first.data_version(), second.data_version()
        assert (first.data_version(), second.data_version()) == before, "nothing happened, nothing changes"
        second.write(record(2), "create")
        first.write(record(1), "create")
        for store, old in zip((first, second), before, strict=True):
            assert [r.id for r in store.records()] == ["m00001", "m00002"]
            assert store.data_version() != old


def test_threads_share_a_store(tmp_path: Path) -> None:
    """Threads of one process (completion reads beside the conversation) take turns: no error, nothing mixed up."""
    errors: list[BaseException] = []
    with SQLiteMemoryStore.open(tmp_path / "memory.db") as store:

        def work(number: int) -> None:
            try:
                for at in range(25):
                    with store.transaction():
                        store.write(record(at, id=f"t{number}n{at}", key_normalized=f"t{number}n{at}"), "create")
                        assert len(store.records()) >= at
            except BaseException as exc:
                errors.append(exc)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert store.count() == len(store.events()) == 100
