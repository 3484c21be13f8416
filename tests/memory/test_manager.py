"""Saving, looking, deleting, clearing and the prompt's facts, over real stores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentao.errors import GuardError, NotFound, StoreError, UsageError
from agentao.memory.manager import MemoryManager
from agentao.memory.models import (
    CONTENT_MAX_CHARS,
    SESSION_TAIL_CHARS,
    STABLE_BLOCK_MAX_CHARS,
    MemoryRecord,
    SaveMemoryRequest,
)
from agentao.memory.renderer import MemoryPromptRenderer, escape
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore
from agentao.memory.text import strip_controls, strip_hidden
from tests.support.memories import Place, TestClock, at_once, change, contents, opened, rows, say


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with opened(tmp_path) as place:
        yield place


@pytest.fixture
def manager(place: Place) -> MemoryManager:
    return place.start()


def event_types(manager: MemoryManager, target: str | None = None) -> list[str]:
    return [event.event_type for event in reversed(manager.history(target))]


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
    """Saying the same again changes nothing and says so; the audit log has both."""
    assert manager.save_from_tool("package_manager", "uv", ["tooling"]).startswith("Saved")
    assert manager.save_from_tool("package_manager", "uv", ["tooling"]).startswith("Nothing changed")

    assert contents(manager.get_all_entries()) == ["uv"]
    assert event_types(manager) == ["create", "unchanged"]


def test_a_changed_mind_replaces_the_old_value(manager: MemoryManager) -> None:
    """Keys are equal after trimming and case folding: the new value takes the place of the old one everywhere."""
    manager.upsert(say("editor", "vim"))
    outcome = manager.save(say("Editor ", "emacs"))

    assert outcome.change == "changed"
    assert outcome.before is not None
    assert outcome.before.content == "vim"
    assert contents(manager.get_all_entries()) == ["emacs"]
    assert "vim" not in manager.stable_plan().text
    assert event_types(manager, "editor") == ["create", "update"]


def test_an_update_keeps_its_place_and_its_creation_time(place: Place, manager: MemoryManager) -> None:
    """Updating a fact leaves ``created_at``, the id and the order of the block as they were."""
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
    """Empty, unnamable or over-long parts are refused with a reason, before anything is written."""
    with pytest.raises(GuardError):
        manager.upsert(SaveMemoryRequest(key, value))
    answer = manager.answer_tool_call(key, value)
    assert answer.error
    assert answer.text.startswith("Error: ")
    assert manager.get_all_entries() == []
    assert rows(place.project_file, "SELECT count(*) FROM memory_events") == [(0,)]


def test_a_long_value_is_stored_whole_or_refused(manager: MemoryManager) -> None:
    """Nothing is cut in silence: 2,100 characters are kept whole, 10,000 refused with the limit named."""
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


# -- the tool call -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tags", "stored"),
    [
        ('["a","b"]', ["a", "b"]),
        ("java,python", ["java", "python"]),
        ("java", ["java"]),
        (None, []),
        ("", []),
        ([1, None, ""], ["1"]),
        ([], []),
    ],
)
def test_tags_in_any_form(manager: MemoryManager, tags: object, stored: list[str]) -> None:
    """Tags are whole words in whatever form a model sends them; never single letters."""
    answer = manager.answer_tool_call("language", "both", tags)
    assert answer.outcome is not None
    assert answer.outcome.record.tags == stored
    assert manager.filter_by_tag("j") == []


@pytest.mark.parametrize(
    ("key", "value", "tags", "named"),
    [
        (None, "v", None, "key"),
        ("k", None, None, "value"),
        (["k"], "v", None, "key"),
        (True, "v", None, "key"),
        ("k", {}, None, "value"),
        ("k", "v", {"a": 1}, "tags"),
        ("k", "v", 7, "tags"),
        ("k", "v", ["a", ["b"]], "tags"),
        ("k", "v", "[1", "tags"),
    ],
)
def test_wrong_types_are_refused_by_name(
    manager: MemoryManager, key: object, value: object, tags: object, named: str
) -> None:
    """What cannot be meant sensibly is refused, and the answer names the argument."""
    answer = manager.answer_tool_call(key, value, tags)
    assert answer.error
    assert answer.outcome is None
    assert named in answer.text
    assert manager.get_all_entries() == []


@pytest.mark.parametrize(
    ("key", "value", "content"),
    [
        (123, "v", "v"),
        ("k", 3.12, "3.12"),
        ("k", True, "true"),
        ("k", {"a": 1}, '{"a": 1}'),
        ("k", ["中", 2], '["中", 2]'),
    ],
)
def test_other_types_are_coerced_sensibly(manager: MemoryManager, key: object, value: object, content: str) -> None:
    """Numbers, truth values and objects become the text that they stand for."""
    answer = manager.answer_tool_call(key, value)
    assert answer.outcome is not None
    assert answer.outcome.record.content == content


def test_three_calls_in_one_message(manager: MemoryManager) -> None:
    """Of two calls with the same key the last one counts; each call has an answer of its own."""
    answers = [manager.answer_tool_call(*call) for call in (("a", "1"), ("b", "2"), ("a", "3"))]
    assert [answer.error for answer in answers] == [False, False, False]
    assert {r.key_normalized: r.content for r in manager.get_all_entries()} == {"a": "3", "b": "2"}


def test_the_answer_names_what_was_saved(manager: MemoryManager) -> None:
    """The tool's answer tells scope, title, key and whether the record is new or changed."""
    assert manager.save_from_tool("package_manager", "uv", ["tooling"]) == (
        'Saved the project memory "Package manager" (key package_manager, project_fact).'
    )
    assert manager.save_from_tool("package_manager", "poetry") == (
        'Updated the project memory "Package manager" (key package_manager, project_fact).'
    )


def test_memory_off_saves_nothing(manager: MemoryManager) -> None:
    """With memory off the tool refuses, nothing is put into the prompt, and the user's own commands still work."""
    manager.upsert(say("user_name", "Ada"))
    manager.enabled = False
    assert "off" in manager.save_from_tool("k", "v")
    assert manager.get_stable_entries() == []
    assert manager.stable_plan().text == ""
    assert manager.get_cross_session_tail() == ""
    assert manager.save(say("k", "v"), actor="user").change == "new"
    assert len(manager.get_all_entries()) == 2


class FailingStore(SQLiteMemoryStore):
    """A store whose disk is full."""

    failing = True

    def write(self, record: MemoryRecord, event_type: str, **more: Any) -> None:
        if self.failing:
            raise StoreError("The disk is full; nothing was written.")
        super().write(record, event_type, **more)

    def clear_summaries(self, session_id: str | None = None) -> int:
        if self.failing:
            raise StoreError("The disk is full; nothing was written.")
        return super().clear_summaries(session_id)


def test_a_failed_write_is_an_error_in_words(tmp_path: Path) -> None:
    """When the row cannot be written the answer begins with an error, and the next save works."""
    store = FailingStore.open(tmp_path / "memory.db")
    manager = MemoryManager(store)
    answer = manager.answer_tool_call("k", "v")
    assert answer.error
    assert answer.text == "Error: not saved. The disk is full; nothing was written."
    assert manager.get_all_entries() == []
    store.failing = False  # type: ignore[misc]
    assert manager.save_from_tool("k", "v").startswith("Saved")
    manager.close()


def test_a_defect_is_not_swallowed(tmp_path: Path) -> None:
    """Only refusals and store errors become words; anything else is a fault of the program and is raised."""

    class Broken(SQLiteMemoryStore):
        def write(self, record: MemoryRecord, event_type: str, **more: Any) -> None:
            raise ZeroDivisionError

    manager = MemoryManager(Broken.open(tmp_path / "memory.db"))
    with pytest.raises(ZeroDivisionError):
        manager.answer_tool_call("k", "v")
    manager.close()


def test_a_store_in_memory_says_so_at_each_save(tmp_path: Path) -> None:
    """Where the file cannot be used, each save says that it is kept for this run only, and why."""
    (tmp_path / ".agentao").write_text("a file where the folder should be")
    store = SQLiteMemoryStore.open_or_memory(tmp_path / ".agentao" / "memory.db")
    manager = MemoryManager(store)
    for value in ("one", "two"):
        answer = manager.save_from_tool("k", value)
        assert "kept for this run only: " in answer
        assert str(tmp_path / ".agentao") in answer
    status = manager.status()
    assert status.stores[0].persistent is False
    assert status.stores[0].problem
    manager.close()


# -- looking and deleting ----------------------------------------------------------------------------------------------


def test_a_deleted_key_can_be_saved_again(place: Place, manager: MemoryManager) -> None:
    """Save, delete, save, delete: each works, the list shows the live one once, the audit has four events."""
    manager.upsert(say("k", "v1"))
    assert manager.delete_by_title("k") == 1
    manager.upsert(say("k", "v2"))
    assert contents(manager.get_all_entries()) == ["v2"]
    assert manager.delete_by_title("K") == 1
    assert manager.get_all_entries() == []
    assert event_types(manager, "k") == ["create", "delete", "create", "delete"]
    assert rows(place.project_file, "SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL") == [(2,)]


def test_a_deleted_fact_is_gone_everywhere(manager: MemoryManager) -> None:
    """After a delete the same process finds it neither by search nor by tag nor in the prompt."""
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
    """With a clock that stands still, lists, the block and the newest summary keep the order of writing."""
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


def test_two_shells_in_one_project(place: Place) -> None:
    """Each shell sees what the other saves; of one key the last save counts and both stand in the audit."""
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
    """What was said about the user in one project stands in the prompt of another; project facts do not."""
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
    """In the home folder each fact is listed once, in its scope, and the counts are right."""
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


# -- clearing ----------------------------------------------------------------------------------------------------------


def test_clear_is_bound_to_this_project(place: Place, tmp_path: Path) -> None:
    """Clearing in one project leaves another project alone, and tells beforehand what will go."""
    here, there = place.start(), place.start(project=tmp_path / "b" / "memory.db")
    for number in range(3):
        here.upsert(say(f"a{number}", "v"))
        there.upsert(say(f"b{number}", "v"))
        here.upsert(say(f"user_{number}", "v"))
    here.save_session_summary("talked")
    preview = here.clear_preview()
    assert (preview.user, preview.project, preview.summaries, preview.pending) == (3, 3, 1, 0)
    assert preview.total == 7

    done = here.clear_everything()
    assert (done.user, done.project, done.summaries, done.failures) == (3, 3, 1, ())
    assert len(there.get_all_entries("project")) == 3
    assert here.get_all_entries() == []
    assert here.clear_preview().total == 0


def test_a_clear_that_fails_in_part_says_so(tmp_path: Path) -> None:
    """One store that cannot be cleared does not hide behind the other: what survived is named and still shown."""
    user = FailingStore.open(tmp_path / "u" / "memory.db")
    user.failing = False  # type: ignore[misc]
    manager = MemoryManager(SQLiteMemoryStore.open(tmp_path / "p" / "memory.db"), user)
    manager.upsert(say("user_name", "Ada"))
    manager.upsert(say("k", "v"))
    manager.save_session_summary("talked")
    user.failing = True  # type: ignore[misc]

    with pytest.raises(StoreError, match=r"user memories were not cleared.*Cleared: 0 user and 1 project"):
        manager.clear()
    done = manager.clear_everything()
    assert (done.user, done.summaries) == (0, 1)
    assert "user" in done.failures[0]
    assert contents(manager.get_stable_entries()) == ["Ada"]
    manager.close()


def test_summaries_that_cannot_be_cleared_are_told(tmp_path: Path) -> None:
    """A summary that survives a clear is named as such, and is still there."""
    store = FailingStore.open(tmp_path / "memory.db")
    store.failing = False  # type: ignore[misc]
    manager = MemoryManager(store)
    manager.save_session_summary("talked")
    store.failing = True  # type: ignore[misc]
    done = manager.clear_everything()
    assert done.summaries == 0
    assert "summaries were not cleared" in done.failures[-1]
    assert manager.clear_preview().summaries == 1
    manager.close()


# -- the prompt --------------------------------------------------------------------------------------------------------


def test_the_selection_of_the_design(manager: MemoryManager) -> None:
    """All user facts, all structural facts of the project, and the three others that changed last; oldest first."""
    manager.upsert(say("user_note", "u1", type="note"))
    for number in range(5):
        manager.upsert(say(f"fact{number}", f"f{number}", type="project_fact"))
    for kind in ("decision", "constraint", "workflow", "profile", "preference"):
        manager.upsert(say(f"a_{kind}", kind, scope="project", type=kind))
    manager.upsert(say("fact0", "f0 again", type="project_fact"))

    assert contents(manager.get_stable_entries()) == [
        "u1",
        "f0 again",
        "f3",
        "f4",
        "decision",
        "constraint",
        "workflow",
        "profile",
        "preference",
    ]
    assert len(manager.get_stable_entries(recent_project_limit=0)) == 6


def test_a_save_that_does_not_fit_says_so(manager: MemoryManager) -> None:
    """Sixty facts are all saved; the block keeps its limit; the save that no longer fits says so, and status counts."""
    notes = []
    for number in range(60):
        text = f"fact number {number} " + "x" * 85
        answer = manager.answer_tool_call(f"fact_{number}", text, ["decision"])
        assert answer.outcome is not None
        notes.append(answer.outcome.note)
    plan, status = manager.stable_plan(), manager.status()

    assert len(plan.text) <= STABLE_BLOCK_MAX_CHARS
    assert not any(notes[: len(plan.shown_ids)])
    assert all("not fit" in note for note in notes[len(plan.shown_ids) + 1 :])
    assert status.block_shown == len(plan.shown_ids)
    assert status.block_shown + status.block_dropped == 60
    assert (status.block_chars, status.block_limit_chars) == (len(plan.text), STABLE_BLOCK_MAX_CHARS)
    assert plan.text == MemoryPromptRenderer().render_stable_block(manager.get_stable_entries())
    assert "fact number 59" in plan.text


def test_an_old_fact_that_grows_out_of_the_block_says_so(manager: MemoryManager) -> None:
    """An update keeps its place: an old fact that found no room finds none by being changed, and its save says so."""
    for number in range(40):
        manager.upsert(say(f"fact_{number}", f"fact number {number} " + "x" * 100, ["decision"]))
    outcome = manager.save(say("fact_0", "the new value " + "y" * 100))
    assert "does not fit into the memory block" in outcome.note
    assert "the new value" not in manager.stable_plan().text


def test_one_large_save_changes_no_other_row(manager: MemoryManager) -> None:
    """A value of 1,900 characters is taken in one call, and no other fact is changed or removed for it."""
    for number in range(10):
        manager.upsert(say(f"fact_{number}", "x" * 60, ["decision"]))
    before = manager.get_all_entries()
    assert manager.answer_tool_call("large", "y" * 1_900, ["decision"]).error is False
    assert manager.get_all_entries()[:-1] == before


def test_the_block_is_made_anew_only_when_a_store_changed(manager: MemoryManager, place: Place) -> None:
    """Ten turns without a save are one and the same text; any process's save changes it at the next turn."""
    manager.upsert(say("k", "v"))
    plans = {id(manager.stable_plan()) for _ in range(10)}
    assert len(plans) == 1
    place.start().upsert(say("k2", "v2"))
    assert "v2" in manager.stable_plan().text


def test_status_counts_by_scope_and_type(manager: MemoryManager, place: Place) -> None:
    """Status tells counts by scope and type, both paths, the newest summary's length and the session."""
    manager.upsert(say("user_name", "Ada"))
    manager.upsert(say("package_manager", "uv", ["tooling"]))
    manager.save_session_summary("12345")
    status = manager.status()
    assert status.counts == {"user": {"profile": 1}, "project": {"project_fact": 1}}
    assert [(s.scopes, s.path) for s in status.stores] == [
        (("project",), place.project_file),
        (("user",), place.user_file),
    ]
    assert (status.summaries, status.last_summary_chars, status.pending) == (1, 5, 0)
    assert (status.session_id, status.enabled, status.project_trusted) == (manager._session_id, True, True)


def test_write_version_grows_with_every_write(manager: MemoryManager) -> None:
    """Whoever caches what a manager wrote sees each write of it."""
    versions = [manager.write_version]
    record = manager.upsert(say("k", "v"))
    versions.append(manager.write_version)
    manager.upsert(say("k", "v2"))
    versions.append(manager.write_version)
    manager.delete(record.id)
    versions.append(manager.write_version)
    manager.undo()
    versions.append(manager.write_version)
    manager.save_session_summary("s")
    versions.append(manager.write_version)
    assert versions == sorted(set(versions))


# -- session summaries -------------------------------------------------------------------------------------------------


def test_the_tail_tells_of_other_sessions_only(place: Place) -> None:
    """The newest three summaries of other sessions, oldest first; this session's own never."""
    for number in range(5):
        place.start().save_session_summary(f"session {number}", tokens_before=1_000, messages_summarized=7)
    now = place.start()
    now.save_session_summary("this session")
    assert now.get_cross_session_tail() == "session 2\nsession 3\nsession 4"
    assert [s.summary_text for s in now.get_recent_session_summaries()] == ["this session"]
    now.new_session()
    assert now.get_cross_session_tail() == "session 3\nsession 4\nthis session"
    assert now.get_recent_session_summaries() == []


def test_a_summary_keeps_its_numbers(place: Place, manager: MemoryManager) -> None:
    """A summary's row holds the session, the tokens before and the number of messages."""
    record = manager.save_session_summary("talked about uv", 81_234, 17)
    assert record is not None
    assert rows(
        place.project_file, "SELECT session_id, summary_text, tokens_before, messages_summarized FROM session_summaries"
    ) == [(manager.session_id, "talked about uv", 81_234, 17)]
    with pytest.raises(GuardError):
        manager.save_session_summary(" \n")


@pytest.mark.parametrize("text", ["line of text & <more>", "中文的一行", "tab\tand \x1b escape", "\u202ehidden"])
def test_the_tail_is_cut_at_whole_lines_as_rendered(place: Place, text: str) -> None:
    """However it is escaped, the tail has at most 800 characters, of whole lines, the newest ones."""
    for session in range(3):
        place.start().save_session_summary("\n".join(f"{session}.{n} {text}" for n in range(60)))
    tail = place.start().get_cross_session_tail()
    lines = tail.split("\n")
    rendered = "\n".join(escape(line) for line in lines)
    assert SESSION_TAIL_CHARS - 60 < len(rendered) <= SESSION_TAIL_CHARS
    assert lines[-1].startswith("2.59")
    whole = {strip_hidden(strip_controls(f"{session}.{n} {text}")) for session in range(3) for n in range(60)}
    assert {strip_hidden(line) for line in lines} <= whole
    assert f"<session>\n{rendered}\n</session>" in MemoryPromptRenderer().render_stable_block([], tail)


def test_one_endless_line_keeps_its_end(place: Place) -> None:
    """A summary without line breaks keeps its newest text, marked as cut, never half an escape."""
    place.start().save_session_summary("a & b " * 1_000 + "the end")
    tail = place.start().get_cross_session_tail()
    assert tail.startswith("…")
    assert tail.endswith("the end")
    assert SESSION_TAIL_CHARS - 10 < len(escape(tail)) <= SESSION_TAIL_CHARS


def test_the_tail_is_read_once_a_session(place: Place) -> None:
    """Another session's summary does not change this session's prompt; clearing the summaries does."""
    place.start().save_session_summary("yesterday")
    now = place.start()
    text = now.stable_plan().text
    assert "yesterday" in text
    other = place.start()
    other.save_session_summary("meanwhile")
    now.upsert(say("k", "v"))
    assert "meanwhile" not in now.stable_plan().text
    assert "yesterday" in now.stable_plan().text
    other.clear_all_session_summaries()
    assert "yesterday" not in now.stable_plan().text


def test_what_was_being_summarised_while_all_was_cleared_is_not_written(place: Place) -> None:
    """A summary that was begun before the summaries were cleared, by any shell, is not stored afterwards."""
    here, there = place.start(), place.start()
    generation = here.summary_generation()
    there.clear_everything()
    assert here.save_session_summary("old talk", generation=generation) is None
    assert here.clear_preview().summaries == 0
    assert here.save_session_summary("new talk", generation=here.summary_generation()) is not None


def test_events_hold_what_happened(manager: MemoryManager, place: Place) -> None:
    """Each write has one event whose detail tells who, in which session, before and after."""
    manager.save(say("k", "v1"), actor="user")
    manager.save(say("k", "v2"), actor="model")
    details = [json.loads(text) for (text,) in rows(place.project_file, "SELECT detail FROM memory_events ORDER BY id")]
    assert [d["actor"] for d in details] == ["user", "model"]
    assert {d["session_id"] for d in details} == {manager.session_id}
    assert [d["before"] and d["before"]["content"] for d in details] == [None, "v1"]
    assert [d["after"]["content"] for d in details] == ["v1", "v2"]
