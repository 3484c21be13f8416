"""The agent's turns over real stores and the scripted client."""

from __future__ import annotations

from agentao.agent.agent import Agent
from agentao.agent.events import AgentEvent, MemorySaved, TurnEnded
from agentao.agent.scripted_client import ScriptedClient, call, say
from agentao.memory.manager import MemoryManager


def ended(events: list[AgentEvent]) -> TurnEnded:
    assert isinstance(events[-1], TurnEnded)
    return events[-1]


def test_a_saved_fact_stands_in_the_next_request(manager: MemoryManager) -> None:
    """A tool call is stored, answered, shown as an event, and the request that follows tells the model the fact."""
    client = ScriptedClient(call({"key": "package_manager", "value": "uv"}), say("Saved."))
    agent = Agent(manager, client)

    events = list(agent.run_turn("we use uv"))

    assert [type(e) for e in events if isinstance(e, MemorySaved)] == [MemorySaved]
    assert ended(events).status == "done"
    assert "value: uv" not in client.requests[0].system
    assert "value: uv" in client.requests[1].system
    assert [m.role for m in agent.messages] == ["user", "assistant", "tool", "assistant"]
    client.assert_done()
