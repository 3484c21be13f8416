"""The one tool on offer, ``save_memory``: its description for the model, and the way from a call to its result.

A call is never left without a result, and a broken one never saves: what cannot be read exactly is refused in words
that tell the model what to send instead.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Protocol

from agentao.agent.events import MemoryRefused, MemorySaved
from agentao.agent.messages import ToolCall, ToolSpec
from agentao.agent.server.stream import replace_surrogates
from agentao.errors import SensitiveMemoryError
from agentao.memory.guard import MemoryGuard
from agentao.memory.models import CONTENT_MAX_CHARS, KEY_MAX_CHARS, TAG_MAX_CHARS, TAGS_MAX, ToolAnswer
from agentao.memory.secrets.scan import mask

SAVE_MEMORY = "save_memory"
ECHO_MAX_CHARS = 60
"""How much of a wrong name a result repeats. Broken arguments are not repeated at all: they may hold a secret."""

REMOVED = "[secret removed]"
_FIELDS = ("key", "value", "tags")


class MemoryWriter(Protocol):
    """The part of the memory manager that the tool needs."""

    def answer_tool_call(self, key: object, value: object, tags: object = None) -> ToolAnswer: ...


@dataclass(frozen=True, slots=True)
class ToolRun:
    """What one call did: the result for the model, and what the user should see (nothing for a call that is broken)."""

    text: str
    event: MemorySaved | MemoryRefused
    error: bool = False


def save_memory_spec() -> ToolSpec:
    """The tool as the model sees it; the limits are those of the memory core."""
    return ToolSpec(
        name=SAVE_MEMORY,
        description=(
            "Save one lasting fact so that later sessions know it. The same key updates the fact in place. "
            f"At most {KEY_MAX_CHARS} characters of key and {CONTENT_MAX_CHARS} of value. "
            "A key that begins with user_, or the tag user, makes it a fact about the user that holds in all projects; "
            "otherwise it belongs to this project. Passwords, keys and tokens are refused."
        ),
        parameters={
            "type": "object",
            "properties": {
                "key": {
                    "type": "string",
                    "description": "Short name of the fact, such as package_manager or user_python_version.",
                    "minLength": 1,
                    "maxLength": KEY_MAX_CHARS,
                },
                "value": {
                    "type": "string",
                    "description": "The fact itself, complete enough to be understood alone.",
                    "minLength": 1,
                    "maxLength": CONTENT_MAX_CHARS,
                },
                "tags": {
                    "type": "array",
                    "description": "Words to find it by. Leave out on an update to keep the stored ones.",
                    "items": {"type": "string", "maxLength": TAG_MAX_CHARS},
                    "maxItems": TAGS_MAX,
                },
            },
            "required": ["key", "value"],
        },
    )


def parse_arguments(text: str) -> dict[str, object] | str:
    """The arguments as an object, or one sentence that says what is wrong with them."""
    if not text.strip():
        return {}
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        where = f" ({error.msg} at character {error.pos + 1})" if isinstance(error, json.JSONDecodeError) else ""
        return f"the arguments are no valid JSON{where}"
    if not isinstance(data, dict):
        return "the arguments must be one JSON object with key and value"
    cleaned = _cleaned(data)
    return cleaned if isinstance(cleaned, dict) else {}


def run_call(memories: MemoryWriter, call: ToolCall, *, enabled: bool = True) -> ToolRun:
    """Run one call. Whatever is wrong with it becomes the words of its result."""
    if call.name.strip() != SAVE_MEMORY:
        return _refused("", f"There is no tool {_echo(call.name)}; the only tool is {SAVE_MEMORY}.")
    if not enabled:
        return _refused("", "Memory is switched off by the user.")
    arguments = parse_arguments(call.arguments)
    if isinstance(arguments, str):
        return _refused("", f"{SAVE_MEMORY}: {arguments}.", again=True)
    missing = [name for name in ("key", "value") if arguments.get(name) is None]
    if missing:
        fields = " and ".join(missing) + (" are" if len(missing) > 1 else " is")
        return _refused("", f"{SAVE_MEMORY} needs key and value; {fields} missing.", again=True)
    answer = memories.answer_tool_call(arguments["key"], arguments["value"], arguments.get("tags"))
    unknown = [name for name in arguments if name not in _FIELDS]
    text = answer.text
    if unknown:
        text += f" Ignored unknown arguments: {', '.join(_echo(name) for name in unknown[:5])}."
    if answer.outcome is not None:
        return ToolRun(text, MemorySaved(answer.outcome))
    key = arguments["key"]
    return ToolRun(text, MemoryRefused(_shown_key(key), answer.reason), error=True)


def harmless_arguments(text: str) -> str:
    """The arguments as they may stand in the history: always a JSON object, secrets masked.

    Strict servers refuse a history with anything else, and a refused secret must not travel again with each request.
    """
    arguments = parse_arguments(text)
    if isinstance(arguments, str):
        return "{}"
    key, value = (json.dumps(arguments.get(name), ensure_ascii=False) for name in ("key", "value"))
    try:
        MemoryGuard().check_record(key, value)
    except SensitiveMemoryError:
        arguments = {"key": arguments.get("key"), "value": REMOVED}
    return json.dumps(_masked(arguments), ensure_ascii=False)


def _refused(key: str, why: str, *, again: bool = False) -> ToolRun:
    told = f"{why} Nothing was saved." + (" Send the call again." if again else "")
    return ToolRun(told, MemoryRefused(key, why), error=True)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON value")


def _echo(text: str) -> str:
    text = mask(" ".join(replace_surrogates(text[: 4 * ECHO_MAX_CHARS]).split()))
    return repr(text if len(text) <= ECHO_MAX_CHARS else text[:ECHO_MAX_CHARS] + "…")


def _shown_key(key: object) -> str:
    text = mask(key if isinstance(key, str) else json.dumps(key, ensure_ascii=False))
    return text if len(text) <= KEY_MAX_CHARS else text[:KEY_MAX_CHARS] + "…"


def _cleaned(value: object) -> object:
    """Without lone surrogates, which JSON escapes can carry."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    if isinstance(value, dict):
        return {replace_surrogates(name): _cleaned(one) for name, one in value.items()}
    return value


def _masked(value: object) -> object:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [_masked(one) for one in value]
    if isinstance(value, dict):
        return {mask(name): _masked(one) for name, one in value.items()}
    return value
