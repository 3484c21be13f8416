"""What is carried over from damaged files, and that nothing of them is lost or overwritten."""

from __future__ import annotations

import hashlib
import os
import random
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentao.errors import StoreDamaged
from agentao.memory.storage import pages, recovery
from agentao.memory.store import SQLiteMemoryStore
from tests.support.stores import fill, record, review, rows, summary

PAGE = 4096


def damage(path: Path, page_numbers: list[int], seed: int = 1) -> str:
    """Overwrite whole pages (the first is 1) with noise; returns the sum of the file after that."""
    noise = random.Random(seed)
    with path.open("r+b") as file:
        for number in page_numbers:
            file.seek((number - 1) * PAGE)
            file.write(noise.randbytes(PAGE))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def set_aside(path: Path) -> list[Path]:
    return [p for p in path.parent.iterdir() if ".damaged-" in p.name and not p.name.endswith(("-wal", "-shm"))]


@pytest.mark.parametrize("seed", range(12))
def test_readable_rows_survive_damaged_pages(seed: int, tmp_path: Path) -> None:
    """With a tenth of the pages gone, nearly all memories are still there, and what is there is what was saved."""
    path = tmp_path / "memory.db"
    saved = {r.id: r for r in fill(path, 300)}
    count = path.stat().st_size // PAGE
    chosen = random.Random(seed).sample(range(2, count + 1), count // 10)
    original = damage(path, chosen, seed)

    with SQLiteMemoryStore.open_or_memory(path) as store:
        found = {r.id: r for r in store.records()}
        assert store.persistent and store.notices and "was damaged" in store.notices[0]
        assert {key: saved[key] for key in found} == found
        assert len(found) > 250
        assert len(store.filter_by_tag("alpha")) == len(found)
        store.write(record(999), "create")

    (kept,) = set_aside(path)
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == original
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert not list(path.parent.glob("recovering-*"))


def test_a_memory_whose_row_is_gone_is_made_again_from_its_event(tmp_path: Path) -> None:
    """The event of a save holds the row: when only the row is damaged, nothing is lost, deletions included."""
    path = tmp_path / "memory.db"
    saved = fill(path, 50)
    with SQLiteMemoryStore.open(path) as store:
        store.write(record(7, deleted_at=saved[7].updated_at), "delete", before=saved[7])
    root = rows(path, "SELECT rootpage FROM sqlite_master WHERE name = 'memories'")[0][0]
    leaves = [n for n in table_pages(path) if n != 1 and is_memory_page(path, n)]
    damage(path, [root, *leaves])

    with SQLiteMemoryStore.open_or_memory(path) as store:
        assert [r.id for r in store.records()] == [r.id for r in saved if r.id != "m00007"]
        assert store.get("m00007") is None and store.get("m00007", include_deleted=True) is not None
        assert len(store.events(session_id="s1")) == 50
        assert [s.id for s in store.summaries()] == ["sum001"] and [i.id for i in store.review_items()] == ["r00001"]
        assert "49 memories, 1 session summary, 1 review item" in store.notices[0]
        assert "could not be read" not in store.notices[0]


def table_pages(path: Path) -> list[int]:
    data = path.read_bytes()
    return [n for n in range(1, len(data) // PAGE + 1) if data[(n - 1) * PAGE] == pages.TABLE_LEAF]


def is_memory_page(path: Path, number: int) -> bool:
    """Whether rows of memories lie on the page: by their own text, which stands before no event's."""
    page = path.read_bytes()[(number - 1) * PAGE : number * PAGE]
    return b"content of record" in page and b'"after"' not in page and b"saved" not in page


def test_what_could_not_be_read_is_said(tmp_path: Path) -> None:
    """Where neither the row nor its event can be read, the message counts what is missing."""
    path = tmp_path / "memory.db"
    fill(path, 1)
    with SQLiteMemoryStore.open(path) as store:
        store.log_event("gone", "create", {"note": "no row in here"})
    damage(path, [1])

    with SQLiteMemoryStore.open_or_memory(path) as store:
        assert "1 memory could not be read" in store.notices[0]


def test_damage_found_while_running_is_mended_then(tmp_path: Path) -> None:
    """A large file is not read whole at the start: damage met by a list is mended, and the list is complete."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open_or_memory(path) as store:
        for number in range(60):
            store.write(record(number), "create")
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        leaves = [n for n in table_pages(path) if is_memory_page(path, n)]
        damage(path, leaves)
        store.connection.execute("PRAGMA shrink_memory")

        assert len(store.records()) == 60
        assert store.persistent and "was damaged" in store.notices[-1]
        store.write(record(61), "create")
    assert len(set_aside(path)) == 1
    assert rows(path, "SELECT count(*) FROM memories") == [(61,)]


def test_damage_found_by_a_save_fails_the_save_and_the_next_one_works(tmp_path: Path) -> None:
    """A save that meets damage says that nothing was written; it is not half done, and the next one is kept."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open_or_memory(path) as store:
        for number in range(60):
            store.write(record(number), "create")
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = rows(path, "SELECT rootpage FROM sqlite_master WHERE name = 'memories'")[0][0]
        damage(path, [root])
        store.connection.execute("PRAGMA shrink_memory")
        with pytest.raises(StoreDamaged, match="nothing was written"):
            store.write(record(61), "create")
        store.write(record(62), "create")
        assert [r.id for r in store.records()][-2:] == ["m00059", "m00062"]


def test_a_strict_store_reports_damage_and_moves_nothing(tmp_path: Path) -> None:
    """Only the forgiving way of opening sets files aside."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open(path) as store:
        for number in range(60):
            store.write(record(number), "create")
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        damage(path, [n for n in table_pages(path) if is_memory_page(path, n)])
        store.connection.execute("PRAGMA shrink_memory")
        assert store.faults()
        with pytest.raises(StoreDamaged, match="is damaged"):
            store.records()
    assert set_aside(path) == []


def test_two_processes_that_find_the_same_damage_mend_it_once(tmp_path: Path) -> None:
    """Whoever comes second sees that another file stands there, and leaves it alone."""
    path = tmp_path / "memory.db"
    fill(path, 5)
    damage(path, [1])
    found = path.stat()
    first = recovery.replace(path, path, (found.st_dev, found.st_ino))
    second = recovery.replace(path, path, (found.st_dev, found.st_ino))
    assert "5 memories" in first and second == ""
    assert len(set_aside(path)) == 1


def test_damaged_files_of_the_same_second_get_different_names(tmp_path: Path) -> None:
    """No damaged file ever takes the place of another."""
    path = tmp_path / "memory.db"
    for _ in range(3):
        path.write_bytes(b"no database at all")
        SQLiteMemoryStore.open_or_memory(path).close()
    assert len(set_aside(path)) == 3


def test_a_truncated_file_gives_what_is_left_of_it(tmp_path: Path) -> None:
    """A file that was cut in half opens, with the memories of the half that is there."""
    path = tmp_path / "memory.db"
    saved = {r.id: r for r in fill(path, 200)}
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2 + 100])
    with SQLiteMemoryStore.open_or_memory(path) as store:
        found = store.records()
        assert found and all(saved[r.id] == r for r in found)
        assert len(found) > 50


@settings(max_examples=25)
@given(st.binary(max_size=3 * PAGE))
def test_no_bytes_at_all_break_the_reader_of_pages(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever stands in a file, reading its pages ends, and a store opens in its place."""
    path = tmp_path_factory.mktemp("noise") / "memory.db"
    path.write_bytes(data)
    list(pages.leaf_rows(path))
    with SQLiteMemoryStore.open_or_memory(path) as store:
        assert store.records() == [] and store.persistent


def test_the_reader_of_pages_reads_every_kind_of_value(tmp_path: Path) -> None:
    """Integers of all sizes, floats, NULL, text and blobs, short and longer than a page, are read as they are."""
    path = tmp_path / "any.db"
    values = [
        0,
        1,
        -1,
        127,
        -129,
        40_000,
        2**23,
        -(2**31),
        2**47,
        2**62,
        1.5,
        None,
        "grün 中文",
        b"\x00\xff",
        "x" * 20_000,
    ]
    conn = sqlite3.connect(path)
    conn.execute("CREATE TABLE t (a, b)")
    conn.executemany("INSERT INTO t VALUES (?, 'end')", [(value,) for value in values])
    conn.commit()
    conn.close()
    read = [row for _, row in pages.leaf_rows(path) if row[-1] == "end"]
    assert [row[0] for row in read] == values


def test_summaries_and_review_items_are_known_by_their_shape(tmp_path: Path) -> None:
    """When the schema itself is gone, each row finds its table, and the file keeps its id."""
    path = tmp_path / "memory.db"
    fill(path, 2)
    with SQLiteMemoryStore.open(path) as store:
        identity = store.store_id
        store.add_summary(summary(2))
        store.write_review(review(2, status="rejected"))
        summaries, items = store.summaries(), store.review_items()
        events = [(e.memory_id, e.event_type, e.timestamp) for e in store.events()]
    damage(path, [1])
    with SQLiteMemoryStore.open_or_memory(path) as store:
        assert (store.summaries(), store.review_items()) == (summaries, items)
        assert [(e.memory_id, e.event_type, e.timestamp) for e in store.events()] == events
        assert store.store_id == identity


@pytest.mark.parametrize("step", ["link", "rename", "replace"])
def test_a_recovery_that_was_cut_short_is_done_again(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the process was doing when it was killed, the next start carries everything over, the log included."""
    path = tmp_path / "memory.db"
    fill(path, 20)
    with SQLiteMemoryStore.open(path) as store:
        store.connection.execute("PRAGMA wal_autocheckpoint=0")
        for number in range(20, 40):
            store.write(record(number), "create")
        saved = {side: side.read_bytes() for side in (path, path.with_name("memory.db-wal"))}
    for side, data in saved.items():
        side.write_bytes(data)
    original = damage(path, [1])
    owner = os if step == "link" else Path
    done = getattr(owner, step)

    def killed(*args: Path) -> None:
        done(*args) if step != "replace" else None
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, step, killed)
    with pytest.raises(KeyboardInterrupt):
        SQLiteMemoryStore.open_or_memory(path)
    monkeypatch.undo()

    with SQLiteMemoryStore.open_or_memory(path) as store:
        assert store.persistent and len(store.records()) == 40
    (kept,) = set_aside(path)
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == original
    assert kept.with_name(kept.name + "-wal").read_bytes() == saved[path.with_name("memory.db-wal")]


def test_a_damaged_file_that_cannot_be_renamed_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be set aside, the file stays as it is and its memories are there for this run."""
    path = tmp_path / "memory.db"
    fill(path, 20)
    original = damage(path, [1])

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    for owner, name in ((os, "link"), (Path, "rename"), (Path, "replace")):
        monkeypatch.setattr(owner, name, refused)
    with SQLiteMemoryStore.open_or_memory(path) as store:
        assert len(store.records()) == 20 and not store.persistent
        assert "is damaged" in (store.problem or "") and "left as it is; 20 memories" in store.notices[0]
        store.write(record(99), "create")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == original
