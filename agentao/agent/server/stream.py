"""Puts a streamed answer together: chunks in any server's manner → deltas → one whole assistant message."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from agentao.agent.messages import Completed, FinishReason, Message, ReasoningDelta, TextDelta, ToolCall, Usage
from agentao.agent.server.thinking import Part, Thinking

_FINISH: dict[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "safety": "content_filter",
    "insufficient_system_resource": "cut",
    "network_error": "cut",
    "abort": "cut",
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")


def replace_surrogates(text: str) -> str:
    """Join surrogate pairs and put U+FFFD for lone ones, so that the text can be sent, stored and printed."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class _Text:
    """Joins pieces of text; a pair of surrogates may come in two pieces."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._held = ""

    def add(self, piece: str) -> str:
        """Keep the piece; return what can be shown now."""
        piece = self._held + piece
        self._held = ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._held = piece[:-1], piece[-1]
        piece = replace_surrogates(piece)
        if piece:
            self.parts.append(piece)
        return piece

    def flush(self) -> str:
        """What was held back for a second half that never came."""
        held, self._held = self._held, ""
        if held:
            self.parts.append("\ufffd")
        return "\ufffd" if held else ""

    def whole(self) -> str:
        """All pieces so far."""
        return "".join(self.parts)


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def is_whole(self) -> bool:
        """True when the arguments so far are a complete JSON text."""
        try:
            json.loads("".join(self.arguments))
        except (ValueError, RecursionError):
            return False
        return True


class ToolCalls:
    """Puts the deltas of tool calls together, with and without ``index`` and ids."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}

    def add(self, entries: object) -> None:
        """Take one chunk's ``delta.tool_calls``."""
        listed = [e for e in (entries if isinstance(entries, list) else [entries]) if isinstance(e, dict)]
        for position, entry in enumerate(listed):
            function = entry.get("function")
            function = function if isinstance(function, dict) else entry
            index, id, name = entry.get("index"), entry.get("id"), function.get("name")
            arguments = function.get("arguments")
            call = self._find(
                index if isinstance(index, int) and not isinstance(index, bool) else None,
                id if isinstance(id, str) else "",
                name if isinstance(name, str) else "",
                position - len(listed) if len(listed) > 1 else -1,
            )
            if isinstance(arguments, str):
                call.arguments.append(arguments)
            elif arguments is not None:
                call.arguments = [json.dumps(arguments, ensure_ascii=False)]

    def _find(self, index: int | None, id: str, name: str, place: int) -> _Call:
        """The call that an entry belongs to, with its id and name taken over."""
        call = self._by_index.get(index) if index is not None else None
        if call is not None and id and call.id and id != call.id and name:
            call = None  # some servers give every call index 0
        elif call is None and id and not (name and index is not None):
            call = next((c for c in self._calls if c.id == id), None)
            if call is not None and name and call.arguments and call.is_whole():
                call = None  # two calls may share an id
        if call is None and not (name or (id and not self._calls)):
            call = self._continued(index, place)
        elif call is None and not id and index is None and name:
            last = self._calls[-1] if self._calls else None
            if last is not None and last.name == name and last.arguments and not last.is_whole():
                call = last  # the name is repeated in every piece
        if call is None:
            call = _Call()
            self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        call.id = call.id or id
        if name and name != call.name:
            call.name = call.name + name if call.name and not call.arguments else call.name or name
        return call

    def _continued(self, index: int | None, place: int) -> _Call | None:
        """The open call that an entry without name continues."""
        if index is not None:
            unnumbered = [c for c in self._calls if c not in self._by_index.values()]
            if not unnumbered:
                return None if self._by_index else (self._calls[-1] if self._calls else None)
            same_place = self._calls[index] if index < len(self._calls) else None
            return same_place if same_place in unnumbered else unnumbered[0]
        return self._calls[place] if -len(self._calls) <= place else None

    def whole(self) -> tuple[ToolCall, ...]:
        """All calls so far, in the order in which they began."""
        return tuple(ToolCall(c.id, c.name, replace_surrogates("".join(c.arguments))) for c in self._calls)


class Assembler:
    """Takes the parsed chunks of one answer and makes the deltas and the whole message."""

    def __init__(self) -> None:
        self._text = _Text()
        self._reasoning = _Text()
        self._thinking = Thinking()
        self._calls = ToolCalls()
        self._finish = ""
        self.reasoning_field = ""
        """The field in which this server sends reasoning, or empty."""
        self.usage: Usage | None = None
        self.chunks = 0

    @property
    def has_content(self) -> bool:
        """True when some of the answer has arrived."""
        return bool(self._text.parts or self._reasoning.parts or self._calls.whole())

    @property
    def is_finished(self) -> bool:
        """True when the server gave a finish reason; only a usage report may follow."""
        return bool(self._finish)

    def feed(self, chunk: dict[str, Any]) -> Iterator[TextDelta | ReasoningDelta]:
        """Take one chunk, a streamed one or a whole unstreamed answer."""
        self.chunks += 1
        self._take_usage(chunk.get("usage"))
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if not isinstance(choice, dict) or choice.get("index") not in (0, None):
                continue
            self._take_usage(choice.get("usage"))
            delta = choice.get("delta") or choice.get("message")
            if isinstance(delta, dict):
                yield from self._take_delta(delta)
            elif isinstance(choice.get("text"), str):
                yield from self._take_text(choice["text"])
            finish = choice.get("finish_reason")
            if isinstance(finish, str) and finish:
                self._finish = finish

    def _take_delta(self, delta: dict[str, Any]) -> Iterator[TextDelta | ReasoningDelta]:
        for name in _REASONING_FIELDS:
            if isinstance(delta.get(name), str) and delta[name]:
                self.reasoning_field = name
                yield from self._take_reasoning(delta[name])
                break
        content = delta.get("content")
        for part in content if isinstance(content, list) else []:
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield from self._take_text(part["text"])
            elif isinstance(part, dict) and isinstance(part.get("thinking"), list):
                texts = [t.get("text") for t in part["thinking"] if isinstance(t, dict)]
                yield from self._take_reasoning("".join(t for t in texts if isinstance(t, str)))
        for text in (content, delta.get("refusal")):
            if isinstance(text, str):
                yield from self._take_text(text)
        if delta.get("tool_calls"):
            self._calls.add(delta["tool_calls"])
        if isinstance(delta.get("function_call"), dict):
            self._calls.add({"index": 0, "function": delta["function_call"]})

    def _take_text(self, piece: str) -> Iterator[TextDelta | ReasoningDelta]:
        yield from self._take_parts(self._thinking.feed(piece))

    def _take_parts(self, parts: Iterable[Part]) -> Iterator[TextDelta | ReasoningDelta]:
        for part in parts:
            if part.reasoning:
                yield from self._take_reasoning(part.text)
            elif shown := self._text.add(part.text):
                yield TextDelta(shown)

    def _take_reasoning(self, piece: str) -> Iterator[ReasoningDelta]:
        shown = self._reasoning.add(piece)
        if shown:
            yield ReasoningDelta(shown)

    def _take_usage(self, usage: object) -> None:
        """Keep the newest sensible count; servers repeat it, and some send zeros."""
        if not isinstance(usage, dict):
            return
        prompt = _count(usage.get("prompt_tokens"))
        if not prompt:
            return
        details = usage.get("prompt_tokens_details")
        cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
        for name in ("prompt_cache_hit_tokens", "cached_tokens"):
            cached = _count(usage.get(name)) if cached is None else cached
        self.usage = Usage(prompt, _count(usage.get("completion_tokens")) or 0, cached)

    def finish(self, *, ended: bool) -> Iterator[TextDelta | ReasoningDelta | Completed]:
        """Yield what was held back, then the whole message. ``ended``: the server said that the answer is over."""
        yield from self._take_parts(self._thinking.flush())
        held = self._text.flush()
        if held:
            yield TextDelta(held)
        self._reasoning.flush()
        calls = self._calls.whole()
        reason: FinishReason
        if not self._finish and not ended:
            reason = "cut"
        else:
            reason = _FINISH.get(self._finish, "tool_calls" if calls else "stop")
        message = Message(
            role="assistant",
            content=self._text.whole(),
            tool_calls=calls,
            complete=reason in ("stop", "tool_calls"),
            reasoning=self._reasoning.whole() or None,
        )
        yield Completed(message, reason, self.usage)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
