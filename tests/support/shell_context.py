"""A command context over real stores in a temporary folder, with a conversation and a client that are plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentao.agent.agent import ContextUsage
from agentao.agent.events import AgentEvent, CompactionDone
from agentao.agent.messages import Message
from agentao.config import Settings, load_settings
from agentao.errors import AgentaoError
from agentao.memory.manager import MemoryManager
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore
from agentao.shell.commands import TABLE
from agentao.shell.context import CommandContext
from agentao.shell.perform import perform
from agentao.shell.results import Result


@dataclass
class Conversation:
    """Stands for the agent where a command only looks at it."""

    manager: MemoryManager
    messages: list[Message] = field(default_factory=list)
    last_recall: Any = None
    hints: list[str] = field(default_factory=list)

    def say(self, *texts: str) -> None:
        self.messages += [Message("user", text) for text in texts]

    def clear(self) -> None:
        self.messages.clear()

    def new_session(self) -> str:
        self.clear()
        return self.manager.new_session()

    def compact(self, hint: str = "") -> Iterator[AgentEvent]:
        self.hints.append(hint)
        yield CompactionDone(True, 9_000, 1_200, 12, "Compacted 12 messages: 9,000 tokens before, 1,200 after.")

    def context_usage(self) -> ContextUsage:
        return ContextUsage([("instructions", 500), ("messages", 1_500)], 2_000, 8_000, 0.5, "update Editor")


@dataclass
class Server:
    """Stands for a chat client that can be asked for its models."""

    model: str = "small"
    url: str = "http://127.0.0.1:9/v1"
    names: tuple[str, ...] = ("Large", "small")
    error: AgentaoError | None = None

    def list_models(self) -> list[str]:
        if self.error is not None:
            raise self.error
        return list(self.names)

    def use_model(self, name: str) -> None:
        self.model = name


@dataclass
class Bench:
    """Everything a test of commands needs."""

    settings: Settings
    manager: MemoryManager
    agent: Conversation
    client: Server
    retriever: MemoryRetriever
    ctx: CommandContext = field(init=False)

    def __post_init__(self) -> None:
        self.ctx = CommandContext(self)  # type: ignore[arg-type]

    @property
    def model_name(self) -> str:
        return self.client.model

    def list_models(self) -> list[str]:
        return self.client.list_models()

    def run(self, line: str, *, yes: bool = True, edited: str | None = None) -> Result:
        """What the line answers; questions get ``yes``, the editor gives ``edited`` back."""
        routed = TABLE.route(line)
        if routed.error is not None:
            raise routed.error
        assert routed.call is not None, f"{line!r} is {routed.kind}"
        return perform(routed.call, self.ctx, lambda question: yes, lambda draft: edited)


def open_bench(folder: Path, **settings: str) -> Bench:
    """Two new stores below the folder."""
    project = folder / "project"
    project.mkdir(parents=True, exist_ok=True)
    found = load_settings({"HOME": str(folder / "home"), **settings}, project, top=folder)
    manager = MemoryManager(SQLiteMemoryStore.open(found.project_db), SQLiteMemoryStore.open(found.user_db))
    return Bench(found, manager, Conversation(manager), Server(), MemoryRetriever(manager))
