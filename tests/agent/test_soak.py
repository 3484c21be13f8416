"""A long run through every weather: many turns with seeded random faults in one process."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from agentao.agent.agent import Agent
from agentao.agent.compaction import Compactor
from agentao.agent.events import MemorySaved
from agentao.agent.openai_client import OpenAIClient
from agentao.agent.scripted_client import history_problem
from agentao.errors import ClientError
from agentao.memory.manager import MemoryManager
from agentao.memory.store import SQLiteMemoryStore
from tests.support import fake_openai as fake
from tests.support.fake_openai import Answer, FakeOpenAI, Recorded, chunk, error, event, say, stream, tool_delta

TURNS = 500
SEED = 20261201
WINDOW_TOKENS = 8_000
GROWTH_MAX_OBJECTS = 5_000
"""What the second half of the run may add to the objects alive: 20 a turn would already be more."""


class Weather:
    """Answers each request by chance, and remembers which saves it sent whole."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.number = 0
        self.sent: dict[str, dict[str, str]] = {}
        """Call id → the key and value it saves."""

    def __call__(self, recorded: Recorded) -> Answer:
        if "You write the summary" in recorded.system:
            return self.chance.choice([say("State - all is well."), error(500), say("")])
        if recorded.body["messages"][-1]["role"] == "tool":
            return self.chance.choice([say("Done."), say("Done."), say(""), self.save(1), self.fault()])
        kind = self.chance.random()
        if kind < 0.35:
            return say("word " * self.chance.randint(1, 400), prompt_tokens=self.chance.choice([None, 0, 900]))
        if kind < 0.65:
            return self.save(self.chance.randint(1, 3))
        return self.fault()

    def save(self, count: int) -> Answer:
        wanted = []
        for _ in range(count):
            self.number += 1
            fact = {"key": f"fact {self.chance.randint(1, 60)}", "value": f"值 {self.number} 🌍"}
            self.sent[f"call_{self.number}"] = fact
            wanted.append(("save_memory", fact, f"call_{self.number}"))
        answer = fake.calls(*wanted)
        whole = b"".join(p for p in answer.pieces if isinstance(p, bytes))
        return Answer(fake.split(whole, self.chance.choice([7, 100, 10_000])))

    def fault(self) -> Answer:
        half = chunk({"content": "half "})
        bad = tool_delta("save_memory", '{"key":"never","value":"ha', index=0, id="bad")
        return self.chance.choice(
            [
                error(400, "odd"),
                error(401, "key"),
                error(429, "slow down"),
                error(500, "boom"),
                error(503, "busy", headers=[("Retry-After", "2")]),
                error(400, "maximum context length is 100000 tokens"),
                fake.page(502),
                fake.page(200),
                stream(half, done=False, framing="cut"),
                stream(half, done=False, framing="close"),
                stream(half, fake.Reset(), done=False),
                stream(half, event({"error": {"message": "died"}})),
                stream(half, b"data: {broken\n\n"),
                stream(chunk({"tool_calls": [bad]}), done=False, framing="cut"),
                stream(chunk({"tool_calls": [bad]}), chunk({}, "length")),
                stream(chunk({"tool_calls": [bad]}), chunk({}, "tool_calls")),
                fake.call("no_such_tool", {}),
                say(""),
                Answer(()),
                Answer(before=(fake.Reset(),)),
                say("cut sho", finish="length"),
                stream(chunk({"reasoning_content": "hm"}), chunk({}, "stop")),
            ]
        )


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_five_hundred_turns_of_bad_weather(tmp_path: Path, connect: Callable[..., OpenAIClient]) -> None:
    """No crash, no history that a strict server refuses, no save lost or invented, and memory stays level."""
    weather = Weather(SEED)
    chance = random.Random(SEED + 1)
    stores = [SQLiteMemoryStore.open(tmp_path / name / "memory.db") for name in ("project", "home")]
    manager = MemoryManager(*stores)
    expected: dict[str, str] = {}
    level = 0
    with FakeOpenAI(otherwise=weather, strict=("*", "alternation")) as server:
        client = connect(server)
        agent = Agent(manager, client, compactor=Compactor(client, manager, window_tokens=WINDOW_TOKENS))
        for turn in range(TURNS):
            events = agent.run_turn(f"turn {turn} " + "资料 data " * chance.randint(0, 150))
            stop_after = chance.choice([None, None, None, 0, 1, 2, 5])
            try:
                for number, one in enumerate(events):
                    if isinstance(one, MemorySaved):
                        record = one.outcome.record
                        expected[record.key_normalized] = record.content
                    if stop_after == number:
                        if chance.random() < 0.5:
                            events.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
                        break
            except (ClientError, KeyboardInterrupt):
                pass
            finally:
                events.close()  # type: ignore[attr-defined]
            assert history_problem(agent.messages) is None, turn
            server.requests.clear()
            if turn == TURNS // 2:
                gc.collect()
                level = len(gc.get_objects())
        gc.collect()
        grown = len(gc.get_objects()) - level

        assert len(server.refused) <= 1, "a summary before a question is joined with it once the server wants turns"
    stored = {r.key_normalized: r.content for r in manager.get_all_entries()}
    manager.close()
    assert stored.keys() == expected.keys()
    assert set(stored.values()) <= {fact["value"] for fact in weather.sent.values()}
    assert "never" not in stored
    assert len(stored) > 30
    assert grown < GROWTH_MAX_OBJECTS
