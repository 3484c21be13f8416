"""What keeps a conversation's history valid for the strictest server, however a turn ends.

The rules: every tool call has its result right behind it; ids are unique and not empty; arguments are a JSON object; no
message is blank; a turn ends with an assistant message without calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agentao.agent.messages import Message, ToolCall
from agentao.agent.tools import harmless_arguments

NOT_RUN = "Not run: the turn ended before this call. Nothing was saved by it."
NOT_KNOWN = "Interrupted while it ran: whether it was saved is not known. Nothing may be claimed about it."
NO_ANSWER = "(No answer came.)"
STOPPED = "(This turn was stopped before an answer came.)"
FAILED = "(The model's server failed before an answer came.)"


def fit_for_history(message: Message, running: int) -> Message:
    """An assistant message whose calls any server takes back; ``running`` numbers ids that a server left out."""
    seen: set[str] = set()
    calls: list[ToolCall] = []
    for call in message.tool_calls:
        id = call.id.strip()
        while not id or id in seen:
            running += 1
            id = f"call_{running}"
        seen.add(id)
        name = "".join(c for c in call.name if c.isalnum() or c in "_-")[:64] or "unknown"
        calls.append(ToolCall(id, name, harmless_arguments(call.arguments)))
    return replace(message, tool_calls=tuple(calls))


def open_calls(messages: list[Message]) -> list[ToolCall]:
    """The calls of the newest assistant message that have no result yet."""
    at = len(messages) - 1
    answered: set[str | None] = set()
    while at >= 0 and messages[at].role == "tool":
        answered.add(messages[at].tool_call_id)
        at -= 1
    if at < 0:
        return []
    return [call for call in messages[at].tool_calls if call.id not in answered]


def close_turn(
    messages: list[Message], note: str, partial: str = "", reasoning: str = "", results: Mapping[str, str] | None = None
) -> None:
    """Make the history whole after a turn that did not end by itself.

    Calls without a result get one that claims no success (``results`` by id, else "not run"); text that had come is
    kept as an incomplete answer; else ``note`` stands in its place. Doing it again, after an interrupt in the middle of
    it, changes nothing more.
    """
    added = [
        Message("tool", (results or {}).get(call.id, NOT_RUN), tool_call_id=call.id, error=True)
        for call in open_calls(messages)
    ]
    newest = next((m for m in reversed(messages) if m.role != "tool"), None)
    kept_already = newest is not None and newest.role == "assistant" and newest.content == partial
    if partial.strip() and not kept_already:
        added.append(Message("assistant", partial, complete=False, reasoning=reasoning or None))
    elif added or (messages and messages[-1].role != "assistant"):
        added.append(Message("assistant", note, complete=False))
    messages.extend(added)
