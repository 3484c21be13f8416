"""What happens to an open store from outside: its file deleted, replaced, its log removed, bytes that are no text."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from agentao.errors import StoreError
from agentao.memory.store import SQLiteMemoryStore
from tests.support.stores import fill, record, rows


def ids(store: SQLiteMemoryStore) -> list[str]:
    return [r.id for r in store.records()]


@pytest.mark.parametrize("whole_folder", [False, True], ids=["files", "folder"])
@pytest.mark.parametrize("opener", [SQLiteMemoryStore.open, SQLiteMemoryStore.open_or_memory])
def test_a_deleted_file_is_put_back_before_anything_is_written(
    whole_folder: bool, opener: type[SQLiteMemoryStore], tmp_path: Path
) -> None:
    """A save after the file was deleted is on the disk, with all that was saved before, and the user is told."""
    path = tmp_path / "project" / ".agentao" / "memory.db"
    with SQLiteMemoryStore.open(path) as store:
        store.write(record(1), "create")
        if whole_folder:
            shutil.rmtree(path.parent)
        else:
            for file in path.parent.glob("memory.db*"):
                file.unlink()
        before = store.data_version()
        store.write(record(2), "create")
        assert ids(store) == ["m00001", "m00002"]
        assert "was deleted while it was open" in store.notices[-1]
        assert store.persistent and store.data_version() != before
        assert rows(path, "SELECT id FROM memories ORDER BY id") == [("m00001",), ("m00002",)]
        assert (path.parent / ".gitignore").exists()
    with SQLiteMemoryStore.open(path) as store:
        assert ids(store) == ["m00001", "m00002"] and len(store.events()) == 2


def test_two_sessions_survive_the_deletion_of_their_file(tmp_path: Path) -> None:
    """Each session's saves after the deletion reach the new file; neither takes the other's log away."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open(path) as first, SQLiteMemoryStore.open(path) as second:
        first.write(record(1), "create")
        assert ids(second) == ["m00001"]
        for file in tmp_path.glob("memory.db*"):
            file.unlink()
        first.write(record(2), "create")
        second.write(record(3), "create")
        first.write(record(4), "create")
        assert ids(first) == ids(second) == ["m00001", "m00002", "m00003", "m00004"]
    assert rows(path, "SELECT count(*) FROM memories") == [(4,)]


def test_closing_a_store_whose_file_is_gone_leaves_the_new_one_alone(tmp_path: Path) -> None:
    """The last connection to a deleted file must not remove the log of the file that took its name."""
    path = tmp_path / "memory.db"
    old = SQLiteMemoryStore.open(path)
    old.write(record(1), "create")
    for file in tmp_path.glob("memory.db*"):
        file.unlink()
    with SQLiteMemoryStore.open(path) as new:
        new.write(record(2), "create")
        old.close()
        assert path.with_name("memory.db-wal").exists()
        new.write(record(3), "create")
    assert rows(path, "SELECT id FROM memories ORDER BY id") == [("m00002",), ("m00003",)]


def test_a_replaced_file_is_used_from_then_on(tmp_path: Path) -> None:
    """A backup moved into place while the store is open is what is read and written next; nothing is mixed into it."""
    path, backup = tmp_path / "memory.db", tmp_path / "backup.db"
    with SQLiteMemoryStore.open(path) as store:
        store.write(record(1), "create")
        store.backup_to(backup)
        store.write(record(2), "create")
        for side in ("memory.db-wal", "memory.db-shm"):
            path.with_name(side).unlink()
        backup.replace(path)
        assert ids(store) == ["m00001"]
        assert "was replaced while it was open" in store.notices[-1]
        store.write(record(3), "create")
    assert rows(path, "SELECT id FROM memories ORDER BY id") == [("m00001",), ("m00003",)]


def test_a_deleted_log_is_saved_into_its_file(tmp_path: Path) -> None:
    """When someone deletes only ``-wal``, what stood in it comes into the file before anything else is written."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open(path) as store:
        store.write(record(1), "create")
        path.with_name("memory.db-wal").unlink()
        store.write(record(2), "create")
        assert "log" in store.notices[-1]
    assert rows(path, "SELECT id FROM memories ORDER BY id") == [("m00001",), ("m00002",)]


def test_a_folder_that_took_the_files_place_is_an_error_in_words(tmp_path: Path) -> None:
    """What stands there now cannot be used: the forgiving store goes on for this run, the strict one says so."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open(path) as strict, SQLiteMemoryStore.open_or_memory(path) as forgiving:
        for file in tmp_path.glob("memory.db*"):
            file.unlink()
        path.mkdir()
        with pytest.raises(StoreError, match="is no file"):
            strict.write(record(1), "create")
        forgiving.write(record(1), "create")
        assert not forgiving.persistent and "is no file" in (forgiving.problem or "")


def test_a_store_that_must_last_refuses_what_would_not(tmp_path: Path) -> None:
    """Where the file cannot be written, a run of one command gets an error instead of a save for this run only."""
    path = tmp_path / "memory.db"
    path.mkdir()
    with SQLiteMemoryStore.open_or_memory(path, must_last=True) as store:
        assert store.records() == [] and (store.problem or "").endswith("Rename it to make room.")
        with pytest.raises(StoreError, match=r"^Nothing was written: .* is no file"):
            store.write(record(1), "create")
        assert store.count() == 0


def test_a_store_that_must_last_and_can_is_like_any_other(tmp_path: Path) -> None:
    """A healthy file is written; what becomes unusable while it is open refuses the next write."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open_or_memory(path, must_last=True) as store:
        store.write(record(1), "create")
        for file in tmp_path.glob("memory.db*"):
            file.unlink()
        path.mkdir()
        with pytest.raises(StoreError, match="is no file"):
            store.write(record(2), "create")


def test_text_that_is_no_utf8_is_shown_and_breaks_nothing(tmp_path: Path) -> None:
    """A row that another program wrote with broken bytes is listed with U+FFFD in their place."""
    path = tmp_path / "memory.db"
    fill(path, 1)
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE memories SET content = CAST(x'6162ff' AS TEXT)")
        other.commit()
    with SQLiteMemoryStore.open(path) as store:
        assert [r.content for r in store.records()] == ["ab\ufffd"]


def test_text_that_no_file_can_store_is_an_error_in_words(tmp_path: Path) -> None:
    """A lone surrogate is refused by name, and nothing of the record is written."""
    with SQLiteMemoryStore.open(tmp_path / "memory.db") as store:
        with pytest.raises(StoreError, match="nothing was written"):
            store.write(record(1, content="a\ud800"), "create")
        assert store.count() == 0 and store.events() == []


def test_a_closed_store_is_closed_once(tmp_path: Path) -> None:
    """Closing twice is no fault, and the files beside the database are gone after it."""
    store = SQLiteMemoryStore.open(tmp_path / "memory.db")
    store.write(record(1), "create")
    store.close()
    store.close()
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]
