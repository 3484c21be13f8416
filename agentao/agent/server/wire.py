"""A request as the JSON body that a server accepts: always the same bytes for the same request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from agentao.agent.messages import ChatRequest, Message

Json = dict[str, Any]

Adaptation = Literal[
    "no_stream_options",
    "no_tools",
    "plain_schema",
    "empty_content",
    "no_system",
    "alternate",
    "max_completion_tokens",
    "no_max_tokens",
    "return_reasoning",
]
"""One way in which a server differs from the plain protocol; learnt from its refusal, kept for the session."""

_LIMITS = ("minLength", "maxLength", "maxItems")
STOPPED_NOTE = "(This answer was not finished.)"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to speak to one model: what was learnt, and the name of its reasoning field."""

    adaptations: frozenset[Adaptation] = frozenset()
    reasoning_field: str = "reasoning_content"


def body(request: ChatRequest, model: str, dialect: Dialect) -> Json:
    """The JSON body of a streamed chat request; the keys stand in a fixed order."""
    has = dialect.adaptations
    made: Json = {"model": model, "messages": _messages(request, dialect), "stream": True}
    if request.tools and "no_tools" not in has:
        made["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": _without_limits(tool.parameters) if "plain_schema" in has else tool.parameters,
                },
            }
            for tool in request.tools
        ]
    if "no_stream_options" not in has:
        made["stream_options"] = {"include_usage": True}
    if request.max_tokens is not None and "no_max_tokens" not in has:
        made["max_completion_tokens" if "max_completion_tokens" in has else "max_tokens"] = request.max_tokens
    return made


def _messages(request: ChatRequest, dialect: Dialect) -> list[Json]:
    has = dialect.adaptations
    newest_user = max((i for i, m in enumerate(request.messages) if m.role == "user"), default=-1)
    made: list[Json] = []
    for at, message in enumerate(request.messages):
        one = _without_tools(message) if "no_tools" in has else _message(message, dialect)
        if at == newest_user and request.turn_context:
            one["content"] = f"{request.turn_context}\n\n{one['content']}"
        made.append(one)
    if request.system:
        if "no_system" in has:
            made.insert(0, {"role": "user", "content": request.system})
        else:
            made.insert(0, {"role": "system", "content": request.system})
    if has & {"alternate", "no_system", "no_tools"}:
        made = _alternating(made)
    return made


def _message(message: Message, dialect: Dialect) -> Json:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    wants_reasoning = "return_reasoning" in dialect.adaptations and message.role == "assistant"
    if not message.tool_calls:
        plain: Json = {"role": message.role, "content": message.content}
        if wants_reasoning and message.reasoning:
            plain[dialect.reasoning_field] = message.reasoning
        return plain
    blank: str | None = "" if "empty_content" in dialect.adaptations else None
    made: Json = {
        "role": "assistant",
        "content": message.content if message.content.strip() else blank,
        "tool_calls": [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ],
    }
    if wants_reasoning:
        made[dialect.reasoning_field] = message.reasoning or ""
    return made


def _without_tools(message: Message) -> Json:
    """For a model without tools, a call and its result are told in words."""
    if message.role == "tool":
        return {"role": "assistant", "content": f"(save_memory answered: {message.content})"}
    told = message.content if message.content.strip() else "(save_memory was called.)"
    return {"role": message.role, "content": told}


def _without_limits(schema: Any) -> Any:
    """The schema in the few words that every server knows; the limits stand in the description too."""
    if isinstance(schema, dict):
        return {name: _without_limits(part) for name, part in schema.items() if name not in _LIMITS}
    return schema


def _alternating(messages: list[Json]) -> list[Json]:
    """Join neighbours of one role, and put a word between a tool result and the user."""
    made: list[Json] = []
    for message in messages:
        before = made[-1] if made else None
        if before and before["role"] == "tool" and message["role"] == "user":
            made.append({"role": "assistant", "content": STOPPED_NOTE})
        plain = not message.get("tool_calls") and message["role"] != "tool"
        if before and plain and before["role"] == message["role"] and not before.get("tool_calls"):
            made[-1] = {**before, "content": f"{before['content']}\n\n{message['content']}"}
        else:
            made.append(message)
    return made
