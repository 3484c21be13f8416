"""The model's tool call: any JSON values in, plain words out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentao.memory.manager import MemoryManager
from agentao.memory.models import (
    MemoryRecord,
)
from agentao.memory.store import SQLiteMemoryStore
from tests.support.memories import (
    FailingStore,
    say,
)


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
    """ST-24: Tags are whole words in whatever form a model sends them; never single letters."""
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
    """LLM-08: What cannot be meant sensibly is refused, and the answer names the argument."""
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
    """LLM-08: Numbers, truth values and objects become the text that they stand for."""
    answer = manager.answer_tool_call(key, value)
    assert answer.outcome is not None
    assert answer.outcome.record.content == content


def test_three_calls_in_one_message(manager: MemoryManager) -> None:
    """CC-06: Of two calls with the same key the last one counts; each call has an answer of its own."""
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


def test_a_failed_write_is_an_error_in_words(tmp_path: Path) -> None:
    """ST-17: When the row cannot be written the answer begins with an error, and the next save works."""
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
