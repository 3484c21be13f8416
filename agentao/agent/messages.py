"""What the agent and a chat client say to each other, in no provider's dialect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant", "tool"]
MessageKind = Literal["chat", "summary"]
Purpose = Literal["chat", "summary", "probe"]
FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "cut"]
"""``cut``: the stream ended without a finish reason, so the answer may be incomplete."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call the model asks for; ``arguments`` is the text as received, which may be no valid JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the history. The system prompt is no message: it is made anew for each request.

    ``kind="summary"`` marks a ``[Conversation Summary]`` (role user). ``complete=False`` marks an answer that was cut
    or interrupted. ``reasoning`` is kept for servers that want it back and is never stored. ``error=True`` marks a tool
    result that reports a failure.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    kind: MessageKind = "chat"
    complete: bool = True
    reasoning: str | None = None
    error: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the provider reported them for one request."""

    prompt_tokens: int
    completion_tokens: int = 0
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool on offer; ``parameters`` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request. ``turn_context`` is put in front of the newest user message, in the request only."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    model: str | None = None
    max_tokens: int | None = None
    purpose: Purpose = "chat"
    turn_context: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's reasoning, from servers that send it."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """One line the user should see: a retry and its wait, something this server cannot do, a shortened request."""

    text: str


@dataclass(frozen=True, slots=True)
class Completed:
    """The last event of every stream: the whole assistant message, and what the provider said about it."""

    message: Message
    finish_reason: FinishReason
    usage: Usage | None = None


ChatEvent = TextDelta | ReasoningDelta | Notice | Completed


@dataclass(frozen=True, slots=True)
class Completion:
    """A collected stream."""

    text: str
    completed: Completed
    notices: tuple[str, ...] = field(default=())
