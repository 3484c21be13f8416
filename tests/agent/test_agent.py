"""The agent's turns over real stores and the scripted client: what memory puts into each request."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from agentao.agent.agent import Agent
from agentao.agent.context import budgets
from agentao.agent.events import AgentEvent, MemoryRefused, MemorySaved, TurnEnded
from agentao.agent.messages import Message, Notice, TextDelta, Usage
from agentao.agent.scripted_client import ScriptedClient, call, history_problem, say
from agentao.errors import ClientError, ConnectFailed, ServerFailed, StoreError
from agentao.memory.manager import MemoryManager
from agentao.memory.models import RecallCandidate, SaveMemoryRequest
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore

END = "</memory-stable>"


def ended(events: list[AgentEvent]) -> TurnEnded:
    assert isinstance(events[-1], TurnEnded)
    return events[-1]


def keep(manager: MemoryManager, **facts: str) -> None:
    for key, value in facts.items():
        manager.upsert(SaveMemoryRequest(key, value))


def many_facts(manager: MemoryManager) -> None:
    """Facts of an occasional type, of which only the newest three stand in the stable block."""
    keep(
        manager,
        deploy_target="The staging server runs at host borealis",
        lunch_place="Noodles at the corner",
        printer_name="Laserjet on floor two",
        wifi_name="guestnet",
        coffee_machine="needs descaling",
    )


def test_a_saved_fact_stands_in_the_next_request(manager: MemoryManager) -> None:
    """RQ-21: A tool call is stored, answered, shown as an event, and the request that follows tells the model the
    fact."""
    client = ScriptedClient(call({"key": "package_manager", "value": "uv"}), say("Saved."))
    agent = Agent(manager, client)

    events = list(agent.run_turn("we use uv"))

    assert [type(e) for e in events if isinstance(e, MemorySaved)] == [MemorySaved]
    assert ended(events).status == "done"
    assert "value: uv" not in client.requests[0].system
    assert "value: uv" in client.requests[1].system
    assert [m.role for m in agent.messages] == ["user", "assistant", "tool", "assistant"]
    client.assert_done()


def test_a_claim_without_a_call_saves_nothing(manager: MemoryManager) -> None:
    """LLM-21: The model's word is no save: no event, no row."""
    agent = Agent(manager, ScriptedClient(say("好的，我记住了")))

    events = list(agent.run_turn("记住我喜欢 nvim"))

    assert not any(isinstance(e, MemorySaved | MemoryRefused) for e in events)
    assert manager.get_all_entries() == []


def test_the_prompt_has_its_parts_in_order_and_each_block_once(manager: MemoryManager) -> None:
    """Instructions, the stable block, what was recalled: in this order, and no fact in both blocks."""
    many_facts(manager)
    prompt = Agent(manager, ScriptedClient())._build_system_prompt("where is the deploy target?")

    assert prompt.startswith("You are Agentao")
    assert prompt.index("save_memory") < prompt.index("<memory-stable>") < prompt.index("<memory-context>")
    assert prompt.endswith("</memory-context>")
    for tag in ("<memory-stable>", END, "<memory-context>", "</memory-context>"):
        assert prompt.count(tag) == 1
    assert prompt.count("borealis") == 1
    assert "borealis" in prompt.partition(END)[2]
    assert "reason: " in prompt.partition(END)[2]


def test_without_memories_the_prompt_has_no_blocks(manager: MemoryManager) -> None:
    """Nothing stored, nothing injected."""
    prompt = Agent(manager, ScriptedClient())._build_system_prompt("hello")

    assert "<memory" not in prompt
    assert "<fact" not in prompt


def test_the_prefix_is_the_same_bytes_until_a_memory_changes(manager: MemoryManager) -> None:
    """Ten turns with ten questions leave everything up to the end of the stable block as it was; a save appends."""
    many_facts(manager)
    questions = ["deploy target?", "lunch?", "printer?", "你好", "x", "wifi name", "coffee", "a", "b", "deploy"]
    client = ScriptedClient(*(say("ok") for _ in questions), call({"key": "user_name", "value": "Li"}), say("ok"))
    agent = Agent(manager, client)
    for question in questions:
        list(agent.run_turn(question))
    prefixes = {request.system.partition(END)[0] for request in client.requests}
    assert len(prefixes) == 1
    assert agent.context_usage().last_prefix_change == ""

    list(agent.run_turn("I am Li"))

    after = client.requests[-1].system.partition(END)[0]
    assert after.startswith(prefixes.pop())
    assert "User name" in agent.context_usage().last_prefix_change


def test_what_changed_the_prefix_is_the_save_that_did(manager: MemoryManager) -> None:
    """A save that changed nothing came later; it is not the cause, and a new session's notes are no save."""
    manager.save_from_tool("user_name", "Li")
    both = call({"key": "editor", "value": "nvim"}, {"key": "user_name", "value": "Li"})
    agent = Agent(manager, ScriptedClient(both, say("ok")))
    list(agent.run_turn("I am Li and use nvim"))

    assert agent.context_usage().last_prefix_change == "create Editor"

    manager.save_session_summary("Goal - nothing.")
    agent.new_session()

    assert agent.context_usage().last_prefix_change == "notes of earlier sessions"


def test_in_turn_mode_the_recalled_facts_travel_with_the_question(manager: MemoryManager) -> None:
    """The system prompt then never changes, the block goes before the newest message, and the history stays clean."""
    many_facts(manager)
    client = ScriptedClient(say("borealis"), say("noodles"))
    agent = Agent(manager, client, memory_context="turn")

    list(agent.run_turn("where is the deploy target?"))
    list(agent.run_turn("and the lunch place?"))

    first, second = client.requests
    assert first.system == second.system
    assert first.system.endswith(END)
    assert "borealis" in first.turn_context and "Noodles" in second.turn_context
    assert all("<memory-context>" not in m.content for m in agent.messages)


def test_what_the_stable_block_dropped_is_recalled(manager: MemoryManager) -> None:
    """Nothing falls between the two blocks: a fact without room stays eligible, one that is shown is excluded."""
    for number in range(30):
        keep(manager, **{f"user_rule_{number}": f"Rule {number}: " + "always do this with care " * 6})
    agent = Agent(manager, ScriptedClient(say("ok")))
    dropped = manager.stable_plan().dropped_ids
    assert dropped
    lost = manager.get_entry(dropped[0])
    assert lost is not None

    list(agent.run_turn(f"what is {lost.title}?"))

    assert agent.last_recall is not None
    assert lost.id in agent.last_recall.dynamic.shown_ids
    assert not set(agent.last_recall.stable.shown_ids) & set(agent.last_recall.dynamic.shown_ids)


def test_hits_are_the_facts_that_were_really_sent(manager: MemoryManager) -> None:
    """A fact counts once a turn, however many requests carry it; one that found no room is no hit."""
    many_facts(manager)
    retriever = MemoryRetriever(manager)
    steps = [call({"key": "note 1", "value": "first"}), call({"key": "note 2", "value": "second"}), say("ok")]
    client = ScriptedClient(*steps, say("ok"))
    agent = Agent(manager, client, retriever=retriever)

    list(agent.run_turn("deploy target and lunch place?"))
    sent = {
        line
        for request in client.requests
        for line in request.system.partition(END)[2].splitlines()
        if "title:" in line
    }

    assert len(sent) >= 2
    assert retriever.hit_count == len(sent)
    assert retriever.error_count == 0
    list(agent.run_turn("nothing of the kind"))
    assert retriever.hit_count == len(sent)


def test_what_reached_no_server_is_no_hit(manager: MemoryManager) -> None:
    """Issue 5: facts of a request that nobody answered were not sent: they count as no hit, and ``/memory why`` can
    tell; those of an answer that broke off later, or of an earlier request of the turn, were."""
    many_facts(manager)
    retriever = MemoryRetriever(manager)
    save = call({"key": "coffee machine", "value": "moved to the staging server room"})
    client = ScriptedClient(
        ConnectFailed("refused"),
        ConnectFailed("refused"),
        [TextDelta("The staging"), ServerFailed("broke off")],
        save,
        ConnectFailed("refused"),
    )
    agent = Agent(manager, client, retriever=retriever)
    asked = "where does the staging server run, and where do we get lunch?"

    def ask() -> int:
        before = retriever.hit_count
        with pytest.raises(ClientError):
            list(agent.run_turn(asked))
        return retriever.hit_count - before

    for _ in range(2):
        assert ask() == 0
        assert agent.last_recall is not None
        assert agent.last_recall.shown
        assert not agent.last_recall.sent
    assert ask() == len(agent.last_recall.shown) > 0
    assert agent.last_recall.sent
    sent = agent.last_recall.dynamic.shown_ids
    assert ask() == len(sent)
    assert agent.last_recall.sent
    assert agent.last_recall.dynamic.shown_ids == sent


def test_with_memory_off_nothing_is_injected_and_no_tool_is_offered(manager: MemoryManager) -> None:
    """Off means off: no block, no tool, no recall; a call all the same saves nothing."""
    many_facts(manager)
    manager.enabled = False
    retriever = MemoryRetriever(manager)
    client = ScriptedClient(call({"key": "a", "value": "1"}), say("ok"))
    agent = Agent(manager, client, retriever=retriever)

    events = list(agent.run_turn("deploy target?"))

    assert all(request.tools == () for request in client.requests)
    assert all("<fact" not in r.system and "borealis" not in r.system for r in client.requests)
    assert [e for e in events if isinstance(e, MemoryRefused)]
    assert len(manager.get_all_entries()) == 5
    assert agent.last_recall is None
    assert retriever.hit_count == 0


def test_a_model_without_tools_gets_the_facts_and_no_tool(manager: MemoryManager) -> None:
    """LLM-20: Injection still works, and the prompt tells the command instead of the tool."""
    many_facts(manager)
    client = ScriptedClient(say("ok"), supports_tools=False)
    list(Agent(manager, client).run_turn("wifi?"))

    assert client.requests[0].tools == ()
    assert "guestnet" in client.requests[0].system
    assert "/memory add" in client.requests[0].system


@pytest.mark.parametrize("window", [1_000, 4_000, 8_000, 12_800, 128_000])
def test_the_blocks_take_at_most_a_quarter_of_the_window(window: int, manager: MemoryManager) -> None:
    """A character of any script counts as a token at most, so that even Chinese facts leave room."""
    for number in range(40):
        keep(manager, **{f"user_规则_{number}": f"第{number}条：" + "务必小心地这样做" * 20})
    client = ScriptedClient(say("ok"))
    agent = Agent(manager, client, context_window=window)

    list(agent.run_turn("规则 12 是什么？"))

    stable, dynamic = budgets(window)
    assert agent.last_recall is not None
    assert len(agent.last_recall.stable.text) <= stable
    assert len(agent.last_recall.dynamic.text) <= dynamic
    assert stable + dynamic <= max(window // 4, 0) or window >= 12_800
    assert stable <= 2_000 and dynamic <= 1_200


def test_a_store_that_cannot_be_written_is_told_to_model_and_user(tmp_path: Path) -> None:
    """The save lasts for this run only, or is refused; either way the tool result does not simply say saved."""
    place = tmp_path / "file"
    place.write_text("in the way")
    project = SQLiteMemoryStore.open_or_memory(place / "memory.db")
    manager = MemoryManager(project, SQLiteMemoryStore.open(tmp_path / "home" / "memory.db"))
    client = ScriptedClient(call({"key": "a", "value": "1"}), say("ok"))

    events = list(Agent(manager, client).run_turn("keep a"))

    (saved,) = [e for e in events if isinstance(e, MemorySaved)]
    assert not saved.outcome.persistent
    assert "this run only" in client.requests[1].messages[-1].content
    manager.close()


class Unreadable:
    """A manager whose stores cannot be read."""

    def __init__(self, manager: MemoryManager) -> None:
        self._manager = manager

    def __getattr__(self, name: str) -> object:
        return getattr(self._manager, name)

    def stable_plan(self, budget: int = 0) -> object:
        raise StoreError("memory.db is gone. Check the disk.")


def test_stores_that_cannot_be_read_do_not_stop_the_conversation(manager: MemoryManager) -> None:
    """The turn goes on without memories, and the user is told why."""
    agent = Agent(Unreadable(manager), ScriptedClient(say("hi")))  # type: ignore[arg-type]

    events = list(agent.run_turn("hello"))

    assert ended(events).status == "done"
    assert any(isinstance(e, Notice) and "memory.db is gone" in e.text for e in events)
    assert agent.context_usage().used_tokens > 0


def test_memories_that_recall_does_not_know_yet_are_told_of_once(manager: MemoryManager) -> None:
    """While the index is brought up to date the user is told how many memories were left out, and again the next
    time that some are."""

    class Behind(MemoryRetriever):
        """Recall whose index knows too little."""

        def recall_candidates(
            self, query: str, top_k: int = 5, exclude_ids: Collection[str] = frozenset()
        ) -> list[RecallCandidate]:
            found = super().recall_candidates(query, top_k, exclude_ids)
            self.unread = left.pop(0)
            return found

    left = [9_000, 8_000, 0, 700]
    agent = Agent(manager, ScriptedClient(*[say("ok")] * 4), retriever=Behind(manager))
    told = []
    for number in range(4):
        events = list(agent.run_turn(f"question {number}"))
        told.append([event.text.split(";")[1] for event in events if isinstance(event, Notice)])
        assert agent.last_recall is not None

    assert told == [
        [" 9,000 older memories were left out this time. /memory search finds them."],
        [],
        [],
        [" 700 older memories were left out this time. /memory search finds them."],
    ]
    assert agent.last_recall is not None and agent.last_recall.unread == 700


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_blank_input_asks_nothing(text: str, manager: MemoryManager) -> None:
    """No request, nothing in the history."""
    agent = Agent(manager, ScriptedClient())

    assert ended(list(agent.run_turn(text))).status == "empty"
    assert agent.messages == []


def test_lone_surrogates_of_the_user_do_not_enter_the_history(manager: MemoryManager) -> None:
    """They become U+FFFD, and this turn and the next work."""
    client = ScriptedClient(say("ok"), say("ok"))
    agent = Agent(manager, client)

    list(agent.run_turn("a\ud83db \ud83c\udf0d"))
    list(agent.run_turn("again"))

    assert agent.messages[0] == Message("user", "a\ufffdb 🌍")
    assert history_problem(agent.messages) is None


def test_clearing_and_a_new_session_begin_anew(manager: MemoryManager) -> None:
    """Both drop the conversation only; a new session has a new id."""
    keep(manager, user_name="Li")
    agent = Agent(manager, ScriptedClient(say("ok"), say("ok")))
    list(agent.run_turn("one"))
    agent.clear()
    assert agent.messages == []
    list(agent.run_turn("two"))
    before = manager.session_id

    assert agent.new_session() == manager.session_id != before
    assert agent.messages == []
    assert len(manager.get_all_entries()) == 1


def test_the_usage_shows_parts_and_the_cached_share(manager: MemoryManager) -> None:
    """The parts are named, and where the server tells, the share that it took from its cache."""
    many_facts(manager)
    client = ScriptedClient(say("ok", usage=Usage(1_000, 5, cached_tokens=750)), say("ok"))
    agent = Agent(manager, client, context_window=10_000)
    assert agent.context_usage().cached_share is None
    list(agent.run_turn("deploy target?"))

    usage = agent.context_usage()

    assert usage.cached_share == 0.75
    assert [name for name, _ in usage.parts] == ["instructions", "saved facts", "recalled facts", "tool", "messages"]
    assert all(tokens > 0 for _, tokens in usage.parts)
    assert usage.used_tokens == sum(tokens for _, tokens in usage.parts)
    assert usage.share == usage.used_tokens / 10_000


def test_another_process_that_saves_changes_the_next_prompt(tmp_path: Path, manager: MemoryManager) -> None:
    """What a second shell stores stands in this one's next request."""
    client = ScriptedClient(say("ok"), say("ok"))
    agent = Agent(manager, client)
    list(agent.run_turn("one"))
    other = MemoryManager(
        SQLiteMemoryStore.open(tmp_path / "project" / "memory.db"),
        SQLiteMemoryStore.open(tmp_path / "home" / "memory.db"),
    )
    keep(other, user_name="Li")
    other.close()

    list(agent.run_turn("two"))

    assert "value: Li" not in client.requests[0].system
    assert "value: Li" in client.requests[1].system
