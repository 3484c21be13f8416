"""Server-sent events and the assembling of answers, whatever the pieces."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentao.agent.messages import Completed, Message, ReasoningDelta, TextDelta, ToolCall
from agentao.agent.server.sse import DONE, chunks, events
from agentao.agent.server.stream import Assembler, ToolCalls, replace_surrogates

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])


def assemble(parsed: list[dict[str, object]]) -> tuple[str, str, Completed]:
    made = Assembler()
    text, reasoning = "", ""
    for chunk in parsed:
        for delta in made.feed(chunk):
            if isinstance(delta, TextDelta):
                text += delta.text
            else:
                reasoning += delta.text
    for last in made.finish(ended=True):
        if isinstance(last, Completed):
            return text, reasoning, last
        if isinstance(last, TextDelta):
            text += last.text
        else:
            reasoning += last.text
    raise AssertionError


@given(st.lists(TEXT, max_size=8), ENDINGS, st.data())
def test_an_answer_is_the_same_in_pieces_of_any_size(parts: list[str], ending: str, data: st.DataObject) -> None:
    """LLM-22: Bytes cut anywhere, with any line ending, give the same text."""
    lines = [f"data: {json.dumps({'choices': [{'delta': {'content': p}}]}, ensure_ascii=False)}" for p in parts]
    whole = (ending * 2).join([": hello", *lines, "data: [DONE]", ""]).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]

    found = list(chunks("text/event-stream", pieces))

    assert found[-1] is DONE
    text, _, last = assemble(found[:-1])
    assert text == last.message.content == "".join(parts)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4), st.booleans(), st.booleans(), st.data())
def test_calls_are_the_same_in_pieces_of_any_size(
    wanted: list[tuple[str, str]], with_index: bool, with_ids: bool, data: st.DataObject
) -> None:
    """LLM-03, LLM-22: Several calls, with or without index and ids, their arguments cut anywhere, come out as they
    were."""
    calls = ToolCalls()
    for at, (key, value) in enumerate(wanted):
        arguments = json.dumps({"key": key, "value": value}, ensure_ascii=False)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(arguments)), max_size=4)))
        pieces = [arguments[a:b] for a, b in zip([0, *cuts], [*cuts, len(arguments)], strict=True)]
        for number, piece in enumerate(pieces):
            entry: dict[str, object] = {"function": {"arguments": piece}}
            if number == 0:
                entry = {"function": {"name": "save_memory", "arguments": piece}}
                if with_ids:
                    entry["id"] = f"id{at}"
            if with_index:
                entry["index"] = at
            calls.add([entry])

    assert [json.loads(c.arguments) for c in calls.whole()] == [{"key": k, "value": v} for k, v in wanted]
    assert [c.id for c in calls.whole()] == [f"id{at}" if with_ids else "" for at in range(len(wanted))]


FIELDS = [
    *["choices", "delta", "content", "tool_calls", "function", "name", "arguments", "index", "id", "usage"],
    *["prompt_tokens", "finish_reason", "message", "reasoning", "text", "thinking", "function_call"],
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(["choices", "usage", "error"]), JSON, max_size=3), max_size=4))
def test_any_json_is_taken_without_a_crash(parsed: list[dict[str, object]]) -> None:
    """Whatever a server sends, the end is a message, with what could be understood."""
    text, _, last = assemble(parsed)

    assert last.message.content == text
    assert all(isinstance(c, ToolCall) for c in last.message.tool_calls)


@given(st.text(st.characters(), max_size=30))
def test_no_lone_surrogate_is_left_and_other_text_is_untouched(text: str) -> None:
    """Pairs are joined, lone halves become U+FFFD, all else stays."""
    cleaned = replace_surrogates(text)

    cleaned.encode()
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert cleaned == text
    assert replace_surrogates(cleaned) == cleaned


def test_reasoning_sent_in_two_fields_is_taken_once() -> None:
    """Some servers send the same thought under both names."""
    text, reasoning, last = assemble([{"choices": [{"delta": {"reasoning": "hm", "reasoning_content": "hm"}}]}])

    assert (text, reasoning) == ("", "hm")
    assert last.message == Message("assistant", "", reasoning="hm")


def test_thinking_in_parts_is_reasoning() -> None:
    """Mistral's form: a list of parts, thoughts and text."""
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "hi"}]
    made = Assembler()

    assert list(made.feed({"choices": [{"delta": {"content": parts}}]})) == [ReasoningDelta("hm"), TextDelta("hi")]


@given(st.text(alphabet="<think>/ \n日", max_size=30), st.lists(st.integers(1, 9), max_size=30))
def test_reasoning_between_tags_before_the_answer_is_no_part_of_it(answer: str, sizes: list[int]) -> None:
    """``<think>`` in front of an answer, cut anywhere, is reasoning; anywhere else the tags are text."""
    whole = f"\n<think>\nstep < 1 </thin\n</think>\n\nThe {answer}"
    pieces, at = [], 0
    for size in [*sizes, len(whole)]:
        pieces.append(whole[at : at + size])
        at += size
    text, reasoning, last = assemble([{"choices": [{"delta": {"content": piece}}]} for piece in pieces])
    assert (text, reasoning) == (f"The {answer}", "\nstep < 1 </thin\n")
    assert (last.message.content, last.message.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("sent", "text", "reasoning"),
    [
        ("A <think> tag", "A <think> tag", ""),
        ("<thi", "<thi", ""),
        (" \n", " \n", ""),
        ("<think>cut", "", "cut"),
        ("<think>cut </th", "", "cut </th"),
        ("<think>a</think>b<think>c</think>", "b<think>c</think>", "a"),
    ],
)
def test_a_tag_of_reasoning_that_is_none_or_stays_open(sent: str, text: str, reasoning: str) -> None:
    """Nothing that was sent is lost."""
    found = assemble([{"choices": [{"delta": {"content": char}}]} for char in sent])
    assert found[:2] == (text, reasoning)


def test_cached_tokens_are_read_in_every_providers_form() -> None:
    """OpenAI's, DeepSeek's and Kimi's counts; nonsense is no count."""
    for extra in (
        {"prompt_tokens_details": {"cached_tokens": 64}},
        {"prompt_cache_hit_tokens": 64},
        {"cached_tokens": 64},
    ):
        _, _, last = assemble([{"usage": {"prompt_tokens": 100, "completion_tokens": 2, **extra}}])
        assert last.usage is not None and last.usage.cached_tokens == 64
    for prompt in (0, -3, None, True, "900", 1.5):
        _, _, last = assemble([{"usage": {"prompt_tokens": prompt}}])
        assert last.usage is None


def test_several_data_lines_are_one_event() -> None:
    """The lines of one event are joined; a name holds for its event only."""
    found = list(events([b"event: error\ndata: a\ndata: b\n\ndata: c\n\ndata: d"]))

    assert found == [("error", "a\nb"), ("", "c"), ("", "d")]
