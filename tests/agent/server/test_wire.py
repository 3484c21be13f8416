"""The body of a request: valid for the strictest server in every dialect, and always the same bytes."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from agentao.agent.history import close_turn, fit_for_history
from agentao.agent.messages import ChatRequest, Message, ToolCall
from agentao.agent.scripted_client import history_problem
from agentao.agent.server.wire import Adaptation, Dialect, body
from agentao.agent.tools import save_memory_spec
from tests.support.strict_openai import RULES, refusal

WORDS = st.text("ab 你🌍\n", min_size=1, max_size=6).filter(str.strip)
CALLS = st.lists(
    st.builds(
        ToolCall,
        st.sampled_from(["", "a", "b", " "]),
        st.sampled_from(["save_memory", "", "no such tool"]),
        st.sampled_from(["", "{}", '{"key": "k", "value": "v"}', "[]", "{broken", "null", '"x"']),
    ),
    max_size=3,
)
ADAPTATIONS = st.frozensets(
    st.sampled_from(
        [
            "no_stream_options",
            "no_tools",
            "plain_schema",
            "empty_content",
            "no_system",
            "alternate",
            "return_reasoning",
        ]
    )
)


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """What any number of turns leaves behind, with calls of every kind, broken off anywhere."""
    messages: list[Message] = []
    if draw(st.booleans()):
        messages.append(Message("user", "[Conversation Summary]\nearlier", kind="summary"))
    for _ in range(draw(st.integers(0, 4))):
        messages.append(Message("user", draw(WORDS)))
        for _ in range(draw(st.integers(0, 3))):
            calls = tuple(draw(CALLS))
            text = draw(st.just("") | WORDS)
            reasoning = draw(st.none() | WORDS)
            if not calls:
                break
            made = fit_for_history(Message("assistant", text, tool_calls=calls, reasoning=reasoning), len(messages))
            messages.append(made)
            answered = draw(st.integers(0, len(calls)))
            for call in made.tool_calls[:answered]:
                messages.append(Message("tool", draw(WORDS), tool_call_id=call.id))
            if answered < len(calls):
                break
        close_turn(messages, "(No answer came.)", draw(st.just("") | WORDS))
    messages.append(Message("user", draw(WORDS)))
    return messages


@given(histories(), ADAPTATIONS, st.booleans())
def test_every_history_is_accepted_in_every_dialect(
    messages: list[Message], has: frozenset[Adaptation], with_context: bool
) -> None:
    """No request breaks a rule that the dialect knows of, and no word of the user is lost."""
    context = "<memory-context>x</memory-context>" if with_context else ""
    request = ChatRequest("system", tuple(messages), (save_memory_spec(),), turn_context=context)

    made = body(request, "m", Dialect(has, "reasoning_content"))

    kept_to = {
        "orphans",
        "object_arguments",
        "blank",
        "system_first",
        "developer",
        "content_missing",
        *(["alternation"] if has & {"alternate", "no_system", "no_tools"} else []),
        *(["tools"] if "no_tools" in has else []),
        *(["plain_schema"] if has & {"plain_schema", "no_tools"} else []),
        *(["no_system"] if "no_system" in has else []),
        *(["stream_options"] if "no_stream_options" in has else []),
        *(["content_null"] if has & {"empty_content", "no_tools"} else ["content_empty"]),
        *(["wants_reasoning"] if "return_reasoning" in has else ["no_reasoning"]),
    }
    assert kept_to <= RULES.keys()
    assert refusal(made, frozenset(kept_to), None) is None
    assert json.dumps(made) == json.dumps(body(request, "m", Dialect(has, "reasoning_content")))
    sent = "\n\n".join(m["content"] or "" for m in made["messages"] if m["role"] == "user")
    assert all(m.content in sent for m in messages if m.role == "user")
    assert sent.count(context) == 1 or not context
    assert made["messages"][-1]["content"].endswith(messages[-1].content)


@given(histories())
def test_every_history_that_turns_leave_is_valid(messages: list[Message]) -> None:
    """Whatever a model called and wherever it was broken off, the strictest check finds nothing."""
    if messages[0].kind == "summary" and len(messages) > 1:
        messages = messages[1:]

    assert history_problem(messages) is None


@given(histories())
def test_closing_a_turn_twice_changes_nothing(messages: list[Message]) -> None:
    """An interrupt in the middle of the closing may lead to a second one."""
    before = list(messages)
    close_turn(messages, "(No answer came.)", "half an answer")
    once = list(messages)

    close_turn(messages, "(No answer came.)", "half an answer")

    assert messages == once == [*before, Message("assistant", "half an answer", complete=False)]
