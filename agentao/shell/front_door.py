"""The options that every start may have, wherever they stand on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agentao.shell.table import CommandTable

START_VALUES = ("--project", "-p", "--prompt")

GLOBAL_FLAGS = {
    "--no-memory": "Inject, recall, mine and save nothing.",
    "--trust-project": "Let a project's memories that came from elsewhere be told to the model.",
    "--raw": "Show answers as they come, without Markdown.",
}

_FOLLOWING = ("--json", "--yes")
"""These may stand anywhere on a command's line; they are moved to stand right behind its words."""


class Start(NamedTuple):
    """How to start. ``prompt`` is the question of ``-p``, or None."""

    project: str | None = None
    memory_on: bool = True
    trust_project: bool = False
    raw: bool = False
    prompt: str | None = None


def hoist(words: list[str], table: CommandTable) -> list[str]:
    """The words with the options that may stand anywhere put where the parser expects them.

    Options of the start go to the front, ``--json`` and ``--yes`` behind the command's own words; nothing behind ``--``
    is touched.
    """
    end = words.index("--") if "--" in words else len(words)
    front: list[str] = []
    following: list[str] = []
    kept: list[str] = []
    waiting = words[:end]
    while waiting:
        word = waiting.pop(0)
        if word in GLOBAL_FLAGS or word.startswith("--project="):
            front.append(word)
        elif word in START_VALUES and waiting and (word == "--project" or not kept):
            front += [word, waiting.pop(0)]
        elif word in _FOLLOWING and kept:
            following.append(word)
        else:
            kept.append(word)
    named = _command_words(kept, table)
    return [*front, *kept[:named], *following, *kept[named:], *words[end:]]


def _command_words(words: list[str], table: CommandTable) -> int:
    """How many of the words name the command."""
    longest = 0
    for count in (1, 2, 3):
        name = " ".join(words[:count])
        if len(words) >= count and any(each == name or each.startswith(name + " ") for each in table.names):
            longest = count
    return longest
