"""The shape of histories: what is shortened, summarised and left out, and what is never parted."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from agentao.agent.messages import Message, ToolCall
from agentao.agent.tokens import message_tokens, messages_tokens
from agentao.agent.turns import (
    LARGE_MESSAGE_TOKENS,
    crop_for_summary,
    fit_messages,
    plan_compaction,
    shorten_large,
    split_turns,
)


def user(text: str) -> Message:
    return Message("user", text)


def answer(text: str) -> Message:
    return Message("assistant", text)


def summary(text: str) -> Message:
    return Message("user", f"[Conversation Summary]\n{text}", kind="summary")


def saving(number: int, calls: int = 1, text: str = "") -> list[Message]:
    """One round: an assistant message with some calls, and their results."""
    ids = [f"c{number}_{index}" for index in range(calls)]
    made = tuple(ToolCall(call_id, "save_memory", '{"key": "k", "value": "v"}') for call_id in ids)
    return [
        Message("assistant", text, tool_calls=made),
        *(Message("tool", "Saved.", tool_call_id=call_id) for call_id in ids),
    ]


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Valid histories: summaries in front, then turns of a user message and rounds with up to three calls."""
    words = st.text(alphabet="我们的测试 abcde\n", min_size=1, max_size=60)
    messages = [summary(draw(words)) for _ in range(draw(st.integers(0, 3)))]
    for turn in range(draw(st.integers(1, 8))):
        messages.append(user(draw(words) * draw(st.sampled_from([1, 1, 1, 40, 400]))))
        for number in range(draw(st.integers(0, 3))):
            messages.extend(saving(turn * 10 + number, draw(st.integers(1, 3)), draw(words)))
        if draw(st.booleans()):
            messages.append(answer(draw(words) * draw(st.sampled_from([1, 1, 30]))))
    return messages


def assert_calls_have_results(messages: list[Message] | tuple[Message, ...]) -> None:
    """What the strictest server checks: results follow their call at once, all of them, and none stands alone."""
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert message.tool_call_id in waiting
            waiting.remove(str(message.tool_call_id))
        else:
            assert not waiting
            waiting = [call.id for call in message.tool_calls]
    assert not waiting


def is_subsequence(part: list[Message] | tuple[Message, ...], whole: list[Message]) -> bool:
    rest = iter(whole)
    return all(any(message is other for other in rest) for message in part)


@given(histories(), st.integers(0, 3_000), st.integers(0, 500))
def test_a_plan_keeps_calls_with_results_and_the_order(messages: list[Message], keep: int, fold: int) -> None:
    """Whatever the history, both sides of the cut are valid, in order, and together complete."""
    plan = plan_compaction(messages, keep, fold)

    assert_calls_have_results(plan.kept)
    assert_calls_have_results([message for message in plan.early if message.kind == "chat"])
    assert is_subsequence(plan.early, messages)
    assert is_subsequence(plan.kept, messages)
    assert len(plan.summaries) + len(plan.early) + len(plan.kept) == len(messages)


@given(histories(), st.integers(0, 3_000))
def test_the_newest_question_is_always_kept_word_for_word(messages: list[Message], keep: int) -> None:
    """The latest user message is never part of what a summary replaces."""
    newest = [message for message in messages if message.role == "user" and message.kind == "chat"][-1]

    plan = plan_compaction(messages, keep, 100)

    assert any(message is newest for message in plan.kept)


@given(histories(), st.integers(200, 4_000))
def test_fitting_keeps_calls_with_results_and_never_grows(messages: list[Message], limit: int) -> None:
    """A fitted request is valid for a strict server, no longer than the history, and ends with the newest turn."""
    fitted = fit_messages(messages, limit)

    assert_calls_have_results(fitted.messages)
    assert messages_tokens(fitted.messages) <= messages_tokens(messages)
    assert fitted.messages[-1].role == messages[-1].role
    if messages_tokens(messages) <= limit:
        assert list(fitted.messages) == messages


@given(histories())
def test_shortening_never_grows_and_keeps_every_place(messages: list[Message]) -> None:
    """Shortening changes texts only: same roles, same calls, same length of the list, fewer or equal tokens."""
    shortened, _ = shorten_large(messages)

    assert [(m.role, m.tool_calls, m.tool_call_id) for m in shortened] == [
        (m.role, m.tool_calls, m.tool_call_id) for m in messages
    ]
    assert messages_tokens(shortened) <= messages_tokens(messages)


def test_only_old_large_messages_are_shortened() -> None:
    """CMP-13: Pasted text before the newest four turns loses its middle; the newest four turns and errors stay
    whole."""
    paste = "BEGIN " + "words and more " * 1_500 + "END"
    error = Message("tool", paste, tool_call_id="c9_0", error=True)
    old = [user(paste), answer("ok"), user("x"), *saving(9)[:1], error, answer("ok")]
    recent = [message for number in range(4) for message in (user(f"{number} {paste}"), answer("ok"))]

    shortened, count = shorten_large([*old, *recent])

    assert count == 1
    assert shortened[0].content.startswith("BEGIN")
    assert shortened[0].content.endswith("END")
    assert "left out here" in shortened[0].content
    assert message_tokens(shortened[0]) < LARGE_MESSAGE_TOKENS
    assert shortened[1:] == [*old[1:], *recent]


def test_small_tool_results_are_never_touched() -> None:
    """CMP-13: Twelve small results in a long chat stay as they are."""
    messages = [message for number in range(12) for message in (user("save it"), *saving(number), answer("done"))]

    assert shorten_large(messages) == (messages, 0)


def test_a_long_tool_loop_is_cut_between_rounds() -> None:
    """Inside one turn the early rounds go, the question and the newest rounds stay, and no call is parted."""
    loop = [message for number in range(20) for message in saving(number, calls=2, text="thinking " * 40)]
    messages = [user("old"), answer("old"), user("do it"), *loop]

    plan = plan_compaction(messages, 400, 100)

    assert plan.kept[0] is messages[2]
    assert plan.kept[-1] is messages[-1]
    assert plan.early
    assert messages_tokens(plan.kept) <= 400
    assert_calls_have_results(plan.kept)


def test_old_summaries_stay_until_they_are_many() -> None:
    """A summary covers only what it replaces; several are folded into one only when together they are long."""
    messages = [summary("one"), summary("two"), *(user("long " * 200), answer("x"), user("new"), answer("y"))]

    few = plan_compaction(messages, 50, 1_000)
    many = plan_compaction(messages, 50, 5)

    assert few.summaries == tuple(messages[:2])
    assert few.early == tuple(messages[2:4])
    assert many.summaries == ()
    assert many.early == tuple(messages[:4])


def test_one_huge_question_is_cut_in_the_request_only() -> None:
    """A newest message longer than the window is sent with head and tail; the history keeps it whole."""
    huge = user("BEGIN " + "字" * 60_000 + " END")

    fitted = fit_messages([user("a"), answer("b"), huge], 3_000)

    assert messages_tokens(fitted.messages) <= 3_000
    assert fitted.omitted_turns == 1
    assert fitted.cut_messages == 1
    assert fitted.messages[-1].content.startswith("BEGIN")
    assert fitted.messages[-1].content.endswith("END")


def test_long_values_of_the_newest_calls_are_cut_in_the_request_only() -> None:
    """Two long saves in one answer do not make the request behind them too long; the arguments stay an object."""
    long = json.dumps({"key": "文档", "value": "值" * 3_000, "tags": ["a"]}, ensure_ascii=False)
    calls = tuple(ToolCall(id, "save_memory", long) for id in ("a", "b"))
    messages = [user("save both"), Message("assistant", "", tool_calls=calls)]
    messages += [Message("tool", "Saved.", tool_call_id=call.id) for call in calls]

    fitted = fit_messages(messages, 2_000)

    assert messages_tokens(fitted.messages) <= 2_000
    assert [len(m.tool_calls) for m in fitted.messages] == [0, 2, 0, 0]
    for call in fitted.messages[1].tool_calls:
        given = json.loads(call.arguments)
        assert (given["key"], given["tags"]) == ("文档", ["a"])
        assert "left out here" in given["value"]
    assert fitted.cut_messages == 1
    assert messages[1].tool_calls == calls


def test_summaries_outlive_turns_when_room_is_short() -> None:
    """The oldest chat turns are left out of a request before any summary is."""
    messages = [summary("kept"), *(m for _ in range(6) for m in (user("words " * 100), answer("ok"))), user("now?")]

    fitted = fit_messages(messages, 300)

    assert fitted.messages[0].kind == "summary"
    assert fitted.messages[-1].content == "now?"
    assert fitted.omitted_turns > 0


@given(histories(), st.integers(100, 2_000))
def test_a_transcript_always_fits(messages: list[Message], room: int) -> None:
    """What goes into a summary request fits its room, however long the messages are."""
    cropped = crop_for_summary(messages, room)

    assert messages_tokens(cropped) <= max(room, 120)
    assert cropped


def test_turns_begin_with_the_user() -> None:
    """Each user message begins a turn; summaries stand alone."""
    messages = [summary("s"), user("a"), *saving(1), answer("b"), user("c")]

    assert [len(turn) for turn in split_turns(messages)] == [1, 4, 1]
