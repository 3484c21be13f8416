"""Every state that a store's file can be in, and what becomes of it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentao.errors import StoreBusy, StoreDamaged, StoreError, StoreFull, StoreReadOnly, StoreTooNew
from agentao.memory import db, migrations
from agentao.memory.store import SQLiteMemoryStore
from tests.support.stores import NOBODY, as_other_user, fill, modes, old_file, record, rows

COUNT = 40


@dataclass(frozen=True)
class State:
    """How a file is brought into one state, and what is promised then.

    ``reads`` is how many memories are seen; ``problem`` and ``notice`` are words that must be told; ``same``: the file
    is not changed by a byte; ``error``: what the strict ``open`` raises.
    """

    name: str
    make: Callable[[Path], None]
    reads: int
    persistent: bool = True
    problem: str = ""
    notice: str = ""
    same: bool = False
    error: type[StoreError] | None = None


def nothing(path: Path) -> None:
    """No file and no folder."""


def empty(path: Path) -> None:
    path.parent.mkdir()
    path.touch()


def whole(path: Path) -> None:
    fill(path, COUNT)


def unwritable(path: Path) -> None:
    fill(path, COUNT)
    path.chmod(0o400)


def unreadable(path: Path) -> None:
    fill(path, COUNT)
    path.chmod(0)


def folder_unwritable(path: Path) -> None:
    fill(path, COUNT)
    path.parent.chmod(0o500)


def folder_unwritable_with_log(path: Path) -> None:
    left_log(path)
    path.parent.chmod(0o500)


def folder_unwritable_and_empty(path: Path) -> None:
    path.parent.mkdir()
    path.parent.chmod(0o500)


def folder_closed(path: Path) -> None:
    fill(path, COUNT)
    path.parent.chmod(0)


def folder_in_its_place(path: Path) -> None:
    path.mkdir(parents=True)


def pipe_in_its_place(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)


def file_in_the_folders_place(path: Path) -> None:
    path.parent.write_text("a file")


def link_out_of_the_project(path: Path) -> None:
    fill(path.parent.parent / "elsewhere" / "victim.db", COUNT)
    path.parent.mkdir()
    path.symlink_to("../elsewhere/victim.db")
    move_project_below(path)


def move_project_below(path: Path) -> None:
    """The link's target now lies outside of the project; the link is as it was."""
    target = path.parent.parent / "elsewhere"
    outside = path.parent.parent.parent / f"outside-{path.parent.parent.name}"
    target.rename(outside)
    path.unlink()
    path.symlink_to(outside / "victim.db")


def folder_link_out_of_the_project(path: Path) -> None:
    outside = path.parent.parent.parent / f"outside-{path.parent.parent.name}"
    fill(outside / path.name, COUNT)
    path.parent.symlink_to(outside)


def link_to_nowhere(path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(path.parent.parent.parent / f"nowhere-{path.parent.parent.name}")


def link_inside_the_project(path: Path) -> None:
    fill(path.parent.parent / "data" / "memory.db", COUNT)
    path.parent.mkdir()
    path.symlink_to("../data/memory.db")


def log_is_a_link(path: Path) -> None:
    fill(path, COUNT)
    path.with_name(path.name + "-wal").symlink_to(path.parent.parent / "victim")


def header_damaged(path: Path) -> None:
    fill(path, COUNT)
    with path.open("r+b") as file:
        file.write(b"\xa5" * 100)


def first_page_damaged(path: Path) -> None:
    fill(path, COUNT)
    with path.open("r+b") as file:
        file.write(b"\xa5" * 4096)


def no_database(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("these are somebody's notes\n" * 100)


def left_log(path: Path) -> None:
    """The newest memories stand in the log alone, as after ``kill -9``."""
    fill(path, COUNT // 2)
    with SQLiteMemoryStore.open(path) as store:
        store.connection.execute("PRAGMA wal_autocheckpoint=0")
        for number in range(COUNT // 2, COUNT):
            store.write(record(number), "create")
        saved = {side: side.read_bytes() for side in (path, path.with_name(path.name + "-wal"))}
    for side, data in saved.items():
        side.write_bytes(data)


def emptied_with_log(path: Path) -> None:
    left_log(path)
    path.write_bytes(b"")


def header_damaged_with_log(path: Path) -> None:
    left_log(path)
    with path.open("r+b") as file:
        file.write(b"\xa5" * 100)


def newer_schema(path: Path) -> None:
    fill(path, COUNT)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.execute("UPDATE schema_meta SET value = '999' WHERE key = 'version'")
        conn.commit()


def newer_steps(path: Path) -> None:
    fill(path, COUNT)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.execute(f"PRAGMA user_version={migrations.LATEST + 1}")


def newer_schema_with_log(path: Path) -> None:
    """A newer program was killed: its last changes, the version among them, stand in the log alone."""
    fill(path, COUNT)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.execute("UPDATE schema_meta SET value = '999' WHERE key = 'version'")
        conn.commit()
        saved = {side: side.read_bytes() for side in (path, path.with_name(path.name + "-wal"))}
    for side, data in saved.items():
        side.write_bytes(data)


def old_version(path: Path) -> None:
    old_file(path, COUNT)


def half_migrated(path: Path) -> None:
    old_file(path, COUNT)
    with contextlib.closing(db.connect(str(path))) as conn:
        migrations.migrate(conn, to=1)


def table_missing(path: Path) -> None:
    old_file(path, COUNT)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.execute("DROP TABLE session_summaries")
        conn.execute("ALTER TABLE memories DROP COLUMN sensitivity")


def view_for_a_table(path: Path) -> None:
    old_file(path, COUNT)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.execute("ALTER TABLE memories RENAME TO hidden")
        conn.execute("CREATE VIEW memories AS SELECT * FROM hidden")


STATES = (
    State("none", nothing, 0),
    State("empty", empty, 0),
    State("whole", whole, COUNT),
    State("unwritable", unwritable, COUNT, False, "cannot be written", same=True, error=StoreReadOnly),
    State("unreadable", unreadable, 0, False, "cannot be read", same=True, error=StoreError),
    State("folder unwritable", folder_unwritable, COUNT, False, "cannot be written", same=True, error=StoreReadOnly),
    State(
        "folder unwritable, log left", folder_unwritable_with_log, COUNT, False, "cannot be written", same=True,
        error=StoreReadOnly,
    ),
    State("folder unwritable, no file", folder_unwritable_and_empty, 0, False, "cannot be made", error=StoreReadOnly),
    State("folder closed", folder_closed, 0, False, "cannot be read", error=StoreError),
    State("folder in its place", folder_in_its_place, 0, False, "is no file", error=StoreError),
    State("pipe in its place", pipe_in_its_place, 0, False, "is no file", error=StoreError),
    State("file in the folder's place", file_in_the_folders_place, 0, False, "is no folder", error=StoreError),
    State("link out", link_out_of_the_project, 0, False, "link that leads outside", same=True, error=StoreError),
    State("folder link out", folder_link_out_of_the_project, 0, False, "leads outside", same=True, error=StoreError),
    State("link to nowhere", link_to_nowhere, 0, False, "leads outside", error=StoreError),
    State("link inside", link_inside_the_project, COUNT),
    State("log is a link", log_is_a_link, 0, False, "is a link", same=True, error=StoreError),
    State("header damaged", header_damaged, COUNT, notice="40 memories", error=StoreDamaged),
    State("first page damaged", first_page_damaged, COUNT, notice="40 memories", error=StoreDamaged),
    State("header damaged, log left", header_damaged_with_log, COUNT, notice="40 memories", error=StoreDamaged),
    State("emptied, log left", emptied_with_log, COUNT, notice="40 memories", error=StoreDamaged),
    State("no database", no_database, 0, notice="nothing could be read", error=StoreDamaged),
    State("view for a table", view_for_a_table, COUNT, notice="carried over", error=StoreDamaged),
    State("log left", left_log, COUNT),
    State("newer schema", newer_schema, COUNT, False, "newer version", same=True, error=StoreTooNew),
    State("newer steps", newer_steps, COUNT, False, "newer version", same=True, error=StoreTooNew),
    State("newer, log left", newer_schema_with_log, COUNT, False, "newer version", same=True, error=StoreTooNew),
    State("older version", old_version, COUNT),
    State("half migrated", half_migrated, COUNT),
    State("table missing", table_missing, COUNT),
)  # fmt: skip


@pytest.fixture
def folder() -> Iterator[Path]:
    with as_other_user() as folder:
        yield folder


def sums(folder: Path) -> dict[str, str]:
    """Each readable file below ``folder`` that holds bytes of the user, with its sha256."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and os.access(path, os.R_OK, effective_ids=True) and not path.name.endswith("-shm")
    }


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_each_state_of_a_file_has_its_outcome(state: State, folder: Path) -> None:
    """ST-09, ST-13, ST-14, ST-16: The store opens whatever stands there, shows what can be read, says what is wrong,
    and takes a save."""
    path = folder / "project" / ".agentao" / "memory.db"
    path.parent.parent.mkdir()
    state.make(path)
    before, logs = sums(folder), set(folder.rglob("memory.db-wal"))

    with SQLiteMemoryStore.open_or_memory(path, scope="project") as store:
        assert len(store.records()) == state.reads
        assert store.persistent is store.writable is state.persistent
        assert state.problem in (store.problem or "") and bool(store.problem) is bool(state.problem)
        assert state.notice in " ".join(store.notices) and bool(store.notices) is bool(state.notice)
        store.write(record(999, key_normalized="fresh"), "create")
        assert store.find_by_key("fresh") and store.filter_by_tag("ALPHA")[-1].id == "m00999"
        for sentence in [*([store.problem] if store.problem else []), *store.notices]:
            assert str(path.parent) in sentence and "\n" not in sentence and sentence.endswith(".")

    after = sums(folder)
    assert set(folder.rglob("memory.db-wal")) <= logs, "no side file is left"
    if state.same:
        assert {name: after.get(name) for name in before} == before
    if state.notice:
        original = before[str(path)]
        assert original in {after[name] for name in after if ".damaged-" in name}, "the damaged file is kept as it was"
    if state.persistent:
        with SQLiteMemoryStore.open(path, scope="project") as again:
            assert len(again.records()) == state.reads + 1
            assert again.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert again.journal_mode == "wal"


@pytest.mark.parametrize("state", [s for s in STATES if s.error], ids=lambda state: state.name)
def test_the_strict_open_raises_and_leaves_the_file_alone(state: State, folder: Path) -> None:
    """``open`` never works around a bad file: it names the fault, in its class, and changes nothing."""
    path = folder / "project" / ".agentao" / "memory.db"
    path.parent.parent.mkdir()
    state.make(path)
    before = sums(folder)
    assert state.error is not None

    with pytest.raises(state.error) as caught:
        SQLiteMemoryStore.open(path, scope="project")

    assert str(path.parent) in str(caught.value)
    assert {name: found for name, found in sums(folder).items() if name in before} == before


def test_another_users_store_is_not_used_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file or a folder of another user is neither read nor written, and the message says whose it is not."""
    path = tmp_path / "project" / ".agentao" / "memory.db"
    fill(path, 3)
    before = sums(tmp_path)
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)

    with SQLiteMemoryStore.open_or_memory(path) as store:
        assert store.records() == [] and not store.persistent
        assert "belongs to another user" in (store.problem or "")
        store.write(record(1), "create")
    with pytest.raises(StoreError, match="belongs to another user"):
        SQLiteMemoryStore.open(path)
    assert sums(tmp_path) == before


def test_the_users_own_home_may_hold_links(tmp_path: Path) -> None:
    """A home folder that its owner linked elsewhere works as if it stood there."""
    outside = tmp_path / "dotfiles" / "agentao"
    outside.mkdir(parents=True)
    home = tmp_path / "home" / ".agentao"
    home.parent.mkdir()
    home.symlink_to(outside)
    with SQLiteMemoryStore.open(home / "memory.db", scope="user") as store:
        store.write(record(1), "create")
    assert rows(outside / "memory.db", "SELECT id FROM memories") == [("m00001",)]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777], ids=oct)
def test_files_are_for_this_user_alone_under_any_umask(umask: int, tmp_path: Path) -> None:
    """Folders are 0700; the database, its log, its index and a backup are 0600."""
    before = os.umask(umask)
    try:
        path = tmp_path / "deep" / "project" / ".agentao" / "memory.db"
        with SQLiteMemoryStore.open(path) as store:
            store.write(record(1), "create")
            names = ("memory.db", "memory.db-wal", "memory.db-shm", ".gitignore")
            assert modes(path.parent) == dict.fromkeys(names, "600")
            store.backup_to(tmp_path / "deep" / "copy.db")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "deep").stat().st_mode) == 0o700
    assert modes(tmp_path / "deep")["copy.db"] == "600"


def test_rights_that_are_too_wide_are_taken_back(tmp_path: Path) -> None:
    """A file and a folder that others could read, as older versions left them, become private when opened."""
    path = tmp_path / ".agentao" / "memory.db"
    old_file(path)
    path.parent.chmod(0o755)
    path.chmod(0o644)
    with SQLiteMemoryStore.open(path) as store:
        store.write(record(1), "create")
        assert modes(path.parent)["memory.db"] == modes(path.parent)["memory.db-wal"] == "600"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_git_does_not_see_a_project_store(tmp_path: Path) -> None:
    """A new ``.agentao/`` tells git to ignore it; a user who removed that line is not told again."""
    path = tmp_path / ".agentao" / "memory.db"
    SQLiteMemoryStore.open(path).close()
    ignore = path.parent / ".gitignore"
    assert ignore.read_text() == "*\n"
    ignore.unlink()
    SQLiteMemoryStore.open(path).close()
    assert not ignore.exists()


def test_opening_a_store_that_needs_nothing_writes_nothing(tmp_path: Path) -> None:
    """CC-03: While another program holds the write lock, opening and reading answer at once; the file does not
    change."""
    path = tmp_path / "memory.db"
    fill(path, 3)
    before = sums(tmp_path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM memories")
        with SQLiteMemoryStore.open(path) as store:
            assert len(store.records()) == len(store.filter_by_tag("alpha")) == store.count() == 3
            assert not store.connection.in_transaction
        writer.execute("ROLLBACK")
    assert sums(tmp_path)[str(path)] == before[str(path)]


def no_wal(answer: str) -> type[sqlite3.Connection]:
    """A connection to a disk that cannot do WAL: it says so by an error, or by keeping another mode."""

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if sql.replace(" ", "").lower() == "pragmajournal_mode=wal":
                if answer == "error":
                    error = sqlite3.OperationalError("locking protocol")
                    error.sqlite_errorcode = sqlite3.SQLITE_PROTOCOL
                    raise error
                return super().execute("SELECT 'delete'")
            return super().execute(sql, *values)

    return Connection


@pytest.mark.parametrize("answer", ["error", "delete"])
def test_a_disk_without_wal_gets_a_rollback_journal(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ST-12: Where WAL is impossible the store works with a rollback journal, keeps what is saved, and names the
    mode."""
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **(k | {"factory": no_wal(answer)})))
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open_or_memory(path) as store:
        assert (store.journal_mode, store.persistent, store.problem) == ("delete", True, None)
        store.write(record(1), "create")
        assert not path.with_name("memory.db-wal").exists()
    with SQLiteMemoryStore.open(path) as store:
        assert [r.id for r in store.records()] == ["m00001"]


def test_a_file_in_wal_mode_on_a_disk_without_it_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store moved from a local disk to one without shared memory is read and written, with a rollback journal."""
    path = tmp_path / "memory.db"
    fill(path, 3)
    connect = sqlite3.connect

    def without_shared_memory(target: str, **options: Any) -> sqlite3.Connection:
        if target == ":memory:":
            return connect(target, **options)
        uri = target if options.pop("uri", False) else Path(target).as_uri()
        return connect(uri + ("&" if "?" in uri else "?") + "vfs=unix-dotfile", uri=True, **options)

    monkeypatch.setattr(sqlite3, "connect", without_shared_memory)
    with SQLiteMemoryStore.open_or_memory(path) as store:
        assert (store.problem, store.persistent, store.journal_mode) == (None, True, "delete")
        store.write(record(9), "create")
    monkeypatch.undo()
    with SQLiteMemoryStore.open(path) as store:
        assert store.count() == 4


def test_a_lock_held_too_long_at_the_first_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that must be brought up to date and is locked: an error from ``open``; else it is read, and said so."""
    monkeypatch.setattr(db, "LOCK_WAIT_S", 0.05)
    path = tmp_path / "memory.db"
    old_file(path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="locked"):
            SQLiteMemoryStore.open(path)
        with SQLiteMemoryStore.open_or_memory(path) as store:
            assert len(store.records()) == 2 and not store.persistent
            assert "locked" in (store.problem or "")
        writer.execute("ROLLBACK")
    with SQLiteMemoryStore.open(path) as store:
        assert store.persistent and store.count() == 2


def test_a_full_disk_stops_a_save_and_nothing_else(tmp_path: Path) -> None:
    """ST-18: On a full disk a save fails with one readable line, all that was saved stays, and later saves work
    again."""
    path = tmp_path / "memory.db"
    fill(path, 5)
    with SQLiteMemoryStore.open_or_memory(path) as store:
        pages = store.connection.execute("PRAGMA page_count").fetchone()[0]
        store.connection.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(StoreFull, match="full"):
            store.write(record(50, content="x" * 8000), "create")
        assert store.count() == 5 and store.get("m00050") is None and len(store.events("m00050")) == 0
        store.connection.execute("PRAGMA max_page_count=1000000")
        store.write(record(50, content="x" * 8000), "create")
        assert store.count() == 6 and len(store.events("m00050")) == 1


def test_a_new_store_waits_for_the_disk_from_its_first_save_on(tmp_path: Path) -> None:
    """The tables of a new file need not outlast a power cut, what is saved must: WAL, with an fsync at every commit."""
    with SQLiteMemoryStore.open(tmp_path / ".agentao" / "memory.db") as store:
        assert store.journal_mode == "wal"
        assert store.connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_new_store_without_wal_keeps_a_journal_on_the_disk(tmp_path: Path) -> None:
    """Where the disk can do no WAL, a new file gets SQLite's own journal, not the one in memory that a crash loses."""

    class NoWal(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            return super().execute("PRAGMA journal_mode" if sql == "PRAGMA journal_mode=WAL" else sql, *values)

    with contextlib.closing(sqlite3.connect(tmp_path / "new.db", isolation_level=None, factory=NoWal)) as conn:
        assert db.set_durable(conn, new=True) == "delete"
