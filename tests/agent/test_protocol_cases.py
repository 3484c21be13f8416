"""Every way in which a server may speak the protocol, played over loopback to a whole turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from agentao.agent.agent import Agent
from agentao.agent.events import AgentEvent, MemoryRefused, MemorySaved, TurnEnded
from agentao.agent.messages import Notice, TextDelta
from agentao.agent.openai_client import OpenAIClient
from agentao.agent.scripted_client import history_problem
from agentao.errors import ClientError
from agentao.memory.manager import MemoryManager
from tests.support.fake_openai import FakeOpenAI, chunk, say, stream, usage
from tests.support.protocol_case import Case
from tests.support.protocol_scripts import GROUPS

ALL = [pytest.param(c, id=f"{group}: {c.name}"[:90]) for group, cases in GROUPS.items() for c in cases]


def shown(events: Sequence[AgentEvent]) -> str:
    return "".join(e.text for e in events if isinstance(e, TextDelta))


@pytest.mark.parametrize("case", ALL)
def test_each_script_ends_as_the_table_says_and_the_next_turn_works(
    case: Case, manager: MemoryManager, connect: Callable[..., OpenAIClient]
) -> None:
    """A broken call saves nothing, what was shown is kept, and the history stays valid for the strictest server.

    LLM-01, LLM-12, LLM-14, LLM-22: ends of streams, errors inside them, empty answers, bytes cut anywhere.
    LLM-02, LLM-03, LLM-04, LLM-05, LLM-06, LLM-08, LLM-09, LLM-24, CC-06: calls and arguments of every form.
    LLM-13, LLM-16, LLM-20: what a server lacks. LLM-21: a claim without a call.
    """
    with FakeOpenAI(*case.script, strict=case.strict) as server:
        agent = Agent(manager, connect(server, idle_timeout_s=5))
        events: list[AgentEvent] = []
        told = ""
        try:
            for one in agent.run_turn("do it"):
                events.append(one)
        except ClientError as error:
            assert case.error is not None, error
            assert type(error) is case.error
            assert "\n" not in str(error) and len(str(error)) < 700
            told = str(error)
        else:
            assert case.error is None
            assert isinstance(events[-1], TurnEnded)
            assert events[-1].status == case.status, events[-1]
        told += " ".join(e.message for e in events if isinstance(e, TurnEnded | MemoryRefused))
        told += " ".join(e.text for e in events if isinstance(e, Notice))
        assert case.says in told
        assert not case.hides or case.hides not in told + str(agent.messages) + str(server.bodies)
        assert case.text is None or shown(events) == case.text
        if case.saved is not None:
            assert {r.key_normalized: r.content for r in manager.get_all_entries()} == case.saved
            assert len([e for e in events if isinstance(e, MemorySaved) and e.outcome.change == "new"]) == len(
                case.saved
            )
        assert case.requests is None or len(server.requests) == case.requests, server.refused
        assert history_problem(agent.messages) is None
        assert all(len(m.content) <= 1_024 for m in agent.messages if m.role == "tool")

        server.play(say("still here"))
        del server.script[:-1]
        server.strict |= {"*"}
        after = list(agent.run_turn("and now?"))

        assert shown(after) == "still here"
        assert history_problem(agent.messages) is None
        if "tools" not in case.strict:
            assert [t["function"]["name"] for t in server.bodies[-1]["tools"]] == ["save_memory"]


def test_usage_in_every_chunk_is_not_added_up(manager: MemoryManager, connect: Callable[..., OpenAIClient]) -> None:
    """LLM-25: Fifty reports of 900 tokens are 900 tokens; zero, null and negative counts are no report."""
    chunks = [{**chunk({"content": "a"}), "usage": {"prompt_tokens": 900, "completion_tokens": 1}} for _ in range(50)]
    with FakeOpenAI(
        stream(*chunks, chunk({}, "stop"), usage(0), usage(None), usage(-5)), say("b", prompt_tokens=1_000)
    ) as server:
        agent = Agent(manager, connect(server))

        (*_, first) = agent.run_turn("one")
        (*_, second) = agent.run_turn("two")

    assert isinstance(first, TurnEnded) and first.usage is not None and first.usage.prompt_tokens == 900
    assert isinstance(second, TurnEnded) and second.usage is not None and second.usage.prompt_tokens == 1_000
