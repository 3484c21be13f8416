"""What strict OpenAI-compatible servers refuse, one named rule each, with the words such servers use."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Refusal:
    """Why the request is refused."""

    message: str
    status: int = 400
    code: str | None = None


def estimate_tokens(body: Json) -> int:
    """A plain count of the request's tokens: four ASCII characters, or one other character, each."""
    text = json.dumps([body.get("messages"), body.get("tools")], ensure_ascii=False)
    ascii_chars = sum(1 for c in text if ord(c) < 128)
    return ascii_chars // 4 + len(text) - ascii_chars


def _orphans(body: Json) -> str | None:
    """Every tool message answers a call of the assistant message before it, and every call has its answer."""
    open_ids: list[str] = []
    for at, message in enumerate(body["messages"]):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_ids:
                return f"messages[{at}]: role 'tool' must be a response to a preceding message with 'tool_calls'."
            open_ids.remove(message["tool_call_id"])
            continue
        if open_ids:
            return f"messages[{at}]: tool_call_ids did not have response messages: {', '.join(open_ids)}"
        ids = [c["id"] for c in message.get("tool_calls") or []]
        if len(set(ids)) != len(ids) or not all(ids):
            return f"messages[{at}].tool_calls: ids must be unique and not empty"
        open_ids = ids
    return f"tool_call_ids did not have response messages: {', '.join(open_ids)}" if open_ids else None


def _object_arguments(body: Json) -> str | None:
    for at, message in enumerate(body["messages"]):
        for one in message.get("tool_calls") or []:
            try:
                fine = isinstance(json.loads(one["function"]["arguments"]), dict)
            except ValueError:
                fine = False
            if not fine:
                return f"messages[{at}].tool_calls: function.arguments must be a JSON object"
    return None


def _blank(body: Json) -> str | None:
    for at, message in enumerate(body["messages"]):
        if not message.get("tool_calls") and not str(message.get("content") or "").strip():
            return f"messages[{at}]: text content must be non-empty"
    return None


def _alternation(body: Json) -> str | None:
    before = ""
    for message in body["messages"]:
        role = message["role"]
        if role in ("user", "assistant") and role == before:
            return "Conversation roles must alternate user/assistant/user/assistant/..."
        if role == "user" and before == "tool":
            return "Unexpected role 'user' after role 'tool'"
        before = role
    return None


def _content_null(body: Json) -> str | None:
    if any("content" in m and m["content"] is None for m in body["messages"]):
        return "Invalid value for 'content': expected a string, got null."
    return None


def _content_empty(body: Json) -> str | None:
    if any(m.get("content") == "" for m in body["messages"]):
        return "messages: content must be a non-empty string"
    return None


def _content_missing(body: Json) -> str | None:
    if any("content" not in m for m in body["messages"]):
        return "messages: field 'content' is required"
    return None


def _stream_options(body: Json) -> str | None:
    return "Unrecognized request argument supplied: stream_options" if "stream_options" in body else None


def _tools(body: Json) -> str | None:
    if body.get("tools") or any(m["role"] == "tool" for m in body["messages"]):
        return f"registry.ollama.ai/library/{body.get('model')} does not support tools"
    return None


def _developer(body: Json) -> str | None:
    if any(m["role"] not in ("system", "user", "assistant", "tool") for m in body["messages"]):
        return "unknown role: developer"
    return None


def _system_first(body: Json) -> str | None:
    if any(m["role"] == "system" for m in body["messages"][1:]):
        return "System message must be at the beginning."
    return None


def _no_system(body: Json) -> str | None:
    return "System role not supported" if any(m["role"] == "system" for m in body["messages"]) else None


def _max_tokens(body: Json) -> str | None:
    if "max_tokens" in body:
        return "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    return None


def _plain_schema(body: Json) -> str | None:
    if "maxItems" in json.dumps(body.get("tools")):
        return 'Invalid JSON payload received. Unknown name "maxItems" at tools[0].function.parameters'
    return None


def _no_reasoning(body: Json) -> str | None:
    if any("reasoning_content" in m or "reasoning" in m for m in body["messages"]):
        return "reasoning_content is not allowed in input messages"
    return None


def _wants_reasoning(body: Json) -> str | None:
    for at, m in enumerate(body["messages"]):
        if m["role"] == "assistant" and m.get("tool_calls") and "reasoning_content" not in m:
            return f"thinking is enabled but reasoning_content is missing in assistant tool call message at index {at}"
    return None


RULES: dict[str, Callable[[Json], str | None]] = {
    "orphans": _orphans,
    "object_arguments": _object_arguments,
    "blank": _blank,
    "system_first": _system_first,
    "developer": _developer,
    "alternation": _alternation,
    "content_null": _content_null,
    "content_empty": _content_empty,
    "content_missing": _content_missing,
    "stream_options": _stream_options,
    "tools": _tools,
    "no_system": _no_system,
    "max_tokens": _max_tokens,
    "plain_schema": _plain_schema,
    "no_reasoning": _no_reasoning,
    "wants_reasoning": _wants_reasoning,
}
USUAL = ("orphans", "object_arguments", "blank", "system_first", "developer", "content_missing")
"""What ``"*"`` stands for: rules that no request of ours may ever break."""


def refusal(body: Json, strict: frozenset[str], context_tokens: int | None) -> Refusal | None:
    """The first rule that the request breaks."""
    wanted = [name for name in RULES if name in strict or ("*" in strict and name in USUAL)]
    for name in wanted:
        message = RULES[name](body)
        if message is not None:
            return Refusal(message)
    if context_tokens is not None:
        counted = estimate_tokens(body)
        if counted > context_tokens:
            return Refusal(
                f"This model's maximum context length is {context_tokens} tokens. However, your messages resulted in "
                f"{counted} tokens. Please reduce the length of the messages.",
                code="context_length_exceeded",
            )
    return None
