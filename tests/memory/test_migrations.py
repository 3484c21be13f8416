"""Files of all ages: brought up to date in steps, and still open to the versions that made them."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentao.errors import StoreError
from agentao.memory import db, migrations
from agentao.memory.recall.search import search
from agentao.memory.storage import lookups, opening
from agentao.memory.store import SQLiteMemoryStore
from tests.support.stores import OLD_TABLES, OLD_TIME, fill, old_file, old_save, record, rows


@pytest.fixture
def in_shanghai(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This machine's local time is eight hours ahead of UTC."""
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def schema(conn: sqlite3.Connection) -> list[tuple[str, str]]:
    return conn.execute(
        "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'idx_%' ORDER BY 1, 2"
    ).fetchall()


@pytest.mark.parametrize("done", range(migrations.LATEST + 1))
@pytest.mark.parametrize("old", [False, True], ids=["new", "old"])
def test_every_step_leads_to_the_same_schema(done: int, old: bool, tmp_path: Path) -> None:
    """A file that was left after any step, new or made by an older version, ends with the same tables and indexes."""
    path = tmp_path / "memory.db"
    if old:
        old_file(path)
    with contextlib.closing(db.connect(str(path))) as conn:
        assert migrations.migrate(conn, to=done) == done
        assert migrations.user_version(conn) == done
        assert migrations.migrate(conn) == migrations.LATEST - done
        assert migrations.migrate(conn) == 0
        with contextlib.closing(db.connect(":memory:")) as fresh:
            migrations.migrate(fresh)
            assert schema(conn) == schema(fresh)
        assert migrations.stated_version(conn) == 3
    with SQLiteMemoryStore.open(path) as store:
        assert store.count() == (2 if old else 0)


def test_a_step_that_fails_leaves_the_file_at_the_step_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step and its number are one transaction."""

    def broken(conn: sqlite3.Connection) -> None:
        conn.execute("CREATE TABLE half (a)")
        conn.execute("not SQL")

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, broken))
    with contextlib.closing(db.connect(str(tmp_path / "memory.db"))) as conn:
        with pytest.raises(sqlite3.OperationalError):
            migrations.migrate(conn, to=migrations.LATEST + 1)
        assert migrations.user_version(conn) == migrations.LATEST
        assert ("table", "half") not in schema(conn)


def test_an_old_file_opens_with_everything_in_it(tmp_path: Path, in_shanghai: None) -> None:
    """All rows of an older version are there, with times in UTC; its local time becomes ours once, in the file."""
    path = tmp_path / "memory.db"
    old_file(path, 3)
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.execute("UPDATE memories SET deleted_at = ? WHERE id = 'old2'", (OLD_TIME,))
        old.execute(
            "INSERT INTO memory_review_queue (id, scope, type, key_normalized, title, content, created_at, updated_at) "
            "VALUES ('r', 'user', 'note', 'k', 'K', 'c', ?, ?)",
            (OLD_TIME, OLD_TIME),
        )
        old.commit()
    ours = "2025-06-01T04:00:00.000000+00:00"
    with SQLiteMemoryStore.open(path) as store:
        assert [(r.id, r.created_at, r.updated_at) for r in store.records()] == [
            ("old0", ours, ours), ("old1", ours, ours),
        ]  # fmt: skip
        assert [r.deleted_at for r in store.records(deleted=True)] == [ours]
        assert [(s.summary_text, s.created_at) for s in store.summaries()] == [("we talked", ours)]
        assert [(e.memory_id, e.timestamp, e.detail) for e in store.events(newest_first=False)] == [
            (f"old{n}", ours, {"text": "saved"}) for n in range(3)
        ]
        assert [(i.id, i.created_at) for i in store.review_items()] == [("r", ours)]
        assert [r.id for r in store.filter_by_tag("GRÖSSE")] == ["old0", "old1"]
        assert [r.id for r in store.find_by_title("OLD 1")] == ["old1"]
    for table, column in (
        ("memories", "created_at"), ("memories", "updated_at"), ("session_summaries", "created_at"),
        ("memory_events", "timestamp"), ("memory_review_queue", "created_at"),
    ):  # fmt: skip
        assert set(rows(path, f"SELECT {column} FROM {table}")) == {(ours,)}
    assert rows(path, "SELECT value FROM schema_meta WHERE key = 'version'") == [("3",)]


def test_an_older_version_goes_on_writing(tmp_path: Path, in_shanghai: None) -> None:
    """Its statements work on our file in all their forms, and what it writes is seen, in order and by tag."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open(path) as store:
        store.write(record(1, created_at="2025-06-01T03:59:59.000000+00:00"), "create")
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as old:
            old_save(old, 1)
            old_save(old, 2)
            old.execute(
                "UPDATE memories SET content = 'changed', tags_json = '[\"New\"]', updated_at = ? WHERE id = 'old1'",
                (OLD_TIME,),
            )
            old.execute("UPDATE memories SET deleted_at = ? WHERE id = 'old2'", (OLD_TIME,))
            old_save(old, 3, key_normalized="old_2", created_at="2025-06-01T11:59:58")
            old.execute(
                "INSERT INTO memories (id, scope, type, key_normalized, title, content, created_at, updated_at) "
                "VALUES ('old4', 'user', 'note', 'k4', 'T', 'c', ?, ?) ON CONFLICT (id) DO UPDATE SET content = 'c2'",
                (OLD_TIME, OLD_TIME),
            )
            old.execute(
                "INSERT INTO memories (id, scope, type, key_normalized, title, content, created_at, updated_at) "
                "VALUES ('old4', 'user', 'note', 'k4', 'T', 'c', ?, ?) ON CONFLICT (id) DO UPDATE SET content = 'c2'",
                (OLD_TIME, OLD_TIME),
            )
            old.execute(
                "INSERT OR REPLACE INTO memories (id, scope, type, key_normalized, title, content, tags_json, "
                "created_at, updated_at) "
                "VALUES ('m00001', 'project', 'note', 'key_1', 'Replaced', 'c', '[\"Neu\"]', ?, ?)",
                (OLD_TIME, OLD_TIME),
            )
            old.execute("INSERT OR IGNORE INTO memories (id, content) VALUES ('old4', 'ignored')")
            old.execute("DELETE FROM memories WHERE id = 'nothing'")
            old.execute("INSERT INTO session_summaries VALUES ('s2', 'old', 'text', 1, 1, ?)", (OLD_TIME,))
            old.execute("UPDATE session_summaries SET summary_text = 'other' WHERE id = 's2'")
        assert [r.id for r in store.records()] == ["old3", "m00001", "old1", "old4"]
        assert [r.content for r in store.records()] == ["old content 3", "c", "changed", "c2"]
        assert [r.id for r in store.filter_by_tag("new")] == ["old1"]
        assert [r.id for r in store.filter_by_tag("neu")] == ["m00001"]
        assert store.filter_by_tag("alpha") == []
        assert [r.id for r in store.records(deleted=True)] == ["old2"]
        assert store.tag_counts() == [("grösse", 1), ("neu", 1), ("new", 1), ("old", 1)]
        assert [s.summary_text for s in store.summaries()] == ["other"]
        assert not store.has_unseen()
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as old:
            old.execute("DELETE FROM memories WHERE id = 'old1'")
        assert store.filter_by_tag("new") == [] and store.find_by_title("Old 1") == []
        stamps = rows(path, "SELECT created_at FROM memories UNION SELECT timestamp FROM memory_events")
        assert all(len(s) == 32 and s.endswith("+00:00") for (s,) in stamps)


def test_what_no_version_writes_is_read_with_tolerance(tmp_path: Path) -> None:
    """Nulls, unknown words, times that are none and lists that are no JSON give records of our vocabulary."""
    path = tmp_path / "memory.db"
    SQLiteMemoryStore.open(path).close()
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("INSERT INTO memories (id) VALUES ('bare')")
        other.execute("INSERT INTO memories (id, key_normalized) VALUES (NULL, 'no id')")
        other.execute(
            "INSERT INTO memories VALUES ('odd', 'galaxy', '\"><x', 7, 8, 9, 'java', '{\"a\": 1}', 'magic', 'sure', "
            "NULL, 'yesterday', '2025-06-01', NULL)"
        )
        other.execute("INSERT INTO memory_events (memory_id) VALUES (NULL)")
        other.commit()
    with SQLiteMemoryStore.open(path) as store:
        odd, bare = store.get("odd"), store.get("bare")
        assert odd is not None and bare is not None
        assert (odd.scope, odd.type, odd.source, odd.confidence) == ("project", "note", "explicit", "explicit_user")
        assert (odd.key_normalized, odd.content, odd.tags, odd.keywords) == ("7", "9", [], [])
        assert odd.created_at == "1970-01-01T00:00:00.000000+00:00" and odd.updated_at.startswith("2025-0")
        assert (bare.title, bare.tags) == ("", [])
        assert store.tag_counts() == [] and len(store.events()) == 1
        store.write(record(1), "create")


def test_keys_that_were_doubled_are_made_unique(tmp_path: Path) -> None:
    """A file without the unique index may hold a key twice: the newest record stays live, none is lost."""
    path = tmp_path / "memory.db"
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.executescript(OLD_TABLES + "DROP INDEX idx_memories_scope_key;")
        for number, when in enumerate(("2025-01-01T00:00:00", "2025-03-01T00:00:00", "2025-02-01T00:00:00")):
            old_save(conn, number, key_normalized="same", updated_at=when)
        conn.commit()
    with SQLiteMemoryStore.open(path) as store:
        assert [r.id for r in store.records()] == ["old1"]
        assert {r.id for r in store.records(deleted=True)} == {"old0", "old2"}


def test_every_file_has_an_id_of_its_own_that_stays(tmp_path: Path) -> None:
    """The random id of a store is made once; no two stores share it."""
    with SQLiteMemoryStore.open(tmp_path / "a.db") as a, SQLiteMemoryStore.open(tmp_path / "b.db") as b:
        first = a.store_id
        assert len(first) == 32 and first != b.store_id
    with SQLiteMemoryStore.open(tmp_path / "a.db") as again:
        assert again.store_id == first


def test_what_was_dropped_from_a_file_is_put_back(tmp_path: Path) -> None:
    """Every table, index and trigger that someone drops is there again after opening, and what it held is made anew."""
    path = tmp_path / "memory.db"
    fill(path, 3)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        whole = schema(conn)
        assert {name for _, name in whole} >= migrations.REQUIRED
    for name in sorted(migrations.REQUIRED - {"memories", "schema_meta"}):
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
            (kind,) = conn.execute("SELECT type FROM sqlite_master WHERE name = ?", (name,)).fetchone()
            conn.execute(f"DROP {kind} {name}")
        with SQLiteMemoryStore.open(path) as store:
            assert schema(store.connection) == whole, name
            assert len(store.filter_by_tag("alpha")) == len(store.find_by_key("key_1")) * 3 == store.count() == 3
            assert [r.id for r in store.find_by_title("KEY 2")] == ["m00002"]
            assert [r.id for r in search([store], "record 2")] == ["m00002"]
            store.write(record(1, content=f"after {name}"), "update")


@pytest.mark.parametrize(
    "name", ["evil", "memories_note_insert", "recall_update", 'it\'s "quoted"; DROP TABLE memories'], ids=str
)
def test_triggers_of_others_do_nothing(name: str, tmp_path: Path) -> None:
    """A file from elsewhere may hold triggers, also under the names of ours: none writes a memory or changes a save."""
    path = tmp_path / "memory.db"
    fill(path, 1)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        whole = schema(conn)
        conn.execute(f"DROP TRIGGER IF EXISTS {quoted(name)}")
        conn.execute(
            f"CREATE TRIGGER {quoted(name)} AFTER INSERT ON memories BEGIN "
            "UPDATE memories SET content = 'obey' WHERE id = NEW.id; "
            "INSERT INTO memories (id, scope, type, key_normalized, title, content, created_at, updated_at) "
            "VALUES ('x', 'project', 'decision', 'x', 'X', 'obey', '2026-01-01', '2026-01-01'); END"
        )
    with SQLiteMemoryStore.open(path) as store:
        store.write(record(2, content="as it was said"), "create")
        assert [r.content for r in store.records()][1:] == ["as it was said"]
        assert schema(store.connection) == whole


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("evil", "CREATE UNIQUE INDEX {} ON memories (scope)"),
        ("evil", "CREATE UNIQUE INDEX {} ON memories (scope, key_normalized)"),
        ("memories_live_key", "CREATE UNIQUE INDEX {} ON memories (type) WHERE deleted_at IS NULL"),
        ("memories_created", "CREATE INDEX {} ON memories (upper(title))"),
        ("evil", "CREATE INDEX {} ON memories (title) WHERE upper(title) IS NULL"),
        ("evil", "CREATE UNIQUE INDEX {} ON memory_events (event_type)"),
        ('a (scope, key_normalized) "b', "CREATE UNIQUE INDEX {} ON memories (type)"),
    ],
)
def test_indexes_of_others_refuse_no_save(name: str, statement: str, tmp_path: Path) -> None:
    """A file from elsewhere may hold indexes that no second memory passes, also under names of ours: they go."""
    path = tmp_path / "memory.db"
    fill(path, 1)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        whole = schema(conn)
        if ("index", name) in whole:
            conn.execute(f"DROP INDEX {quoted(name)}")
        conn.execute("DELETE FROM memory_events")
        conn.execute(statement.format(quoted(name)))
    with SQLiteMemoryStore.open(path) as store:
        store.write(record(2, content="as it was said"), "create")
        store.write(record(3, content="as it was said"), "create")
        assert store.count() == 3
        assert schema(store.connection) == whole


def test_a_rule_of_another_programs_table_is_told(tmp_path: Path) -> None:
    """What a table itself forbids is an error in words that says how to get out of it; nothing was written."""
    path = tmp_path / "memory.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.executescript(OLD_TABLES.replace("title TEXT NOT NULL,", "title TEXT UNIQUE,", 1))
    with SQLiteMemoryStore.open(path) as store:
        store.write(record(1, title="Same"), "create")
        with pytest.raises(StoreError, match=r"memories\.title.*nothing was written.*/memory export.*/memory import"):
            store.write(record(2, title="Same"), "create")
        assert store.count() == 1


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"{}"'.format(name.replace('"', '""'))


def test_a_large_file_from_elsewhere_does_not_hold_up_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SEC-07: What is to be noted is noted in parts; until then every answer is the same, and a look-up notes all it
    needs."""
    monkeypatch.setattr(lookups, "PART_ROWS", 4)
    monkeypatch.setattr(opening, "NOTICE_S", 0)
    path = tmp_path / "memory.db"
    old_file(path, 30)
    with SQLiteMemoryStore.open(path) as store:
        assert rows(path, "SELECT count(*) FROM memory_unseen WHERE kind = 'memory'") == [(26,)]
        assert len(store.records()) == store.count() == 30 and store.has_unseen()
        assert all(r.created_at.endswith("+00:00") for r in store.records())
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            assert len(store.filter_by_tag("größe")) == 30 and dict(store.tag_counts())["old"] == 30
            writer.execute("ROLLBACK")
        assert store.has_unseen()
        assert [r.id for r in store.find_by_title("OLD 29")] == ["old29"]
        assert not store.has_unseen()
        for _ in range(20):
            store.count()
        assert rows(path, "SELECT count(*) FROM memory_unseen") == [(0,)]
        assert [r.id for r in search([store], '"old content 29"')] == ["old29"]
