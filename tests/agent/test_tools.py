"""The tool: its schema, its results, and what of a call may stand in the history."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from agentao.agent.events import MemoryRefused, MemorySaved
from agentao.agent.messages import ToolCall
from agentao.agent.tools import harmless_arguments, parse_arguments, run_call, save_memory_spec
from agentao.memory.manager import MemoryManager
from agentao.memory.models import CONTENT_MAX_CHARS, KEY_MAX_CHARS, TAG_MAX_CHARS, TAGS_MAX

PLAIN = st.sampled_from('abz019 中文\n"\\é')
SECRET = "sk-proj-" + "a1B2c3D4e5" * 4


def test_the_schema_says_the_limits_of_the_core() -> None:
    """ST-30: One tool, three fields, two required; the limits cannot drift from those that are enforced."""
    spec = save_memory_spec()
    fields = spec.parameters["properties"]

    assert spec.name == "save_memory"
    assert spec.parameters["required"] == ["key", "value"]
    assert list(fields) == ["key", "value", "tags"]
    assert fields["key"]["maxLength"] == KEY_MAX_CHARS
    assert fields["value"]["maxLength"] == CONTENT_MAX_CHARS
    assert fields["tags"]["maxItems"] == TAGS_MAX
    assert fields["tags"]["items"]["maxLength"] == TAG_MAX_CHARS
    assert str(KEY_MAX_CHARS) in spec.description and str(CONTENT_MAX_CHARS) in spec.description
    json.dumps(spec.parameters)


def test_a_save_names_the_record_and_an_unknown_field(manager: MemoryManager) -> None:
    """The result tells what was saved and what was ignored."""
    run = run_call(manager, ToolCall("1", "save_memory", '{"key": "editor", "value": "nvim", "scope": "user"}'))

    assert isinstance(run.event, MemorySaved)
    assert "Saved" in run.text and "'scope'" in run.text
    assert not run.error


def test_a_secret_is_refused_and_stands_nowhere(manager: MemoryManager) -> None:
    """Neither result, event nor the call in the history repeat it, in whatever field it came."""
    for arguments in (
        {"key": "api", "value": SECRET},
        {"key": SECRET, "value": "x"},
        {"key": "api", "value": "x", "tags": [SECRET]},
        {"key": "api", "value": {"deep": [SECRET]}},
    ):
        text = json.dumps(arguments)
        run = run_call(manager, ToolCall("1", "save_memory", text))

        assert isinstance(run.event, MemoryRefused)
        for shown in (run.text, repr(run.event), harmless_arguments(text)):
            assert "a1B2c3D4e5" not in shown
    assert manager.get_all_entries() == []


def test_the_user_reads_the_reason_of_a_refusal_alone(manager: MemoryManager) -> None:
    """What is told behind "Not remembered" does not say again, as the model is told, that nothing was saved."""
    for arguments in ({"key": "\U0001f680", "value": "x"}, {"key": "api", "value": SECRET}):
        event = run_call(manager, ToolCall("1", "save_memory", json.dumps(arguments))).event

        assert isinstance(event, MemoryRefused)
        assert event.message[0].isupper()
        assert "saved" not in event.message and "Error" not in event.message


def test_broken_json_with_a_secret_is_not_echoed(manager: MemoryManager) -> None:
    """The result says what is wrong and where, and repeats nothing of it."""
    run = run_call(manager, ToolCall("1", "save_memory", '{"key": "api", "value": "' + SECRET + "x" * 5_000))

    assert "a1B2c3D4e5" not in run.text + repr(run.event)
    assert "at character 25" in run.text
    assert len(run.text) < 200


def test_with_memory_off_a_call_saves_nothing(manager: MemoryManager) -> None:
    """A model that calls the tool although it was not offered learns that memory is off."""
    run = run_call(manager, ToolCall("1", "save_memory", '{"key": "a", "value": "b"}'), enabled=False)

    assert run.error and "off" in run.text and "Nothing was saved" in run.text
    assert manager.get_all_entries() == []


@given(st.text(st.characters(), max_size=60))
def test_arguments_in_the_history_are_always_an_object(text: str) -> None:
    """LLM-06: Whatever the model sent, a strict server takes the history back."""
    assert isinstance(json.loads(harmless_arguments(text)), dict)


@given(st.dictionaries(st.text(PLAIN, max_size=8), st.text(PLAIN, max_size=20) | st.integers() | st.none(), max_size=4))
def test_a_good_object_is_parsed_and_kept_as_it_is(arguments: dict[str, object]) -> None:
    """Harmless arguments stay what the model wrote."""
    text = json.dumps(arguments)

    assert parse_arguments(text) == arguments
    assert set(json.loads(harmless_arguments(text))) == set(arguments)
