"""Whatever becomes of the index, and whoever writes the records, recall and search answer from the records."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agentao.memory.manager import MemoryManager
from agentao.memory.models import MemoryRecord, SaveMemoryRequest
from agentao.memory.recall import index, upkeep
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore

TOPICS = ("editor", "deploy", "database", "formatter", "branch", "holiday", "printer", "backup", "license", "cache")
MANY = 150
"""More than wait for a segment, so that there are segments, postings and parts of texts to be damaged."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store file with many records."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open(path) as store:
        store.upsert_many(record(number) for number in range(MANY))
    return path


def record(number: int) -> MemoryRecord:
    topic = TOPICS[number % len(TOPICS)]
    return MemoryRecord(
        f"id{number:04}", "project", "note", f"{topic}_{number}", f"{topic.title()} {number}",
        f"the {topic} of room {number} is painted every summer", [topic],
        updated_at=f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000000+00:00",
    )  # fmt: skip


def answers(manager: MemoryManager) -> tuple[list[str], list[str]]:
    """What a question and a search find, newest of the equals first."""
    retriever = MemoryRetriever(manager)
    recalled = [candidate.memory_id for candidate in retriever.recall_candidates("which printer is painted?")]
    assert retriever.error_count == 0, retriever.last_error
    return recalled, [found.id for found in manager.search("printer room")]


EXPECTED = ([f"id{n:04}" for n in range(146, 96, -10)], [f"id{n:04}" for n in range(146, 0, -10)])


def test_what_is_expected_here(manager: MemoryManager) -> None:
    """The whole index gives the answers that the damaged ones must give too."""
    assert answers(manager) == EXPECTED


@pytest.mark.parametrize("table", index.TABLES)
@pytest.mark.parametrize("damage", ["DROP TABLE {0}", "DELETE FROM {0}"])
def test_a_lost_table_is_made_again(path: Path, table: str, damage: str) -> None:
    """Any table of the index may be dropped or emptied by another program: the records are enough."""
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute(damage.format(table))
    manager = MemoryManager(project_store=SQLiteMemoryStore.open(path))
    assert answers(manager) == EXPECTED
    manager.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE recall_segments SET columns = x'00'",
        "UPDATE recall_segments SET columns = 'text'",
        "UPDATE recall_segments SET size = size + 1",
        "UPDATE recall_terms SET docs = x'00'",
        "UPDATE recall_terms SET docs = 7 WHERE term = 'printer'",
        "DELETE FROM recall_terms WHERE term = ''",
        "UPDATE recall_texts SET marks = x'0000'",
        "UPDATE recall_texts SET texts = NULL",
        "UPDATE recall_texts SET first = first + 1",
        "UPDATE recall_texts SET marks = substr(marks, 1, 4) || substr(marks, -4), texts = ''",
        "UPDATE recall_meta SET value = 'other' WHERE key = 'format'",
        "UPDATE recall_meta SET value = '3' WHERE key = 'live'",
        "DELETE FROM recall_docs WHERE n % 7 = 0",
        "INSERT INTO recall_gone SELECT n FROM recall_docs LIMIT 20",
        "DROP TRIGGER recall_insert",
    ],
)
def test_a_damaged_index_is_made_again(path: Path, damage: str) -> None:
    """Bytes that do not fit together are noticed, and the index is made anew from the records."""
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute("PRAGMA ignore_check_constraints = ON")
        try:
            conn.execute(damage)
        except sqlite3.IntegrityError:
            conn.execute(damage.replace("NULL", "x''"))
    manager = MemoryManager(project_store=SQLiteMemoryStore.open(path))
    assert answers(manager) == EXPECTED
    manager.close()


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM recall_docs WHERE n = 7",
        "DELETE FROM recall_pending",
        "DELETE FROM recall_segments",
        "DELETE FROM recall_terms WHERE term = ''",
        "UPDATE recall_meta SET value = 'other' WHERE key = 'format'",
        "DROP TRIGGER recall_insert",
        "DROP TABLE recall_docs",
    ],
)
def test_damage_is_noticed_while_the_program_runs(path: Path, manager: MemoryManager, damage: str) -> None:
    """What another program does to the index between two questions is put right before the second one is answered."""
    manager.upsert(SaveMemoryRequest(key="waits", value="a note that waits for a segment"))
    assert answers(manager) == EXPECTED
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute(damage)
    assert answers(manager) == EXPECTED
    assert [found.title for found in MemoryRetriever(manager).recall_candidates("which segment?")] == ["Waits"]


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM recall_terms WHERE term = 'printer'",
        "DELETE FROM recall_terms WHERE term > 'p' AND term < 'q'",
        "UPDATE recall_texts SET marks = substr(marks, 1, 8), texts = ''",
        "UPDATE recall_docs SET id = 'other' WHERE n = 7",
        "UPDATE recall_docs SET id = CAST(id AS BLOB) WHERE n = 7",
    ],
)
def test_lost_rows_are_noticed_while_nobody_waits(path: Path, manager: MemoryManager, damage: str) -> None:
    """What no question can see at once is seen when the whole index is looked through: then it is made anew."""
    upkeep.tend(manager.stores, never)
    assert not upkeep.due(manager.stores)
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute(damage)
    assert upkeep.due(manager.stores)
    upkeep.tend(manager.stores, never)
    assert not upkeep.due(manager.stores)
    assert answers(manager) == EXPECTED


def test_a_whole_index_is_looked_through_once(path: Path, manager: MemoryManager) -> None:
    """Upkeep finds nothing wrong with what is whole; own saves give it nothing to do, those of others do."""
    before = schema_version(path)
    upkeep.tend(manager.stores, never)
    manager.upsert(SaveMemoryRequest(key="here", value="Ada paints the lighthouse"))
    manager.delete_by_title("Printer 6")
    assert not upkeep.due(manager.stores)
    with SQLiteMemoryStore.open(path) as other:
        MemoryManager(project_store=other).upsert(SaveMemoryRequest(key="there", value="Bob paints the lighthouse"))
    assert upkeep.due(manager.stores)
    upkeep.tend(manager.stores, never)
    assert not upkeep.due(manager.stores)
    assert schema_version(path) == before


def never() -> bool:
    """Nobody stops the upkeep."""
    return False


def schema_version(path: Path) -> int:
    """Changes when the tables of the index are made anew."""
    with closing(sqlite3.connect(path)) as conn:
        return int(conn.execute("PRAGMA schema_version").fetchone()[0])


def test_saves_go_on_after_the_index_is_gone(path: Path, manager: MemoryManager) -> None:
    """A running shell loses no save because another program dropped the index."""
    assert answers(manager) == EXPECTED
    with closing(sqlite3.connect(path)) as conn, conn:
        for table in index.TABLES:
            conn.execute(f"DROP TABLE {table}")
    saved = manager.upsert(SaveMemoryRequest(key="printer_new", value="a printer that is painted", tags=["printer"])).id
    recalled, searched = answers(manager)
    assert recalled[0] == saved
    assert len(searched) == len(EXPECTED[1])


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE recall_segments SET columns = x'00'",
        "UPDATE recall_terms SET docs = x'ffff' WHERE term <> ''",
        "UPDATE recall_texts SET texts = randomblob(length(texts))",
        "UPDATE recall_pending SET text = CAST(x'ff' AS TEXT)",
        "ALTER TABLE recall_pending DROP COLUMN asking",
        "DROP TABLE recall_terms",
    ],
)
def test_no_write_is_lost_to_a_damaged_index(path: Path, manager: MemoryManager, damage: str) -> None:
    """A save that has to touch what is damaged, a deletion and a purge all succeed; recall and search know of them."""
    manager.upsert(SaveMemoryRequest(key="waits", value="a note that waits for a segment"))
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute(damage)
    saved = [
        manager.upsert(SaveMemoryRequest(key=f"new {n}", value="a printer that is painted", tags=["printer"])).id
        for n in range(index.PENDING_MAX + 2)
    ]
    for number in range(0, MANY, 10):
        manager.delete(f"id{number:04}")
    manager.purge()
    recalled, searched = answers(manager)
    assert set(recalled) & set(saved)
    assert searched == EXPECTED[1]
    assert manager.search("editor") == []


def test_rows_of_another_program_are_recalled_at_the_next_turn(path: Path, manager: MemoryManager) -> None:
    """Plain SQL that knows nothing of the index: an insert, a change, a soft delete and a delete."""
    answers(manager)
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute(
            "INSERT INTO memories (id, scope, type, key_normalized, title, content, tags_json, created_at, updated_at)"
            " VALUES ('new', 'project', 'note', 'printer', 'Printer', 'a printer for plans, painted', '[\"printer\"]',"
            " '2026-02-01T00:00:00', '2026-02-01T00:00:00')"
        )
        conn.execute(
            "UPDATE memories SET content = 'it was sold' , title = 'Sold', tags_json = '[]' WHERE id = 'id0146'"
        )
        conn.execute("UPDATE memories SET deleted_at = '2026-02-01T00:00:00' WHERE id = 'id0136'")
        conn.execute("DELETE FROM memories WHERE id = 'id0126'")
    recalled, searched = answers(manager)
    gone = {"id0146", "id0136", "id0126"}
    assert "new" in recalled
    assert not gone.intersection(recalled)
    assert searched == [each for each in EXPECTED[1] if each not in gone]


def test_a_writer_in_another_program_does_not_hide_its_rows_nor_stop_recall(path: Path, manager: MemoryManager) -> None:
    """While another program holds the write lock, what was written before is read from the records."""
    answers(manager)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(
            "INSERT INTO memories (id, scope, type, key_normalized, title, content, tags_json, created_at, updated_at)"
            " VALUES ('new', 'project', 'note', 'printer', 'Printer', 'the plotter is painted', '[\"printer\"]',"
            " '2026-02-01T00:00:00+00:00', '2026-02-01T00:00:00.000000+00:00')"
        )
        conn.execute("UPDATE memories SET deleted_at = '2026-02-01T00:00:00.000000+00:00' WHERE id = 'id0136'")
        conn.execute("BEGIN IMMEDIATE")
        recalled, searched = answers(manager)
        conn.execute("ROLLBACK")
    assert "new" in recalled
    assert "id0136" not in recalled
    assert searched == [each for each in EXPECTED[1] if each != "id0136"]


def test_a_fact_saved_in_one_process_is_recalled_in_another(path: Path, manager: MemoryManager) -> None:
    """Several shells on one project see each other's memories at the next turn."""
    answers(manager)
    code = (
        "import sys; from agentao.memory import MemoryManager, SaveMemoryRequest, SQLiteMemoryStore\n"
        "manager = MemoryManager(project_store=SQLiteMemoryStore.open(sys.argv[1]))\n"
        "print(manager.upsert(SaveMemoryRequest(key='coffee', value='the espresso machine is on floor two')).id)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True, timeout=60
    )
    (found,) = MemoryRetriever(manager).recall_candidates("where is the espresso machine?")
    assert found.memory_id == done.stdout.strip()


def test_what_a_question_read_is_not_used_for_another_state_of_the_file(path: Path, manager: MemoryManager) -> None:
    """Saves here and elsewhere, one that is undone, and an index that another program made anew: each is seen."""
    store = manager.stores[0]
    question = "who paints the lighthouse?"

    def recalled() -> list[str]:
        assert answers(manager) == EXPECTED
        return [found.title for found in MemoryRetriever(manager).recall_candidates(question)]

    assert recalled() == []
    here = manager.upsert(SaveMemoryRequest(key="here", value="Ada paints the lighthouse"))
    assert recalled() == ["Here"]
    with pytest.raises(RuntimeError), store.transaction():
        manager.delete(here.id)
        assert recalled() == []
        raise RuntimeError
    assert recalled() == ["Here"]
    with SQLiteMemoryStore.open(path) as other:
        MemoryManager(project_store=other).upsert(SaveMemoryRequest(key="there", value="Bob paints the lighthouse"))
    assert recalled() == ["There", "Here"]
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("BEGIN IMMEDIATE")
        conn.execute("DELETE FROM memories WHERE key_normalized = 'here'")
        index.create(conn)
        index.sync(conn)
        conn.execute("COMMIT")
    assert recalled() == ["There"]
