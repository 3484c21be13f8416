"""What ``Agent.run_turn()`` yields: the client's deltas and notices, and what the agent itself did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentao.agent.messages import Notice, ReasoningDelta, TextDelta, Usage
from agentao.memory.models import SaveOutcome

TurnStatus = Literal["done", "incomplete", "empty", "stopped", "step_limit"]
"""``incomplete``: the stream was cut; ``stopped``: the user interrupted; ``step_limit``: too many tool rounds."""


@dataclass(frozen=True, slots=True)
class MemorySaved:
    """The model's tool call changed (or confirmed) a memory."""

    outcome: SaveOutcome


@dataclass(frozen=True, slots=True)
class MemoryRefused:
    """A tool call saved nothing; ``message`` says why, without any secret."""

    key: str
    message: str


@dataclass(frozen=True, slots=True)
class CompactionStarted:
    """Early messages go to the model for a summary; this may take a while and may be cancelled."""

    tokens_before: int


@dataclass(frozen=True, slots=True)
class CompactionDone:
    """What one compaction did; ``message`` is the line to show, also when nothing was changed."""

    changed: bool
    tokens_before: int
    tokens_after: int
    messages_summarized: int
    message: str
    pending: int = 0
    """How many candidates wait for the user's word after what was mined on the way."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The last event of every turn."""

    status: TurnStatus
    message: str = ""
    usage: Usage | None = None


AgentEvent = (
    TextDelta | ReasoningDelta | Notice | MemorySaved | MemoryRefused | CompactionStarted | CompactionDone | TurnEnded
)
