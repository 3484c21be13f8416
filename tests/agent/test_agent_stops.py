"""However a turn is stopped, the history stays valid for the strictest server and the next turn works."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from agentao.agent.agent import Agent
from agentao.agent.events import MemorySaved, TurnEnded
from agentao.agent.history import NOT_KNOWN, NOT_RUN
from agentao.agent.messages import ChatEvent, ChatRequest, Completed, Message, ReasoningDelta, TextDelta, ToolCall
from agentao.agent.openai_client import OpenAIClient
from agentao.agent.scripted_client import ScriptedClient, call, history_problem, say
from agentao.errors import ContextTooLong, ServerFailed
from agentao.memory.manager import MemoryManager
from agentao.memory.models import ToolAnswer
from tests.support import fake_openai as fake
from tests.support.fake_openai import FakeOpenAI, chunk, tool_delta

SAVE_A, SAVE_B = {"key": "a", "value": "1"}, {"key": "b", "value": "2"}


def script() -> list[list[ChatEvent]]:
    """A turn of three requests: thoughts and text, two saves with text, a last answer."""
    two = call(SAVE_A, SAVE_B, text="Saving both. ")
    return [[ReasoningDelta("hm"), *two], call(SAVE_A), say("All is saved now.", pieces=3)]


EVENTS = 9
"""Events of that turn: a reasoning delta, a text delta, two saves, one more, three deltas, the end."""


def check_next_turn(agent: Agent, client: ScriptedClient) -> None:
    client.steps = [say("here")]
    events = list(agent.run_turn("still there?"))
    assert events[-1] == TurnEnded("done")
    assert history_problem(agent.messages) is None
    assert [m.content for m in agent.messages[-2:]] == ["still there?", "here"]
    client.assert_done()


def test_the_script_of_these_tests_has_as_many_events_as_assumed(manager: MemoryManager) -> None:
    """Each stop below falls on an event of its own."""
    assert len(list(Agent(manager, ScriptedClient(*script())).run_turn("go"))) == EVENTS


@pytest.mark.parametrize("how", ["closed", "Ctrl-C", "dropped", "dropped and forgotten"])
@pytest.mark.parametrize("after", range(EVENTS + 1))
def test_a_turn_stopped_after_any_event_leaves_a_valid_history(how: str, after: int, manager: MemoryManager) -> None:
    """Closed, interrupted or simply left: what was shown is kept as incomplete, what was saved has its result."""
    client = ScriptedClient(*script())
    agent = Agent(manager, client)
    events = agent.run_turn("go")
    seen = [next(events) for _ in range(after)]
    if how == "closed":
        events.close()  # type: ignore[attr-defined]
    elif how == "Ctrl-C":
        with pytest.raises((KeyboardInterrupt, StopIteration)):
            events.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
    elif how == "dropped and forgotten":
        del events

    check_next_turn(agent, client)

    shown = "".join(e.text for e in seen if isinstance(e, TextDelta))
    kept = "".join(m.content for m in agent.messages[:-2] if m.role == "assistant")
    assert shown in kept
    saved = [e.outcome.record.key_normalized for e in seen if isinstance(e, MemorySaved)]
    results = [m for m in agent.messages if m.role == "tool" and not m.error]
    assert len(results) >= len(saved)
    assert {m.key_normalized for m in manager.get_all_entries()} >= set(saved)


@pytest.mark.parametrize("at", range(4))
def test_ctrl_c_inside_the_stream_keeps_what_had_come(at: int, manager: MemoryManager) -> None:
    """The interrupt is raised again, the text so far is kept and marked, and the next turn works."""
    pieces = [TextDelta("one "), TextDelta("two "), TextDelta("three")]
    client = ScriptedClient([*pieces[:at], KeyboardInterrupt(), *pieces[at:]])
    agent = Agent(manager, client)

    with pytest.raises(KeyboardInterrupt):
        list(agent.run_turn("count"))

    assert history_problem(agent.messages) is None
    assert agent.messages[-1].complete is False
    if at:
        assert agent.messages[-1].content == "".join(p.text for p in pieces[:at])
    check_next_turn(agent, client)


class InterruptedList(list[Message]):
    """A history that is interrupted once more while it is being closed."""

    presses = 1

    def extend(self, more: Iterable[Message]) -> None:
        if self.presses:
            self.presses -= 1
            raise KeyboardInterrupt
        super().extend(more)


@pytest.mark.parametrize("events", [0, 1, 2])
def test_a_second_ctrl_c_while_the_turn_is_closed_does_no_harm(events: int, manager: MemoryManager) -> None:
    """The next turn closes what could not be closed, and nothing stands twice."""
    client = ScriptedClient(*script())
    agent = Agent(manager, client)
    agent.messages = InterruptedList()
    turn = agent.run_turn("go")
    for _ in range(events):
        next(turn)
    with pytest.raises((KeyboardInterrupt, StopIteration)):
        turn.throw(KeyboardInterrupt)  # type: ignore[attr-defined]

    check_next_turn(agent, client)

    assert sum(m.content == "Saving both. " for m in agent.messages) == (events > 1)


class Interrupting:
    """A manager whose tool answers are interrupted at the n-th call."""

    def __init__(self, manager: MemoryManager, at: int) -> None:
        self._manager = manager
        self._left = at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._manager, name)

    def answer_tool_call(self, key: object, value: object, tags: object = None) -> ToolAnswer:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left -= 1
        return self._manager.answer_tool_call(key, value, tags)


@pytest.mark.parametrize("at", [0, 1])
def test_ctrl_c_within_and_between_calls_claims_no_success(at: int, manager: MemoryManager) -> None:
    """LLM-10: The interrupted call's result says that it is not known, the ones after it that they did not run."""
    client = ScriptedClient(call(SAVE_A, SAVE_B, {"key": "c", "value": "3"}))
    agent = Agent(Interrupting(manager, at), client)  # type: ignore[arg-type]

    with pytest.raises(KeyboardInterrupt):
        list(agent.run_turn("save three"))

    results = [m for m in agent.messages if m.role == "tool"]
    assert [m.error for m in results] == [False] * at + [True] * (3 - at)
    assert [m.content for m in results[at:]] == [NOT_KNOWN] + [NOT_RUN] * (2 - at)
    assert all(
        "saved" not in m.content.casefold().replace("nothing was saved", "").replace("was saved is not known", "")
        for m in results[at:]
    )
    assert len(manager.get_all_entries()) == at
    client.steps = [say("here")]
    assert list(agent.run_turn("and?"))[-1] == TurnEnded("done")
    assert history_problem(agent.messages) is None


def test_ctrl_c_while_arguments_stream_saves_nothing(
    manager: MemoryManager, connect: Callable[..., OpenAIClient]
) -> None:
    """LLM-10: A half call is dropped with its half text kept, over the real client and a strict server."""
    started = fake.stream(
        chunk({"content": "Saving. "}),
        chunk({"tool_calls": [tool_delta("save_memory", '{"key":"a","val', index=0, id="x")]}),
        fake.AwaitHangup(),
        done=False,
    )
    with FakeOpenAI(started, strict=("*", "alternation")) as server:
        agent = Agent(manager, connect(server))
        events = agent.run_turn("save it")
        assert next(events) == TextDelta("Saving. ")
        with pytest.raises(KeyboardInterrupt):
            events.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
        assert server.hung_up.wait(5)

        assert list(agent.run_turn("again"))[-1] == TurnEnded("done")

        assert server.refused == []
        assert [m["content"] for m in server.bodies[-1]["messages"][1:]] == ["save it", "Saving. ", "again"]
        assert manager.get_all_entries() == []


def test_a_failed_question_leaves_no_trace_and_a_half_answer_stays(manager: MemoryManager) -> None:
    """A question without any answer can be asked again; text that was shown is kept as incomplete."""
    client = ScriptedClient(ServerFailed("down"), [TextDelta("half"), ServerFailed("down")])
    agent = Agent(manager, client)
    with pytest.raises(ServerFailed):
        list(agent.run_turn("one"))
    assert agent.messages == []

    with pytest.raises(ServerFailed):
        list(agent.run_turn("two"))

    assert agent.messages == [Message("user", "two"), Message("assistant", "half", complete=False)]
    check_next_turn(agent, client)


def test_a_failure_after_a_save_keeps_the_save_in_the_history(manager: MemoryManager) -> None:
    """The model later knows what it had saved, although the server failed before it could say so."""
    client = ScriptedClient(call(SAVE_A), ServerFailed("down"))
    agent = Agent(manager, client)

    with pytest.raises(ServerFailed):
        list(agent.run_turn("save"))

    assert [m.role for m in agent.messages] == ["user", "assistant", "tool", "assistant"]
    assert agent.messages[-1].complete is False
    check_next_turn(agent, client)


def test_a_client_that_stops_without_an_end_is_an_error(manager: MemoryManager) -> None:
    """A stream without its last event is no answer; what was shown stays."""
    client = ScriptedClient([TextDelta("half")])
    agent = Agent(manager, client)

    with pytest.raises(Exception, match="before its end"):
        list(agent.run_turn("one"))

    assert agent.messages[-1] == Message("assistant", "half", complete=False)


def test_the_calls_of_another_model_are_kept_valid(manager: MemoryManager) -> None:
    """Ids that are blank or doubled and arguments that are no object are mended before they enter the history."""
    odd = (
        ToolCall("", "save_memory", "[1]"),
        ToolCall(" ", "", "{}"),
        ToolCall("x", "save_memory", '{"key": "k", "value": "v"}'),
        ToolCall("x", "no such tool!", "null"),
    )
    client = ScriptedClient([Completed(Message("assistant", "", tool_calls=odd), "stop")], say("ok"))
    agent = Agent(manager, client)

    assert list(agent.run_turn("go"))[-1] == TurnEnded("done")

    assert history_problem(agent.messages) is None
    assert [e.key_normalized for e in manager.get_all_entries()] == ["k"]


class TooLongOnce:
    """Refuses the first request for its length."""

    model = "m"
    supports_tools = True

    def __init__(self, times: int) -> None:
        self.left = times
        self.asked = 0

    def stream(self, request: ChatRequest) -> Iterator[ChatEvent]:
        self.asked += 1
        if self.left:
            self.left -= 1
            raise ContextTooLong("maximum context length is 9000 tokens")
        yield from say("fits")

    def list_models(self) -> list[str]:
        return ["m"]

    def use_model(self, name: str) -> None:
        raise AssertionError(name)


@pytest.mark.parametrize("times", [1, 2])
def test_a_length_error_leads_to_one_compaction_and_one_retry(times: int, manager: MemoryManager) -> None:
    """CMP-10: The second refusal is told; the first one is mended."""
    from agentao.agent.compaction import Compactor

    client = TooLongOnce(times)
    agent = Agent(manager, client, compactor=Compactor(client, manager, window_tokens=128_000))
    if times == 1:
        assert list(agent.run_turn("hi"))[-1] == TurnEnded("done")
        assert agent.window_tokens == 9_000
    else:
        with pytest.raises(ContextTooLong):
            list(agent.run_turn("hi"))
        assert agent.messages == []
    assert client.asked == 2
