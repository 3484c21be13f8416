"""An index that has to be made anew makes nobody wait for all of it, and nothing is lost meanwhile."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agentao.memory.manager import MemoryManager
from agentao.memory.models import MemoryRecord, SaveMemoryRequest
from agentao.memory.recall import index, upkeep
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore

REST = 600
MANY = index.STEP_RECORDS + REST
ZEBRAS = range(0, MANY, 100)
QUESTION, CHINESE = "where does the zebra live?", "斑马住在哪里"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of more records than one step indexes, with an index of another format."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open(path) as store:
        store.upsert_many(map(record, range(MANY)))
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute("UPDATE recall_meta SET value = 'other' WHERE key = 'format'")
    return path


def record(number: int) -> MemoryRecord:
    stamp = f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000000+00:00"
    content = f"the zebra lives behind fence {number}，斑马住在 {number} 号围栏" if number in ZEBRAS else "a pancake"
    return MemoryRecord(
        f"id{number:05}", "project", "note", f"key_{number}", f"Note {number}", content, created_at=stamp,
        updated_at=stamp,
    )  # fmt: skip


def never() -> bool:
    """Nobody stops the upkeep."""
    return False


def recalled(manager: MemoryManager, question: str = QUESTION) -> tuple[list[str], int]:
    """Ids, best first, and how many records could not be looked at."""
    report = MemoryRetriever(manager).explain(question, top_k=50)
    assert report.error == ""
    return [found.memory_id for found in report.candidates], report.unread


@pytest.mark.parametrize("question", [QUESTION, CHINESE])
def test_a_question_waits_for_one_step(manager: MemoryManager, question: str) -> None:
    """The newest records are indexed and recalled from, it is said how many are not, and the next question goes on."""
    ids, unread = recalled(manager, question)
    assert unread == REST
    assert ids == [f"id{n:05}" for n in reversed(ZEBRAS) if n >= REST]
    ids, unread = recalled(manager, question)
    assert unread == 0
    assert ids == [f"id{n:05}" for n in reversed(ZEBRAS)]


def test_a_step_is_measured_in_text_too(tmp_path: Path) -> None:
    """A few long records make a step of their own, and one that is longer than a step is taken all the same."""
    long = "pancake " * (index.STEP_BYTES // 8)
    with SQLiteMemoryStore.open(tmp_path / "memory.db") as store:
        manager = MemoryManager(project_store=store)
        store.upsert_many(replace(record(n), content=f"the zebra {n}: {long}") for n in range(4))
        with store.exclusive() as conn:
            index.create(conn)
        assert [recalled(manager)[1] for _ in range(4)] == [3, 2, 1, 0]


@pytest.mark.parametrize("query", ["zebra", "斑马", "fence 100", '"ZEBRA lives"'])
def test_search_misses_nothing_meanwhile(manager: MemoryManager, query: str) -> None:
    """Records that are not indexed yet are searched as they stand; in the same order as later."""
    recalled(manager)
    found = [each.id for each in manager.search(query)]
    upkeep.tend(manager.stores, never)
    assert found == [each.id for each in manager.search(query)]
    assert "id00100" in found


def test_a_long_result_stays_right_while_the_index_grows(manager: MemoryManager) -> None:
    """What is read later of a result are the records that were found, whatever number they have by then."""
    recalled(manager)
    found = manager.search("pancake")
    upkeep.tend(manager.stores, never)
    assert len(found) == MANY - len(ZEBRAS)
    assert [each.id for each in found] == [f"id{n:05}" for n in reversed(range(MANY)) if n not in ZEBRAS]


def test_upkeep_does_the_rest(manager: MemoryManager) -> None:
    """After it nothing is left to do, and the next question waits for nothing."""
    recalled(manager)
    assert upkeep.due(manager.stores)
    upkeep.tend(manager.stores, lambda: True)
    assert upkeep.due(manager.stores)
    upkeep.tend(manager.stores, never)
    assert not upkeep.due(manager.stores)
    assert recalled(manager) == ([f"id{n:05}" for n in reversed(ZEBRAS)], 0)


def test_what_changes_during_a_step_is_not_lost(path: Path, manager: MemoryManager) -> None:
    """Another program may write while a step is prepared: its word counts, and this one goes on."""
    recalled(manager)
    changed = False

    def stopped() -> bool:
        nonlocal changed
        if not changed:
            with closing(sqlite3.connect(path, timeout=0)) as conn, conn:
                conn.execute("UPDATE memories SET content = 'the zebra was sold' WHERE id = 'id00001'")
                conn.execute("UPDATE memories SET content = 'a giraffe' WHERE id = 'id00100'")
                conn.execute("DELETE FROM memories WHERE id = 'id00000'")
            changed = True
        return False

    upkeep.tend(manager.stores, stopped)
    ids, unread = recalled(manager)
    assert unread == 0
    assert set(ids) == {f"id{n:05}" for n in ZEBRAS} - {"id00000", "id00100"} | {"id00001"}


def test_a_stopped_step_leaves_no_half(manager: MemoryManager) -> None:
    """Wherever a step is stopped, the index is as before or as after it; saves and questions go on."""
    recalled(manager)
    for most in (1, 2, 3, 4, 5, 8, 13, 40):
        asked = 0

        def stopped(most: int = most) -> bool:
            nonlocal asked
            asked += 1
            return asked > most

        upkeep.tend(manager.stores, stopped)
        manager.upsert(SaveMemoryRequest(key=f"new {most}", value=f"another zebra {most}"))
        with manager.stores[0].exclusive() as conn:
            assert index.check(conn) == (True, True)
            assert index.whole(conn)
    upkeep.tend(manager.stores, never)
    ids, unread = recalled(manager)
    assert (len(ids), unread) == (len(ZEBRAS) + 8, 0)


def test_a_question_never_waits_for_another_writer(path: Path, manager: MemoryManager) -> None:
    """While another program keeps the file, the newest records are read as they stand, and search reads all."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("BEGIN IMMEDIATE")
        ids, unread = recalled(manager)
        found = manager.search("zebra")
        conn.execute("ROLLBACK")
    assert unread == REST
    assert ids == [f"id{n:05}" for n in reversed(ZEBRAS) if n >= REST]
    assert {each.id for each in found} == {f"id{n:05}" for n in ZEBRAS}


def test_saves_meanwhile_are_known_at_once(manager: MemoryManager) -> None:
    """A fact that is saved, or deleted, while most of the index is missing counts in the next question."""
    recalled(manager)
    saved = manager.upsert(SaveMemoryRequest(key="new", value="the newest zebra lives in the stable"))
    manager.delete("id01500")
    manager.delete("id00100")
    ids, _ = recalled(manager)
    assert ids[0] == saved.id
    assert {"id01500", "id00100"}.isdisjoint(ids)
    assert {"id01500", "id00100"}.isdisjoint(each.id for each in manager.search("zebra"))
