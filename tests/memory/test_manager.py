"""Saving, looking and deleting, over real stores."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from agentao.errors import GuardError, NotFound, UsageError
from agentao.memory.manager import MemoryManager
from agentao.memory.models import (
    CONTENT_MAX_CHARS,
    SaveMemoryRequest,
)
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore
from tests.support.memories import (
    Place,
    TestClock,
    at_once,
    change,
    contents,
    event_types,
    opened,
    rows,
    say,
)

# -- saving ------------------------------------------------------------------------------------------------------------


def test_a_save_lands_in_the_file_of_its_scope(place: Place, manager: MemoryManager) -> None:
    """A key that begins with user_ or the tag user goes to the home's file, everything else to the project's."""
    manager.upsert(say("user_python_version", "3.11+"))
    manager.upsert(say("preferred_editor", "nvim", ["user", "preference"]))
    manager.upsert(say("api_endpoint", "https://api.example.com", ["config", "api"]))

    keys = "SELECT key_normalized FROM memories ORDER BY 1"
    assert rows(place.user_file, keys) == [("preferred_editor",), ("user_python_version",)]
    assert rows(place.project_file, keys) == [("api_endpoint",)]
    assert [record.scope for record in manager.get_all_entries()] == ["user", "user", "project"]


def test_the_same_fact_twice_is_one_row_and_two_events(manager: MemoryManager) -> None:
    """RQ-09: Saying the same again changes nothing and says so; the audit log has both."""
    assert manager.save_from_tool("package_manager", "uv", ["tooling"]).startswith("Saved")
    assert manager.save_from_tool("package_manager", "uv", ["tooling"]).startswith("Nothing changed")

    assert contents(manager.get_all_entries()) == ["uv"]
    assert event_types(manager) == ["create", "unchanged"]


def test_a_changed_mind_replaces_the_old_value(manager: MemoryManager) -> None:
    """RQ-10: Keys are equal after trimming and case folding: the new value takes the place of the old one
    everywhere."""
    manager.upsert(say("editor", "vim"))
    outcome = manager.save(say("Editor ", "emacs"))

    assert outcome.change == "changed"
    assert outcome.before is not None
    assert outcome.before.content == "vim"
    assert contents(manager.get_all_entries()) == ["emacs"]
    assert "vim" not in manager.stable_plan().text
    assert event_types(manager, "editor") == ["create", "update"]


def test_an_update_keeps_its_place_and_its_creation_time(place: Place, manager: MemoryManager) -> None:
    """RQ-25: Updating a fact leaves ``created_at``, the id and the order of the block as they were."""
    for name in ("first", "second", "third"):
        manager.upsert(say(name, f"value of {name}", ["decision"]))
    before = manager.get_all_entries()
    place.clock.move(days=3)
    manager.upsert(say("second", "another value", ["decision"]))

    after = manager.get_all_entries()
    assert [(r.id, r.created_at) for r in after] == [(r.id, r.created_at) for r in before]
    assert after[1].updated_at > before[1].updated_at
    assert manager.stable_plan().shown_ids == tuple(record.id for record in after)


def test_an_update_without_tags_keeps_tags_type_and_scope(manager: MemoryManager) -> None:
    """``tags=None`` changes the value of the one live record of this key, in whichever store it stands."""
    first = manager.upsert(say("preferred_editor", "nvim", ["user", "decision"]))
    outcome = manager.save(say("preferred_editor", "helix"))

    assert outcome.record.id == first.id
    assert (outcome.record.scope, outcome.record.type, outcome.record.tags) == (
        "user",
        "decision",
        ["user", "decision"],
    )
    assert contents(manager.get_all_entries()) == ["helix"]


def test_given_tags_decide_anew(manager: MemoryManager) -> None:
    """Tags that are given, an empty list too, replace the stored ones and decide scope and type anew."""
    manager.upsert(say("preferred_editor", "nvim", ["user"]))
    outcome = manager.save(say("preferred_editor", "helix", []))

    assert (outcome.change, outcome.record.scope, outcome.record.tags) == ("new", "project", [])
    assert 'user memory "Preferred editor" has the same key' in outcome.note
    assert [(r.scope, r.content) for r in manager.get_all_entries()] == [("user", "nvim"), ("project", "helix")]


def test_with_the_key_in_both_scopes_the_rule_decides(manager: MemoryManager) -> None:
    """Where both scopes have the key, a save without tags goes where the rule says and names the other one."""
    manager.upsert(say("indent", "tabs", scope="user"))
    manager.upsert(say("indent", "4 空格", scope="project"))
    outcome = manager.save(say("indent", "2 空格"))

    assert outcome.record.scope == "project"
    assert 'The user memory "Indent" has the same key' in outcome.note
    assert contents(manager.search("indent", scope="user")) == ["tabs"]
    assert [r.scope for r in manager.delete_matching("indent")] == ["project", "user"]


def test_another_spelling_of_the_key_alone_changes_nothing(manager: MemoryManager) -> None:
    """The prompt stays byte-identical when a model spells a key in another way."""
    manager.upsert(say("package_manager", "uv"))
    text = manager.stable_plan().text
    assert manager.save(say("Package-Manager", "uv")).change == "unchanged"
    assert manager.stable_plan().text == text


def test_what_the_user_says_outranks_what_was_inferred(manager: MemoryManager) -> None:
    """An explicit save of a value that was only inferred is a change: its confidence rises."""
    manager.upsert(say("package_manager", "uv", source="auto"))
    outcome = manager.save(say("package_manager", "uv"))
    assert (outcome.change, outcome.record.confidence, outcome.record.source) == (
        "changed",
        "explicit_user",
        "explicit",
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [("编辑器", "缩进"), ("की", "का"), ("C", "c++"), ("c++", "c#"), ("Привет", "Пока")],
)
def test_keys_of_any_script_stay_apart(manager: MemoryManager, first: str, second: str) -> None:
    """Two names in any script are two records, and deleting one leaves the other."""
    manager.upsert(say(first, "one"))
    manager.upsert(say(second, "two"))
    assert contents(manager.get_all_entries()) == ["one", "two"]
    assert contents(manager.delete_matching(first)) == ["one"]
    assert contents(manager.get_all_entries()) == ["two"]


@pytest.mark.parametrize(
    ("key", "value"),
    [("", "x"), ("k", ""), ("🚀", "x"), ("k", " \n\t"), ("k" * 81, "x"), ("k", "x" * 1_000_000)],
)
def test_a_refused_save_stores_nothing(place: Place, manager: MemoryManager, key: str, value: str) -> None:
    """ST-02: Empty, unnamable or over-long parts are refused with a reason, before anything is written."""
    with pytest.raises(GuardError):
        manager.upsert(SaveMemoryRequest(key, value))
    answer = manager.answer_tool_call(key, value)
    assert answer.error
    assert answer.text.startswith("Error: ")
    assert manager.get_all_entries() == []
    assert rows(place.project_file, "SELECT count(*) FROM memory_events") == [(0,)]


def test_a_long_value_is_stored_whole_or_refused(manager: MemoryManager) -> None:
    """ST-30: Nothing is cut in silence: 2,100 characters are kept whole, 10,000 refused with the limit named."""
    assert manager.upsert(say("k", "长" * 2_100)).content == "长" * 2_100
    answer = manager.save_from_tool("k2", "长" * 10_000)
    assert f"{CONTENT_MAX_CHARS:,}" in answer
    assert "10,000" in answer
    assert len(manager.get_all_entries()) == 1


def test_secrets_reach_no_file(place: Place, manager: MemoryManager, tmp_path: Path) -> None:
    """A secret in key, value or tag is refused in words that do not repeat it, and no byte of it is on disk."""
    key, token = "sk-proj-" + "aB3dE5gH7j" * 4, "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3lN5"
    for arguments in (("api", key), ("api", "x", [token]), ("api " + token, "x"), ("api", f"curl -H 'token: {key}'")):
        answer = manager.save_from_tool(*arguments)
        assert answer.startswith("Error")
        assert key not in answer
        assert token not in answer
    manager.save_session_summary(f"The user pasted {key} and {token}.")

    for path in tmp_path.rglob("memory.db*"):
        data = path.read_bytes()
        assert key.encode() not in data
        assert token.encode() not in data
    assert "pasted" in manager.get_recent_session_summaries()[0].summary_text


def test_talk_about_secrets_is_kept(manager: MemoryManager) -> None:
    """A text that only mentions a key is stored unchanged."""
    for value in ("No Firebase API key in the build at all.", "apiKey: import.meta.env.VITE_KEY"):
        assert manager.upsert(say("build", value)).content == value


# -- looking and deleting ----------------------------------------------------------------------------------------------


def test_a_deleted_key_can_be_saved_again(place: Place, manager: MemoryManager) -> None:
    """ST-03: Save, delete, save, delete: each works, the list shows the live one once, the audit has four events."""
    manager.upsert(say("k", "v1"))
    assert manager.delete_by_title("k") == 1
    manager.upsert(say("k", "v2"))
    assert contents(manager.get_all_entries()) == ["v2"]
    assert manager.delete_by_title("K") == 1
    assert manager.get_all_entries() == []
    assert event_types(manager, "k") == ["create", "delete", "create", "delete"]
    assert rows(place.project_file, "SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL") == [(2,)]


def test_a_deleted_fact_is_gone_everywhere(manager: MemoryManager) -> None:
    """ST-04: After a delete the same process finds it neither by search nor by tag nor in the prompt."""
    manager.upsert(say("deploy_day", "Tuesday", ["release"]))
    assert "Tuesday" in manager.stable_plan().text
    manager.delete_matching("deploy_day")
    assert manager.search("Tuesday") == []
    assert manager.filter_by_tag("release") == []
    assert manager.stable_plan().text == ""
    assert manager.tag_counts() == []


def test_recall_knows_the_present_value_only(manager: MemoryManager) -> None:
    """A fact that did not fit the block and was changed is recalled with its new value; a deleted one not at all."""
    for number in range(30):
        manager.upsert(say(f"rule_{number}", f"rule {number} about something " + "x" * 80, ["decision"]))
    retriever = MemoryRetriever(manager)

    def recalled(question: str) -> list[str]:
        shown = frozenset(manager.stable_plan().shown_ids)
        return [candidate.content for candidate in retriever.recall_candidates(question, exclude_ids=shown)]

    manager.upsert(say("rule_0", "zeppelins fly on Tuesdays"))
    manager.upsert(say("rule_0", "zeppelins fly on Fridays"))
    assert recalled("when do zeppelins fly?") == ["zeppelins fly on Fridays"]
    assert "zeppelins" not in manager.stable_plan().text
    manager.delete_matching("rule_0")
    assert recalled("when do zeppelins fly?") == []


def test_deleting_nothing_says_so(manager: MemoryManager) -> None:
    """An unknown name is an error, not an OK, and leaves no event."""
    manager.upsert(say("k", "v"))
    assert manager.delete_by_title("nosuch") == 0
    assert manager.delete("nosuch") is False
    with pytest.raises(NotFound, match="nosuch"):
        manager.delete_matching("nosuch")
    assert event_types(manager) == ["create"]


def test_title_goes_before_key_and_key_before_id(manager: MemoryManager) -> None:
    """What a person types means a title; if there is none, a key; if there is none, an id or its unique beginning."""
    by_key = manager.upsert(say("deploy_target", "fly"))
    assert manager.resolve("deploy target") == [by_key]
    assert manager.resolve("DEPLOY-TARGET") == [by_key]
    assert manager.resolve(by_key.id) == [by_key]
    assert manager.resolve(by_key.id[:12]) == [by_key]
    with pytest.raises(NotFound):
        manager.resolve(by_key.id[:3])
    titled = manager.upsert(say(by_key.id, "a title that looks like an id"))
    assert manager.resolve(by_key.id) == [titled]


def test_an_ambiguous_beginning_of_an_id_is_refused(tmp_path: Path) -> None:
    """Where several ids begin so, all are named and nothing is deleted."""
    with opened(tmp_path, TestClock()) as place:
        manager = place.start()
        ids = [manager.upsert(say(f"k{n}", "v")).id for n in range(2)]
        with pytest.raises(UsageError, match=ids[0]):
            manager.delete_matching(ids[0][:6])
        assert len(manager.get_all_entries()) == 2


def test_the_other_scopes_are_named_when_a_key_is_deleted(manager: MemoryManager) -> None:
    """A delete by a name that both scopes have tells what was removed, and from where."""
    manager.upsert(say("indent", "tabs", scope="user"))
    manager.upsert(say("indent", "4 空格", scope="project"))
    assert [(r.scope, r.content) for r in manager.delete_matching("indent")] == [
        ("project", "4 空格"),
        ("user", "tabs"),
    ]


def test_equal_times_keep_the_order_of_insertion(tmp_path: Path) -> None:
    """ST-29: With a clock that stands still, lists, the block and the newest summary keep the order of writing."""
    with opened(tmp_path, TestClock()) as place:
        manager = place.start()
        for key in "abc":
            manager.upsert(say(key, f"value {key}", ["decision"]))
        manager.upsert(say("a", "changed", ["decision"]))
        for text in ("first", "second"):
            manager.save_session_summary(text)
        for _ in range(20):
            again = place.start()
            assert [r.key_normalized for r in again.get_all_entries()] == ["a", "b", "c"]
            assert again.stable_plan().shown_ids == tuple(r.id for r in again.get_all_entries())
            newest = again.get_recent_session_summaries(manager.session_id)
            assert [s.summary_text for s in newest] == ["second", "first"]
        manager.purge()
        change(place.project_file, "VACUUM")
        assert [r.key_normalized for r in manager.get_all_entries()] == ["a", "b", "c"]


def test_the_order_is_that_of_true_time_around_midnight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ST-22: away from UTC, facts and summaries either side of midnight stand by true time, an older version's local
    ones among them; what is stored carries UTC."""
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    clock = TestClock(start=datetime(2026, 5, 1, 15, 50, tzinfo=UTC))
    with opened(tmp_path, clock) as place:
        manager = place.start()
        manager.upsert(say("before", "23:50 local"))
        manager.save_session_summary("before")
        change(
            place.project_file,
            "INSERT INTO memories (id, scope, type, key_normalized, title, content, created_at, updated_at) "
            "VALUES ('old', 'project', 'note', 'at', 'At', '00:10 local', ?1, ?1)",
            "2026-05-02T00:10:00",
        )
        clock.move(minutes=40)
        manager.upsert(say("after", "00:30 local"))
        manager.save_session_summary("after")
        found = manager.get_all_entries()
        assert contents(found) == ["23:50 local", "00:10 local", "00:30 local"]
        assert [record.updated_at[:16] for record in found] == [f"2026-05-01T{t}" for t in ("15:50", "16:10", "16:30")]
        assert all(record.updated_at.endswith("+00:00") for record in found)
        assert [s.summary_text for s in manager.get_recent_session_summaries()] == ["after", "before"]
    monkeypatch.undo()
    time.tzset()


def test_two_shells_in_one_project(place: Place) -> None:
    """CC-04: Each shell sees what the other saves; of one key the last save counts and both stand in the audit."""
    first, second = place.start(), place.start()
    token = first.state_token()
    second.upsert(say("b", "from the second"))
    assert first.state_token() != token
    first.upsert(say("a", "from the first"))
    for shell in (first, second):
        assert {r.key_normalized for r in shell.get_all_entries()} == {"a", "b"}
        assert "from the second" in shell.stable_plan().text
    second.upsert(say("a", "and again"))
    assert contents(first.resolve("a")) == ["and again"]
    assert event_types(first, "a") == ["create", "update"]


def test_one_key_from_many_shells_at_once(place: Place) -> None:
    """Shells that save the same key at the same moment leave one live row and lose no event."""
    shells = [place.start() for _ in range(4)]

    def save(shell: MemoryManager) -> None:
        for number in range(10):
            shell.upsert(say("editor", f"{shell.session_id} {number}"))

    assert at_once(*[partial(save, shell) for shell in shells]) == [None] * 4
    assert len(shells[0].get_all_entries()) == 1
    assert sorted(event_types(shells[0], "editor")) == ["create"] + ["update"] * 39


def test_a_user_fact_is_known_in_every_project(place: Place, tmp_path: Path) -> None:
    """RQ-18: What was said about the user in one project stands in the prompt of another; project facts do not."""
    first = place.start()
    first.upsert(say("user_lang", "中文", ["user"]))
    first.upsert(say("package_manager", "uv"))
    second = place.start(project=tmp_path / "other" / "memory.db")
    assert contents(second.get_stable_entries()) == ["中文"]


# -- one file for both -------------------------------------------------------------------------------------------------


@pytest.fixture
def at_home(place: Place) -> MemoryManager:
    """Started in the home folder: the project's file and the user's are the same."""
    return place.start(project=place.user_file)


def test_one_file_for_both_scopes_lists_nothing_twice(at_home: MemoryManager) -> None:
    """ST-27: In the home folder each fact is listed once, in its scope, and the counts are right."""
    at_home.upsert(say("user_name", "Ada"))
    at_home.upsert(say("package_manager", "uv"))
    at_home.upsert(say("user_role", "engineer"))
    assert len(at_home.stores) == 1
    assert contents(at_home.get_all_entries()) == ["Ada", "uv", "engineer"]
    assert contents(at_home.get_all_entries("user")) == ["Ada", "engineer"]
    assert contents(at_home.get_all_entries("project")) == ["uv"]
    assert at_home.status().totals == {"user": 2, "project": 1}
    preview = at_home.clear_preview()
    assert (preview.user, preview.project) == (2, 1)
    assert at_home.clear("user") == 2
    assert contents(at_home.get_all_entries()) == ["uv"]


def test_one_file_holds_one_key_in_both_scopes(at_home: MemoryManager) -> None:
    """A key may stand in both scopes of one file; an update changes only the one it means."""
    at_home.upsert(say("indent", "tabs", scope="user"))
    at_home.upsert(say("indent", "spaces", scope="project"))
    at_home.upsert(say("indent", "2 spaces", scope="project"))
    assert [(r.scope, r.content) for r in at_home.get_all_entries()] == [("user", "tabs"), ("project", "2 spaces")]


def test_a_single_store_serves_both_scopes(tmp_path: Path) -> None:
    """Without a user store the one store takes user facts and project facts alike."""
    manager = MemoryManager(SQLiteMemoryStore.open(tmp_path / "memory.db"))
    manager.upsert(say("user_name", "Ada"))
    manager.upsert(say("k", "v"))
    assert [r.scope for r in manager.get_stable_entries()] == ["user", "project"]
    manager.close()


def test_the_file_decides_the_scope(place: Place, manager: MemoryManager) -> None:
    """A row of the project's file is a project fact, whatever its scope column says."""
    manager.upsert(say("k", "v"))
    change(place.project_file, "UPDATE memories SET scope = 'user'")
    assert [r.scope for r in manager.get_all_entries()] == ["project"]
    assert manager.get_all_entries("user") == []
    manager.upsert(say("k", "v2"))
    assert [(r.scope, r.content) for r in manager.get_all_entries()] == [("project", "v2")]


def test_two_live_rows_of_one_key_become_one(place: Place, manager: MemoryManager) -> None:
    """Where a foreign program left a key twice in one file, the next save leaves one live record."""
    manager.upsert(say("k", "old"))
    change(
        place.project_file,
        "INSERT INTO memories (id, scope, type, key_normalized, title, content, tags_json, keywords_json, source,"
        " confidence, sensitivity, created_at, updated_at) VALUES ('zz', 'user', 'note', 'k', 'K', 'newer', '[]', '[]',"
        " 'explicit', 'explicit_user', 'normal', '2026-06-01T00:00:00', '2026-06-01T00:00:00')",
    )
    manager.upsert(say("k", "newest"))
    assert contents(manager.get_all_entries()) == ["newest"]
