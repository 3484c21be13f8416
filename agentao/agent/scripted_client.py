"""A chat client that plays a script, for tests: an unexpected request fails, and so does a step that was never played.

It is as strict about a request's history as the strictest server, and records each request.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from agentao.agent.messages import (
    ChatEvent,
    ChatRequest,
    Completed,
    FinishReason,
    Message,
    TextDelta,
    ToolCall,
    Usage,
)
from agentao.agent.server.stream import replace_surrogates
from agentao.errors import ClientError

Step = Sequence[ChatEvent | BaseException] | Callable[[ChatRequest], Sequence[ChatEvent | BaseException]]
"""The events of one answer in order; an exception among them is raised at its place."""


def say(text: str, *, finish: FinishReason = "stop", usage: Usage | None = None, pieces: int = 2) -> list[ChatEvent]:
    """A text answer in a few pieces."""
    size = max(1, -(-len(text) // pieces))
    deltas: list[ChatEvent] = [TextDelta(text[at : at + size]) for at in range(0, len(text), size)]
    message = Message("assistant", text, complete=finish in ("stop", "tool_calls"))
    return [*deltas, Completed(message, finish, usage)]


def call(
    *arguments: dict[str, object] | str, name: str = "save_memory", text: str = "", finish: FinishReason = "tool_calls"
) -> list[ChatEvent]:
    """An answer with one tool call for each of ``arguments``."""
    made = tuple(
        ToolCall(f"call_{at}", name, one if isinstance(one, str) else json.dumps(one, ensure_ascii=False))
        for at, one in enumerate(arguments, 1)
    )
    deltas: list[ChatEvent] = [TextDelta(text)] if text else []
    return [*deltas, Completed(Message("assistant", text, tool_calls=made), finish)]


class ScriptedClient:
    """Plays its steps, one a request. ``assert_done()`` at the end of a test."""

    def __init__(self, *steps: Step | ClientError, model: str = "scripted", supports_tools: bool = True) -> None:
        self.steps: list[Step | ClientError] = list(steps)
        self.requests: list[ChatRequest] = []
        self.model = model
        self.supports_tools = supports_tools
        self.models = [model]
        self.closed = 0
        """How many answers were given up before their end."""

    def stream(self, request: ChatRequest) -> Iterator[ChatEvent]:
        """Play the next step.

        Raises:
            AssertionError: there is none, or the history would be refused by a strict server.
        """
        problem = history_problem(request.messages)
        assert problem is None, problem
        assert self.steps, f"an unexpected request: {request.messages[-1:]}"
        self.requests.append(request)
        step = self.steps.pop(0)
        if isinstance(step, ClientError):
            raise step
        whole = False
        try:
            for event in step(request) if callable(step) else step:
                if isinstance(event, BaseException):
                    raise event
                whole = isinstance(event, Completed)
                yield event
        finally:
            self.closed += not whole

    def list_models(self) -> list[str]:
        """The names in ``models``, sorted."""
        return sorted(self.models)

    def use_model(self, name: str) -> None:
        """Answer under this name from now on."""
        self.model = name

    def assert_done(self) -> None:
        """Fail when a step was never played."""
        assert not self.steps, f"{len(self.steps)} steps were never played"


def history_problem(messages: Sequence[Message]) -> str | None:
    """What the strictest server would refuse in a history, or None."""
    expected: list[str] = []
    before = "assistant"
    for at, message in enumerate(messages):
        if message.role == "tool":
            if message.tool_call_id not in expected:
                return f"message {at}: a tool result without its call"
            expected.remove(message.tool_call_id)
        elif expected:
            return f"message {at}: calls without a result: {expected}"
        if not message.content.strip() and not message.tool_calls:
            return f"message {at}: a blank message"
        if message.role == "user" and before == "tool":
            return f"message {at}: the user follows a tool result"
        if message.role == "assistant" and before == "assistant" and at:
            return f"message {at}: two answers in a row"
        ids = [call.id for call in message.tool_calls]
        if len(set(ids)) < len(ids) or not all(ids):
            return f"message {at}: ids of calls are blank or doubled"
        for made in message.tool_calls:
            if not _is_object(made.arguments):
                return f"message {at}: arguments are no JSON object"
        if replace_surrogates(message.content) != message.content:
            return f"message {at}: a lone surrogate"
        expected = expected or ids
        before = message.role
    return f"calls without a result at the end: {expected}" if expected else None


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
