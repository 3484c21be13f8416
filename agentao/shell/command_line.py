"""What the words of the command line ask for, read by the parser that the shell's lines go through too.

The command-line library is needed for completion alone, so that every other start does not wait for it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentao.errors import UsageError
from agentao.shell.arguments import Given, parse_arguments, short, unknown_option
from agentao.shell.command import YES, Call
from agentao.shell.table import CommandTable

PROGRAM = "agentao"
START = "agentao "

FLAGS = {
    "--no-memory": "Inject, recall, mine and save nothing.",
    "--trust-project": "Let a project's foreign memories into the prompt.",
    "--raw": "Show answers as they come, without Markdown.",
}
VALUES = ("-p", "--prompt", "--project")
USAGE = f"Usage: {PROGRAM} [OPTIONS] [COMMAND]; {PROGRAM} --help tells more."

OF_ONE_SESSION = ("memory on", "memory off", "memory crystallize")
"""What these do ends with the session, so they are named as the shell has them."""

COMPLETION = ("--install-completion", "--show-completion")

COMPLETING = "_AGENTAO_COMPLETE"
"""Set by the completion scripts in the user's shell."""


class Start(NamedTuple):
    """How to start. ``prompt`` is the question of ``-p``, or None."""

    project: str | None = None
    memory_on: bool = True
    trust_project: bool = False
    raw: bool = False
    prompt: str | None = None


class Chosen(NamedTuple):
    """What the command line asks for: a command, or the shell itself when ``call`` is None."""

    start: Start
    call: Call | None = None
    json: bool = False
    version: bool = False


def wants_help(words: list[str], table: CommandTable) -> list[str] | None:
    """The words that help was asked for, or None when something else is asked for."""
    plain = words[: words.index("--")] if "--" in words else words
    if any(word in ("--help", "-h") for word in plain):
        return plain
    if plain[:1] == ["help"]:
        return plain[1:]
    if plain[-1:] == ["help"] and table.has_below(" ".join(plain[:-1])):
        return plain[:-1]
    return None


def read(words: list[str], table: CommandTable) -> Chosen:
    """What the words ask for.

    Options of the start, ``--json`` and ``--yes`` may stand anywhere before ``--``.

    Raises:
        UsageError: one line with what is wrong and the usage.
    """
    end = words.index("--") if "--" in words else len(words)
    start, json, yes, version = Start(), False, False, False
    kept: list[str] = []
    waiting = words[:end]
    while waiting:
        word = waiting.pop(0)
        name, equals, value = word.partition("=")
        if word in FLAGS:
            start = _flagged(start, word)
        elif name in VALUES and (name == "--project" or not kept):
            if not equals and not waiting:
                raise UsageError(f"{name} needs a value. {USAGE}")
            given = value if equals else waiting.pop(0)
            start = start._replace(project=given) if name == "--project" else start._replace(prompt=given)
        elif word == "--version" and not kept:
            version = True
        elif word == "--json":
            json = True
        elif word == "--yes" and kept:
            yes = True
        elif word.startswith("-") and not kept:
            raise UsageError(
                f"{unknown_option(name, [*FLAGS, *VALUES, *COMPLETION, '--version', '--json', '--help'])} {USAGE}"
            )
        else:
            kept.append(word)
    if start.project == "":
        raise UsageError(f"--project needs the name of a folder. {USAGE}")
    kept += words[end:]
    if start.prompt is not None and kept:
        raise UsageError(f'{short(kept[0])!r} is one word too many behind -p. Usage: {PROGRAM} -p "question"')
    if version or not kept:
        return Chosen(start, json=json, version=version)
    return Chosen(start, _call(kept, table, yes=yes), json)


def _flagged(start: Start, flag: str) -> Start:
    if flag == "--no-memory":
        return start._replace(memory_on=False)
    return start._replace(trust_project=True) if flag == "--trust-project" else start._replace(raw=True)


def _call(words: list[str], table: CommandTable, *, yes: bool) -> Call:
    entry, count = table.named(words)
    rest = words[count:]
    if entry is None or entry.where == "shell" or table.is_slip(words[:count], rest):
        raise table.unknown(" ".join(words), START)
    if yes and YES not in entry.params:
        rest.append("--yes")
    try:
        call = parse_arguments(entry, Given(rest))
    except UsageError as exc:
        raise UsageError(f"{exc} Usage: {entry.usage(START)}") from None
    return call._replace(yes=call.yes or (yes and YES in entry.params))


def as_typed(text: str, table: CommandTable) -> str:
    """The program's own words, with every command named as the command line has it; what stands in quotes stays."""

    def named(match: re.Match[str]) -> str:
        entry, _ = table.named((match["words"] or "").split())
        if entry is None or entry.where == "shell" or entry.name in OF_ONE_SESSION:
            return match[0]
        return f"{PROGRAM} {match['words']}"

    return re.sub(r'"[^"\n]*"|(?<![^\s(])/(?P<words>[a-z]+(?: [a-z]+){0,2})', named, text)
