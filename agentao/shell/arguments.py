"""From the words behind a command's name to the values of its parameters."""

from __future__ import annotations

import re
from typing import Any

from agentao.errors import UsageError
from agentao.shell.command import PAGER, YES, Call, Command, Param


def parse_arguments(entry: Command, text: str) -> Call:
    """The values that the words after a command's name give.

    Options stand before the rest of the line, ``--`` ends them; where the rest is a name, known options may stand
    behind it too. Where the rest of the line is the first argument, an unknown ``--word`` begins it.

    Raises:
        UsageError: says what is wrong, without the usage line.
    """
    options = {param.flag: param for param in entry.options}
    waiting = list(entry.arguments)
    values: dict[str, Any] = {param.name: param.default for param in entry.params if not param.required}
    ended = False
    text = text.strip()
    while text:
        word, after = split_word(text)
        if not ended and word == "--":
            ended, text = True, after
            continue
        if not ended and text.startswith("-") and len(word) > 1:
            name, equals, given = word.partition("=")
            if option := options.get(name):
                text = after
                if option.kind == "flag":
                    if equals:
                        raise UsageError(f"{name} takes no value.")
                    values[option.name] = True
                    continue
                if not equals:
                    if not text:
                        raise UsageError(f"{name} needs a value.")
                    given, text = split_word(text)
                values[option.name] = option.read(given)
                continue
            if not entry.rest_first:
                raise UsageError(unknown_option(name, list(options)))
        if not waiting:
            raise UsageError(f"{_short(word)!r} is one word too many.")
        param = waiting.pop(0)
        if param.rest:
            values[param.name] = text if ended or param.text else _without_options(text, options, values)
            break
        values[param.name] = param.read(word)
        text, ended = after, ended or entry.takes_text
    for param in waiting:
        if param.required:
            raise UsageError(f"{param.shown} is missing.")
    return finish(entry, values)


def finish(entry: Command, values: dict[str, Any]) -> Call:
    """A call from values by parameter name; ``yes`` and ``pager`` go to the shell."""
    kept = dict(values)
    yes = bool(kept.pop(YES.name, False)) if YES in entry.params else False
    pager = bool(kept.pop(PAGER.name, False)) if PAGER in entry.params else False
    return Call(entry, kept, yes=yes, pager=pager)


def split_word(text: str) -> tuple[str, str]:
    """The first word, and what follows it as typed. A pair of quotes may hold blanks; a lone quote is a letter."""
    text = text.lstrip()
    if text[:1] in ('"', "'"):
        end = text.find(text[0], 1)
        if end > 0 and (end + 1 == len(text) or text[end + 1].isspace()):
            return text[1:end], text[end + 1 :].lstrip()
    return next_word(text)


def next_word(text: str) -> tuple[str, str]:
    """The text up to the first blank, and what follows the blanks."""
    parts = text.split(maxsplit=1)
    return (parts[0] if parts else ""), (parts[1] if len(parts) > 1 else "")


def unknown_option(name: str, known: list[str]) -> str:
    """The sentence that says so, with the nearest option."""
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    return f"Unknown option {_short(name)}." + (f" Did you mean {near[0]}?" if near else "")


def _short(word: str) -> str:
    return word if len(word) <= 40 else word[:39] + "…"


def _without_options(text: str, options: dict[str, Param], values: dict[str, Any]) -> str:
    """The rest of the line without the known options in it, whose values are noted; ``--`` ends options."""
    text, mark, tail = text.partition(" -- ")
    for name, option in options.items():
        value = "" if option.kind == "flag" else r"(?:=|\s+)(\"[^\"]*\"|'[^']*'|\S+)"
        found = re.search(rf"(?:^|\s+){re.escape(name)}{value}(?!\S)", text)
        if found:
            values[option.name] = True if option.kind == "flag" else option.read(split_word(found[1])[0])
            text = text[: found.start()] + text[found.end() :]
    return f"{text.strip()} {tail}".strip() if mark else text.strip()
