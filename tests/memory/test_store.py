"""What the store keeps and how it is asked: records, tags, titles, events, summaries, review items."""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentao.errors import StoreError
from agentao.memory import db
from agentao.memory.models import MEMORY_TYPES, STRUCTURAL_TYPES, MemoryRecord
from agentao.memory.recall.search import search
from agentao.memory.store import SQLiteMemoryStore
from tests.support.stores import fill, record, review, rows, stamp, summary


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteMemoryStore]:
    with SQLiteMemoryStore.open(tmp_path / "memory.db") as store:
        yield store


def ids(records: list[MemoryRecord]) -> list[str]:
    return [r.id for r in records]


def test_a_record_comes_back_as_it_was_written(store: SQLiteMemoryStore) -> None:
    """Every field survives, quotes, line breaks, emoji and empty lists included."""
    saved = record(
        1, scope="user", type="decision", title="Don't \"quote\" 中文 👨‍👩‍👧", content="a\nb\t% _ ' \\ \u202e",
        tags=['a", "b', "c\\d", "größe"], keywords=[], source="crystallized", confidence="inferred", sensitivity="x",
    )  # fmt: skip
    store.write(saved, "create")
    assert store.get("m00001") == saved
    assert store.records() == [saved]


def test_a_write_replaces_the_record_with_its_id(store: SQLiteMemoryStore) -> None:
    """Row, tags, title and event change together."""
    first, second = record(1), record(1, title="Other", content="new", tags=["neu"], updated_at=stamp(9))
    store.write(first, "create", actor="model", session_id="s1")
    store.write(second, "update", before=first, actor="user", session_id="s2")
    assert store.records() == [second]
    assert (store.filter_by_tag("alpha"), store.filter_by_tag("neu")) == ([], [second])
    assert (store.find_by_title("key 1"), store.find_by_title("OTHER")) == ([], [second])
    (event,) = store.events(session_id="s2")
    assert (event.event_type, event.detail["actor"]) == ("update", "user")
    assert event.detail["before"]["content"] == first.content and event.detail["after"]["tags"] == ["neu"]


def test_a_deleted_record_is_found_nowhere_and_its_key_is_free(store: SQLiteMemoryStore) -> None:
    """ST-03: A tombstone is in no list and no look-up, and the key can be saved and deleted again."""
    for number in range(3):
        live = record(number, key_normalized="k", title="T")
        store.write(live, "create")
        assert (
            ids(store.find_by_key("k"))
            == ids(store.find_by_title("t"))
            == ids(store.filter_by_tag("alpha"))
            == [live.id]
        )
        store.write(replace(live, deleted_at=stamp(100 + number)), "delete", before=live)
        assert (
            store.records() == store.find_by_key("k") == store.find_by_title("t") == store.filter_by_tag("alpha") == []
        )
        assert (store.tag_counts(), store.count()) == ([], 0)
        assert store.get(live.id) is None and store.get(live.id, include_deleted=True) is not None
    assert ids(store.records(deleted=True)) == ["m00000", "m00001", "m00002"]
    assert len(store.events()) == 6


def test_two_live_records_cannot_share_a_key(store: SQLiteMemoryStore) -> None:
    """A second record of the same scope and key is refused whole, event included; the other scope may have it."""
    store.write(record(1, key_normalized="k"), "create")
    with pytest.raises(StoreError):
        store.write(record(2, key_normalized="k"), "create")
    assert ids(store.records()) == ["m00001"] and len(store.events()) == 1
    store.write(record(2, key_normalized="k", scope="user"), "create")
    assert ids(store.find_by_key("k", "user")) == ["m00002"]


def test_a_write_that_fails_leaves_nothing_behind(store: SQLiteMemoryStore) -> None:
    """When any part of a write fails, row, event, tags and index are as before."""
    store.connection.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON memory_events BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    with pytest.raises(StoreError, match="no"):
        store.write(record(1), "create")
    with pytest.raises(StoreError, match="no"):
        store.upsert_many([record(1), record(2)])
    assert store.count() == 0 and store.tag_counts() == [] and store.find_by_title("key 1") == []


def test_a_transaction_holds_several_writes_together(store: SQLiteMemoryStore) -> None:
    """An error in the block undoes all of it; an inner block that fails alone is undone alone."""
    with pytest.raises(KeyError), store.transaction():
        store.write(record(1), "create")
        store.add_summary(summary(1))
        raise KeyError
    assert store.count() == 0 and store.summaries() == []
    with store.transaction():
        store.write(record(1), "create")
        with contextlib.suppress(StoreError):
            store.write(record(2, key_normalized="key_1"), "create")
        store.write(record(3), "create")
    assert ids(store.records()) == ["m00001", "m00003"]


def test_a_joined_write_that_fails_undoes_the_whole_transaction(store: SQLiteMemoryStore) -> None:
    """Without a savepoint nothing is ever half written, even when the error is caught inside."""
    with pytest.raises(StoreError), store.transaction():
        store.write(record(1), "create", joined=True)
        with contextlib.suppress(StoreError):
            store.write(record(2, key_normalized="key_1"), "create", joined=True)
    assert store.records() == [] and store.events() == []


def test_a_read_waits_long_for_other_programs_also_after_a_save(store: SQLiteMemoryStore) -> None:
    """A save waits in short turns for the lock; the read behind it gets its full time back."""
    store.write(record(1), "create")
    store.count()
    assert store.connection.execute("PRAGMA busy_timeout").fetchone() == (db.READ_WAIT_MS,)
    store.write(record(2), "create")
    with store.exclusive() as conn:
        assert conn.execute("PRAGMA busy_timeout").fetchone() == (db.READ_WAIT_MS,)


def test_the_detail_of_an_event_is_plain_json(store: SQLiteMemoryStore) -> None:
    """Quotes, control characters, other scripts and what is added come back as they were given."""
    odd = record(1, title='a "b" \\ \x01', content="中文\n\t\u2028", tags=['x", "y', "ü"], keywords=["\\"])
    store.write(odd, "update", before=odd, actor="user", session_id="s", extra={"batch": "b", "n": [1, None]})
    (event,) = store.events()
    assert event.detail["before"] == event.detail["after"]
    assert (event.detail["after"]["title"], event.detail["after"]["tags"]) == (odd.title, odd.tags)
    assert (event.detail["after"]["content"], event.detail["after"]["keywords"]) == (odd.content, odd.keywords)
    assert (event.detail["batch"], event.detail["n"], event.detail["after"]["deleted_at"]) == ("b", [1, None], None)


@pytest.mark.parametrize(
    ("stored", "asked", "found"),
    [
        ("python", "PYTHON", True), ("Größe", "GRÖSSE", True), ("größe", "grösse", True), ("中文", "中文", True),
        ("ＣＰＵ", "cpu", True), ("caf\u00e9", "cafe\u0301", True), ("java", "j", False), ("java", "javascript", False),
        ("a%b", "a_b", False), ("a%", "a%", True), ("", "x", False), ("c++", "C++", True), ("İ", "i", False),
    ],
)  # fmt: skip
def test_a_tag_is_matched_whole_and_without_case(
    stored: str, asked: str, found: bool, store: SQLiteMemoryStore
) -> None:
    """``filter_by_tag`` is exact, case-insensitive in any script, and knows no wildcards."""
    store.write(record(1, tags=["other", stored]), "create")
    assert bool(store.filter_by_tag(asked)) is found


def test_tags_are_counted_once_a_record(store: SQLiteMemoryStore) -> None:
    """The most frequent tag first; a tag that a record has in two spellings counts once."""
    store.write(record(1, tags=["Tool", "tool", "b"]), "create")
    store.write(record(2, tags=["TOOL"], scope="user"), "create")
    assert store.tag_counts() == [("tool", 2), ("b", 1)]
    assert store.tag_counts("user") == [("tool", 1)]


def test_lists_have_one_order(tmp_path: Path) -> None:
    """ST-29: Equal times are ordered by id; the order is the same forwards, backwards, limited and after VACUUM."""
    with SQLiteMemoryStore.open(tmp_path / "memory.db") as store:
        numbers = list(range(12))
        random.Random(3).shuffle(numbers)
        for number in numbers:
            store.write(record(number, created_at=stamp(number // 4), updated_at=stamp(50 - number)), "create")
        expected = [f"m{n:05d}" for n in range(12)]
        for _ in range(2):
            assert ids(store.records()) == expected
            assert ids(store.records(newest_first=True)) == expected[::-1]
            assert ids(store.records(newest_first=True, limit=3)) == expected[:-4:-1]
            assert ids(store.records(order="updated")) == expected[::-1]
            assert store.records(limit=0) == []
            store.connection.execute("VACUUM")


def test_lists_are_narrowed_by_scope_and_type(store: SQLiteMemoryStore) -> None:
    """``records``, ``newest``, ``count`` and ``type_counts`` agree with each other for every scope and set of types."""
    made = []
    for number in range(42):
        kind = MEMORY_TYPES[number % 7]
        made.append(record(number, type=kind, scope=("user", "project")[number % 2]))
        store.write(made[-1], "create")
    for scope in (None, "user", "project"):
        for types in (None, {"note"}, STRUCTURAL_TYPES, {"project_fact", "note"}, set()):
            wanted = [r for r in made if scope in (None, r.scope) and (types is None or r.type in types)]
            assert store.records(scope, types=types) == wanted
            assert store.count(scope, types=types) == len(wanted)
            if types is not None:
                assert store.newest(scope, types=types, limit=5) == wanted[::-1][:5]
    assert sum(store.type_counts("user").values()) == store.count("user") == 21


def test_a_file_of_one_scope_gives_that_scope(tmp_path: Path) -> None:
    """Where the file stands for a scope, its rows are of it, whatever their column says; the column stays as it is."""
    path = tmp_path / "memory.db"
    with SQLiteMemoryStore.open(path) as both:
        both.write(record(1, scope="user"), "create")
        both.write(record(2, scope="project"), "create")
    with SQLiteMemoryStore.open(path, scope="project") as store:
        assert {r.scope for r in store.records()} == {"project"}
        assert len(store.records("project")) == store.count("project") == 2
        assert store.records("user") == [] and store.count("user") == 0 and store.filter_by_tag("alpha", "user") == []
        changed = replace(store.records()[0], content="changed")
        store.write(changed, "update")
        store.write(record(3, scope="user"), "create")
        assert store.find_by_key("key_1") == [changed]
    assert rows(path, "SELECT id, scope FROM memories ORDER BY id") == [
        ("m00001", "user"), ("m00002", "project"), ("m00003", "project"),
    ]  # fmt: skip


def test_a_record_is_found_by_the_beginning_of_its_id(store: SQLiteMemoryStore) -> None:
    """A prefix is taken literally and finds all ids that begin with it, in order."""
    for key in ("ab1", "ab2", "b%", "b_"):
        store.write(record(1, id=key, key_normalized=key), "create")
    assert ids(store.find_by_id_prefix("ab")) == ["ab1", "ab2"]
    assert ids(store.find_by_id_prefix("b%")) == ["b%"]
    assert store.find_by_id_prefix("") == store.find_by_id_prefix("zz") == []


def test_many_records_are_written_at_once(store: SQLiteMemoryStore) -> None:
    """A bulk write takes over records by id, else by scope and key; times become ours; there is one event each."""
    store.write(record(1, key_normalized="k"), "create")
    given = [record(n) for n in range(2, 1_200)]
    given += [record(5_000, key_normalized="k", content="taken over"), record(2, content="again")]
    given.append(record(6_000, created_at="2026-02-01T00:00:00", updated_at="2026-02-01T00:00:00"))
    assert store.upsert_many(iter(given)) == len(given)
    assert store.count() == 1_200
    (same,) = store.find_by_key("k")
    assert (same.id, same.content, same.created_at) == ("m00001", "taken over", stamp(1))
    assert [r.content for r in store.find_by_key("key_2")] == ["again"]
    assert store.records()[-1].updated_at.endswith("+00:00")
    events = store.events("m00001")
    assert [e.event_type for e in events] == ["import", "create"]
    assert events[0].detail["before"]["content"] == "content of record 1"
    assert len(store.events()) == len(given) + 1
    assert not store.has_unseen()


def test_events_are_kept_in_order_and_found_by_memory_and_session(store: SQLiteMemoryStore) -> None:
    """Newest first or oldest first, of one memory, of one session, limited; a detail survives as it is."""
    for number in range(4):
        store.write(record(number), "create", session_id=f"s{number % 2}", actor="user")
    store.log_event("m00001", "unchanged", {"session_id": "s0", "note": "ünï", "n": [1, None]})
    assert [e.memory_id for e in store.events()] == ["m00001", "m00003", "m00002", "m00001", "m00000"]
    assert [e.memory_id for e in store.events(newest_first=False, limit=2)] == ["m00000", "m00001"]
    assert [e.event_type for e in store.events("m00001")] == ["unchanged", "create"]
    assert [e.memory_id for e in store.events(session_id="s0")] == ["m00001", "m00002", "m00000"]
    assert store.events(session_id="s0")[0].detail == {"session_id": "s0", "note": "ünï", "n": [1, None]}
    assert store.events(session_id="none") == []
    assert store.delete_events(["m00001", "nothing"]) == 2
    assert [e.memory_id for e in store.events(session_id="s1")] == ["m00003"]


def test_purged_text_is_nowhere_in_the_file(tmp_path: Path) -> None:
    """Deleted rows, their events, tags and words are gone from every byte of the file and its log; live ones stay."""
    path = tmp_path / "memory.db"
    fill(path, 30)
    with SQLiteMemoryStore.open(path) as store:
        doomed = record(99, title="Xyzzyplugh", content="zzqqxx " * 500, tags=["plover"], keywords=["xyzzyplugh"])
        store.write(doomed, "create", session_id="s9")
        store.write(replace(doomed, deleted_at=stamp(200)), "delete", before=doomed, session_id="s9")
        assert store.purge_deleted() == 1
        assert store.purge_deleted() == 0
        assert store.compact()
        assert store.get("m00099", include_deleted=True) is None
        assert store.events("m00099") == [] and store.events(session_id="s9") == []
        left = b"".join(file.read_bytes() for file in tmp_path.iterdir() if not file.name.endswith("-shm")).lower()
        assert [word for word in (b"zzqqxx", b"plover", b"xyzzyplugh", b"m00099") if word in left] == []
        assert store.count() == 30 and len(store.filter_by_tag("alpha")) == 30


def test_a_reader_keeps_purged_text_in_the_log_and_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another program reads, the log cannot be emptied; once it is done, the next try takes the text away."""
    monkeypatch.setattr(db, "LOCK_WAIT_S", 0.05)
    path = tmp_path / "memory.db"
    fill(path, 3)

    def left() -> bool:
        return any(b"zzqqxx" in file.read_bytes() for file in tmp_path.glob("memory.db*") if file.suffix != ".db-shm")

    with (
        SQLiteMemoryStore.open(path) as store,
        contextlib.closing(sqlite3.connect(path, isolation_level=None)) as reader,
    ):
        doomed = record(99, content="zzqqxx " * 500)
        store.write(doomed, "create")
        store.write(replace(doomed, deleted_at=stamp(200)), "delete", before=doomed)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM memories").fetchall()
        assert store.purge_deleted() == 1
        assert not store.compact() and left()
        reader.execute("COMMIT")
        assert store.compact() and not left()


def test_summaries_are_kept_newest_first(store: SQLiteMemoryStore) -> None:
    """By session, without one session, limited; clearing one session leaves the others."""
    for number in range(6):
        store.add_summary(replace(summary(number, f"s{number % 3}"), created_at=stamp(number // 2)))
    assert [s.id for s in store.summaries()] == [f"sum00{n}" for n in (5, 4, 3, 2, 1, 0)]
    assert [s.id for s in store.summaries("s1")] == ["sum004", "sum001"]
    assert [s.id for s in store.summaries(exclude_session="s1", limit=3)] == ["sum005", "sum003", "sum002"]
    assert store.summaries("s1")[0] == replace(summary(4, "s1"), created_at=stamp(2))
    assert store.clear_summaries("s1") == 2
    assert store.clear_summaries() == 4 and store.summaries() == []


def test_review_items_wait_and_are_decided_once(store: SQLiteMemoryStore) -> None:
    """Oldest first; by a unique beginning of the id; a status changes only from the one that is expected."""
    for number in range(3):
        store.write_review(review(number))
    assert store.get_review("r00001") == [review(1)]
    assert [i.id for i in store.get_review("r0000")] == ["r00000", "r00001", "r00002"]
    assert store.get_review("x") == store.get_review("") == []
    assert store.set_review_status("r00001", "approved") is True
    assert store.set_review_status("r00001", "rejected") is False
    assert store.set_review_status("nothing", "rejected") is False
    assert [i.id for i in store.review_items("pending")] == ["r00000", "r00002"]
    store.write_review(review(2, occurrences=4, evidence="again"))
    assert store.get_review("r00002")[0].occurrences == 4
    with pytest.raises(StoreError):
        store.write_review(review(9, key_normalized="mined_0"))
    store.write_review(review(9, key_normalized="mined_1"))
    assert store.delete_review() == 3
    assert [i.status for i in store.review_items()] == ["approved"]


def test_a_backup_is_a_whole_store_in_one_file(store: SQLiteMemoryStore, tmp_path: Path) -> None:
    """A copy of a store that is being written opens by itself; an existing file is never overwritten."""
    store.write(record(1), "create")
    with contextlib.closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM memories")
        store.backup_to(tmp_path / "copy.db")
        writer.execute("ROLLBACK")
    with pytest.raises(StoreError, match="exists already"):
        store.backup_to(tmp_path / "copy.db")
    with pytest.raises(StoreError, match="cannot be made"):
        store.backup_to(tmp_path / "no folder" / "copy.db")
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith("copy")) == ["copy.db"]
    with SQLiteMemoryStore.open(tmp_path / "copy.db") as copy:
        assert copy.records() == store.records() and copy.store_id == store.store_id


@pytest.mark.parametrize("path", [None, ":memory:"])
def test_a_store_needs_no_file(path: str | None) -> None:
    """Without a file everything works and is said to last for this run only."""
    with SQLiteMemoryStore.open(path) as store:
        store.write(record(1), "create")
        assert (store.path, store.persistent, store.problem, store.count()) == (None, False, None, 1)
        assert store.journal_mode == "memory"


def test_meta_values_are_kept(store: SQLiteMemoryStore) -> None:
    """A value is there until it is set anew; an unknown key has none."""
    store.set_meta("k", "1")
    store.set_meta("k", "2")
    assert (store.get_meta("k"), store.get_meta("other")) == ("2", None)


def test_the_detail_of_an_event_is_json_for_other_programs(store: SQLiteMemoryStore) -> None:
    """``detail`` is a JSON object with actor, session, and the row before and after."""
    store.write(record(1), "create", actor="review", session_id="s1")
    (text,) = rows(store.path or Path(), "SELECT detail FROM memory_events")[0]
    detail = json.loads(text)
    assert (detail["actor"], detail["session_id"], detail["before"]) == ("review", "s1", None)
    assert detail["after"]["id"] == "m00001" and detail["after"]["created_at"] == stamp(1)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE recall_segments SET columns = x'00'",
        "UPDATE recall_terms SET docs = x'010203'",
        "DELETE FROM recall_terms",
        "DELETE FROM recall_segments",
        "UPDATE recall_pending SET terms = 7, text = NULL",
    ],
)
def test_a_damaged_recall_index_loses_no_save(damage: str, store: SQLiteMemoryStore) -> None:
    """Strange bytes in the index: every save is kept, and the next search finds all of them."""
    store.upsert_many(record(n) for n in range(200))
    with contextlib.suppress(sqlite3.Error):
        store.connection.execute(damage)
    for number in range(200, 400):
        store.write(record(number), "create")
    assert store.count() == 400
    assert len(search([store], "content of record")) == 400
    assert [r.id for r in search([store], "record 399")] == ["m00399"]
