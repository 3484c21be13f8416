"""The border to the model's tool call: any JSON values in, plain words out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentao.errors import GuardError
from agentao.memory.guard import MemoryGuard
from agentao.memory.text import one_line

if TYPE_CHECKING:
    from agentao.memory.models import SaveOutcome


def text_argument(name: str, value: object) -> str:
    """A text as the model meant it: numbers and truth values in words, a list or an object as JSON.

    Raises:
        GuardError: it is missing, or nothing that could be a text; names the argument.
    """
    import json  # not for programs that only recall, to which no tool call comes

    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, bool | list | dict) and value not in ([], {}) and name != "key":
        return json.dumps(value, ensure_ascii=False)
    if value is None or value in ([], {}):
        raise GuardError(f"The argument {name} is missing; give it as a text.")
    raise GuardError(f"The argument {name} is no text; give it as a text.")


def tags_argument(value: object, guard: MemoryGuard) -> list[str] | None:
    """Tags in any form that can be meant; ``None`` where none were given.

    Raises:
        GuardError: they are neither words nor a list of words.
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in ("", "null", "none")):
        return None
    if isinstance(value, str):
        return guard.validate_tags(value)
    if isinstance(value, list):
        import json

        tags: list[str] = []
        for tag in value:
            if isinstance(tag, bool | list | dict):
                raise GuardError("The argument tags holds something that is no word; give a list of texts.")
            if tag is not None:
                tags.append(tag if isinstance(tag, str) else json.dumps(tag))
        return tags
    raise GuardError('The argument tags is no list; give it as a list of texts such as ["user", "editor"].')


def answer_of(outcome: SaveOutcome) -> str:
    """What the model learns of a save: what happened, to which record, and what there is to know about it."""
    record = outcome.record
    name = f'{record.scope} memory "{one_line(record.title)}" (key {record.key_normalized}, {record.type})'
    if outcome.change == "unchanged":
        words = f"Nothing changed: the {name} says this already."
    elif outcome.change == "changed":
        words = f"Updated the {name}."
    else:
        words = f"Saved the {name}."
    return f"{words} {outcome.note}".rstrip()


def refusal_of(error: Exception) -> str:
    """What the model learns of a save that did not happen."""
    words = str(error)
    return f"Error: {words}" if words.startswith("Not saved") else f"Error: not saved. {words}"


def reason_of(error: Exception) -> str:
    """What the user reads behind "Not remembered:"."""
    reason = str(error).removeprefix("Not saved").lstrip(": ")
    return reason[:1].upper() + reason[1:]
