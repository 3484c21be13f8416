"""Export, import and backup."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentao.errors import GuardError, StoreError, UsageError
from agentao.memory.manager import MemoryManager
from agentao.memory.store import SQLiteMemoryStore
from agentao.memory.usecases.outcomes import ImportOutcome
from tests.support.memories import Place, all_bytes, change, contents, opened, rows, say


@pytest.fixture
def manager(place: Place) -> MemoryManager:
    manager = place.start()
    manager.upsert(say("package_manager", "uv\nnever pip", ["tooling", "后端"]))
    manager.upsert(say("user_name", 'Ada "the" \\ <b>', ["user"]))
    manager.upsert(say("c++", "  spaces inside\tand tabs  "))
    manager.upsert(say("indent", "tabs", scope="user"))
    manager.upsert(say("indent", "4 空格", scope="project"))
    return manager


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Place]:
    with opened(tmp_path / "elsewhere") as place:
        yield place


def counts(outcome: ImportOutcome) -> tuple[int, int, int, int, int]:
    return outcome.added, outcome.updated, outcome.unchanged, outcome.kept, len(outcome.refused)


# -- round trip --------------------------------------------------------------------------------------------------------


def test_a_line_is_a_record_by_its_field_names(manager: MemoryManager) -> None:
    """Each line is one JSON object with the record's fields, oldest first; a scope may be asked for alone."""
    lines = list(manager.export_lines())
    records = manager.get_all_entries()
    assert [json.loads(line) for line in lines] == [
        {name: value for name, value in asdict(record).items() if name != "deleted_at"} for record in records
    ]
    assert [json.loads(line)["title"] for line in manager.export_lines("user")] == ["User name", "Indent"]
    assert not any("\n" in line for line in lines)


def test_an_export_round_trips_exactly(manager: MemoryManager, elsewhere: Place) -> None:
    """Imported into empty stores and exported again, the lines are the same byte for byte; so are the records."""
    lines = list(manager.export_lines())
    other = elsewhere.start()
    assert counts(other.import_lines(lines)) == (5, 0, 0, 0, 0)
    assert list(other.export_lines()) == lines
    assert other.get_all_entries() == manager.get_all_entries()
    assert counts(other.import_lines(lines)) == (0, 0, 5, 0, 0)
    assert contents(other.search("后端")) == ["uv\nnever pip"]


def test_an_export_brings_back_what_was_cleared(manager: MemoryManager) -> None:
    """After a clear, even the ids come back."""
    lines = list(manager.export_lines())
    manager.clear()
    assert counts(manager.import_lines(lines)) == (5, 0, 0, 0, 0)
    assert list(manager.export_lines()) == lines


def test_old_rows_with_strange_line_breaks_stay_one_line(place: Place, manager: MemoryManager) -> None:
    """Characters that some readers take for line ends are escaped in the file."""
    change(place.project_file, "UPDATE memories SET content = 'a\u2028b\u0085c' WHERE key_normalized = 'c_plus_plus'")
    text = "\n".join(manager.export_lines())
    assert len(text.splitlines()) == 5


@given(
    st.lists(
        st.tuples(
            st.text(min_size=1, max_size=20),
            st.text(min_size=1, max_size=60),
            st.lists(st.text(max_size=12), max_size=4),
            st.sampled_from(["user", "project", None]),
        ),
        max_size=6,
    )
)
@settings(max_examples=60)
def test_any_export_round_trips(facts: list[tuple[str, str, list[str], None]]) -> None:
    """Whatever the guard let in comes out and goes in again unchanged."""
    first, second = (MemoryManager(SQLiteMemoryStore.open(None)) for _ in range(2))
    for key, value, tags, scope in facts:
        try:
            first.upsert(say(key, value, tags, scope=scope))
        except GuardError:
            continue
    lines = list(first.export_lines())
    outcome = second.import_lines(lines)
    assert outcome.refused == ()
    assert list(second.export_lines()) == lines
    first.close()
    second.close()


# -- merging -----------------------------------------------------------------------------------------------------------


def test_the_newer_wins(place: Place, manager: MemoryManager) -> None:
    """By scope and key: a newer line updates, an older one is left, both are counted, ids and age stay."""
    before = {r.title: r for r in manager.get_all_entries("project")}
    lines = [json.loads(line) for line in manager.export_lines("project")]
    lines[0] |= {"content": "poetry", "updated_at": "2027-01-01T00:00:00+00:00", "id": "another-id"}
    lines[1] |= {"content": "old value", "updated_at": "2020-01-01T00:00:00+00:00"}
    outcome = manager.import_lines(map(json.dumps, lines))
    assert counts(outcome) == (0, 1, 1, 1, 0)
    after = {r.title: r for r in manager.get_all_entries("project")}
    assert after["Package manager"].content == "poetry"
    assert after["Package manager"].id == before["Package manager"].id
    assert after["Package manager"].created_at == before["Package manager"].created_at
    assert after["C++"] == before["C++"]
    assert contents(manager.get_all_entries("user")) == ['Ada "the" \\ <b>', "tabs"]


def test_a_dry_run_counts_and_writes_nothing(manager: MemoryManager, elsewhere: Place, tmp_path: Path) -> None:
    """A dry run gives the same counts as the import, and no byte of the stores changes."""
    lines = [*manager.export_lines(), "{", *manager.export_lines()]
    other = elsewhere.start()
    other.upsert(say("indent", "8", scope="project"))
    token, before = other.state_token(), all_bytes(tmp_path / "elsewhere")
    dry = other.import_lines(lines, dry_run=True)
    assert dry.dry_run
    assert (other.state_token(), all_bytes(tmp_path / "elsewhere")) == (token, before)
    assert counts(dry) == counts(other.import_lines(lines))


def test_one_undo_takes_an_import_back(manager: MemoryManager, elsewhere: Place) -> None:
    """An import is one change: what it added goes, what it updated is as before."""
    other = elsewhere.start()
    other.upsert(say("indent", "8", scope="project"))
    before = list(other.export_lines())
    lines = [json.loads(line) | {"updated_at": "2027-01-01T00:00:00+00:00"} for line in manager.export_lines()]
    assert counts(other.import_lines(map(json.dumps, lines))) == (4, 1, 0, 0, 0)
    other.undo()
    assert list(other.export_lines()) == before


def test_bad_lines_are_refused_by_number(manager: MemoryManager) -> None:
    """Each line that cannot be taken is named with its number and reason; the others are taken; secrets stay out."""
    secret = "sk-proj-" + "aB3dE5gH7j" * 4
    outcome = manager.import_lines(
        [
            "",
            '\ufeff{"key": "good", "value": "taken"}',
            "no json",
            "[1]",
            '{"key": "k"}',
            '{"value": "v"}',
            '{"key": "k", "value": 3}',
            json.dumps({"key": "api", "value": secret}),
            json.dumps({"key": "api", "value": "v", "tags": [secret]}),
            json.dumps({"key": "api", "value": "v", "keywords": [secret]}),
            '{"key": "k", "value": "v", "type": "rumour"}',
            '{"key": "k", "value": "v", "scope": "world"}',
            '{"key": "k", "value": "v", "confidence": "sure"}',
            '{"key": "k", "value": "v", "updated_at": "yesterday"}',
            json.dumps({"key": "k", "value": "x" * 9_000}),
            "[" * 100_000,
            json.dumps({"key": "k", "value": "v", "sensitivity": secret}),
            json.dumps({"key": "k", "value": "v", "sensitivity": "two\nlines"}),
        ]
    )
    assert counts(outcome) == (1, 0, 0, 0, 16)
    assert [refusal.line for refusal in outcome.refused] == list(range(3, 19))
    assert not any(secret in refusal.reason for refusal in outcome.refused)
    assert manager.resolve("good")[0].content == "taken"


@pytest.mark.parametrize(
    "keywords", [["half \ud800"], ["\x1b]52;c;ZXZpbA==\x07"], ["a\nb"], ["hid\u202eden"], ["word" * 40] * 1_000]
)
def test_keywords_that_no_store_makes_are_made_anew(keywords: list[str], manager: MemoryManager) -> None:
    """Strange keywords of a line reach no file and keep neither their own line nor the others from being taken."""
    lines = ['{"key": "other", "value": "v"}', json.dumps({"key": "blue", "value": "sky", "keywords": keywords})]
    assert counts(manager.import_lines(lines)) == (2, 0, 0, 0, 0)
    [record] = manager.resolve("blue")
    assert sorted(record.keywords) == ["blue", "sky"]


def test_an_id_that_is_a_secret_is_not_taken_over(place: Place, manager: MemoryManager) -> None:
    """Ids are stored in many places; one in the form of a key gets a new one instead."""
    secret = "ghp_" + "aB3dE5gH7jK9" * 3
    assert counts(manager.import_lines([json.dumps({"id": secret, "key": "k", "value": "v"})])) == (1, 0, 0, 0, 0)
    assert secret.encode() not in all_bytes(place.project_file.parent)


def test_a_short_line_is_worked_out_like_any_save(manager: MemoryManager) -> None:
    """Key and value are enough; scope, type and times follow the rules."""
    manager.import_lines(['{"key": "user_editor_preference", "value": "nvim", "tags": "a, b"}'])
    [record] = manager.resolve("user_editor_preference")
    assert (record.scope, record.type, record.tags) == ("user", "preference", ["a", "b"])
    assert record.created_at == record.updated_at > "2026"
    again = manager.import_lines(['{"key": "user_editor_preference", "value": "nvim", "tags": "a, b"}'])
    assert counts(again) == (0, 0, 1, 0, 0)


def test_a_line_without_tags_keeps_the_stored_ones(manager: MemoryManager) -> None:
    """As with any save, tags that are not given stay, and the type with them."""
    manager.upsert(say("deploy_day", "Tuesday", ["decision", "release"]))
    assert counts(manager.import_lines(['{"key": "deploy_day", "value": "Friday"}'])) == (0, 1, 0, 0, 0)
    [record] = manager.resolve("deploy_day")
    assert (record.content, record.tags, record.type) == ("Friday", ["decision", "release"], "decision")
    assert "release" in record.keywords


def test_ids_of_others_are_never_taken_over(manager: MemoryManager) -> None:
    """A line whose id belongs to another live record, or is none at all, gets a new one."""
    taken = manager.get_all_entries()[0]
    manager.import_lines(
        [
            json.dumps({"id": taken.id, "key": "new one", "value": "v1"}),
            json.dumps({"id": "../../etc", "key": "new two", "value": "v2"}),
            json.dumps({"id": "same", "key": "new three", "value": "v3"}),
            json.dumps({"id": "same", "key": "new four", "value": "v4"}),
        ]
    )
    records = manager.get_all_entries()
    assert len({record.id for record in records}) == len(records) == 9
    assert manager.get_entry(taken.id) == taken
    assert not any("/" in record.id for record in records)


def test_times_of_another_zone_are_brought_into_ours(manager: MemoryManager) -> None:
    """Times are stored in UTC, whatever zone a line has."""
    manager.import_lines(['{"key": "k", "value": "v", "created_at": "2026-01-01T08:00:00+08:00"}'])
    [record] = manager.resolve("k")
    assert record.created_at == record.updated_at == "2026-01-01T00:00:00.000000+00:00"


# -- backup ------------------------------------------------------------------------------------------------------------


def test_a_backup_holds_both_stores(place: Place, manager: MemoryManager, tmp_path: Path) -> None:
    """One plain file, for this user alone, with every table's rows of both stores, each under its scope."""
    manager.upsert(say("gone", "deleted"))
    manager.delete_matching("gone")
    manager.save_session_summary("talked")
    change(place.user_file, "UPDATE memories SET scope = 'project'")
    copy = manager.backup(tmp_path / "copy.db")

    assert rows(copy, "PRAGMA integrity_check") == [("ok",)]
    assert rows(copy, "PRAGMA journal_mode") == [("delete",)]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "home", "project"]
    live = "SELECT scope, key_normalized, content FROM memories WHERE deleted_at IS NULL ORDER BY created_at"
    assert rows(copy, live) == [(r.scope, r.key_normalized, r.content) for r in manager.get_all_entries()]
    assert rows(copy, "SELECT count(*) FROM memory_events") == [(len(manager.history(limit=None)),)]
    assert rows(copy, "SELECT summary_text FROM session_summaries") == [("talked",)]
    assert rows(copy, "SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL") == [(1,)]


def test_a_backup_can_be_imported(manager: MemoryManager, elsewhere: Place, tmp_path: Path) -> None:
    """From a backup, as from an export, everything that was live comes back exactly."""
    copy = manager.backup(tmp_path / "copy.db")
    export = tmp_path / "export.jsonl"
    export.write_text("\n".join(manager.export_lines()) + "\n", "utf-8")
    other = elsewhere.start()
    before, names = copy.read_bytes(), sorted(path.name for path in tmp_path.iterdir())
    assert counts(other.import_file(copy)) == (5, 0, 0, 0, 0)
    assert copy.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert counts(other.import_file(export, dry_run=True)) == (0, 0, 5, 0, 0)
    assert list(other.export_lines()) == list(manager.export_lines())


def test_a_backup_overwrites_nothing(place: Place, manager: MemoryManager, tmp_path: Path) -> None:
    """A name that is taken, the store's own above all, is refused; a folder that is missing is named."""
    (tmp_path / "taken").write_text("mine")
    for name in (tmp_path / "taken", place.project_file, tmp_path):
        with pytest.raises(UsageError, match="exists already"):
            manager.backup(name)
    assert (tmp_path / "taken").read_text() == "mine"
    with pytest.raises(Exception, match="missing"):
        manager.backup(tmp_path / "missing" / "copy.db")
    assert len(manager.get_all_entries()) == 5


def test_a_backup_of_a_live_store_is_consistent(place: Place, manager: MemoryManager, tmp_path: Path) -> None:
    """While another shell has a change half done, the copy holds the state before it."""
    other = place.start()
    with other.store_for("project").transaction():
        other.upsert(say("half", "done"))
        copy = manager.backup(tmp_path / "copy.db")
    assert rows(copy, "SELECT count(*) FROM memories WHERE key_normalized = 'half'") == [(0,)]
    assert len(manager.resolve("half")) == 1


def test_what_cannot_be_imported_is_said(manager: MemoryManager, tmp_path: Path) -> None:
    """A missing file and one that is neither text nor a database are clear errors."""
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\xff\xfe")
    for name in ("nosuch", "picture"):
        with pytest.raises(UsageError, match=name):
            manager.import_file(tmp_path / name)
    (tmp_path / "torn.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5_000)
    with pytest.raises(StoreError, match="torn"):
        manager.import_file(tmp_path / "torn.db")
