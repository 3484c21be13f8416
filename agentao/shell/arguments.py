"""From the words behind a command's name to the values of its parameters: one parser for both ways to give them.

In the shell they come as one line, of which the rest can be taken verbatim; on the command line as separate words.
"""

from __future__ import annotations

import re
from typing import Any, Protocol

from agentao.errors import UsageError
from agentao.shell.command import PAGER, YES, Call, Command, Param


class Words(Protocol):
    """Words that are taken from the front."""

    def __bool__(self) -> bool:
        """True when something is left."""
        ...

    def is_option(self) -> bool:
        """True when what comes next begins with a dash."""
        ...

    def peek(self) -> str:
        """The next word."""
        ...

    def take(self) -> str:
        """The next word, taken away."""
        ...

    def rest(self) -> str:
        """All that is left, as one text."""
        ...

    def rest_without(self, options: dict[str, Param], values: dict[str, Any]) -> str:
        """All that is left but the known options in it, whose values are noted; ``--`` ends options."""
        ...


class Line:
    """The words of a typed line. A word in a pair of quotes may hold blanks; a lone quote is a letter."""

    def __init__(self, text: str) -> None:
        self._text = text.strip()

    def __bool__(self) -> bool:
        return bool(self._text)

    def is_option(self) -> bool:
        """True when what comes next begins with a dash that is not quoted."""
        return self._text.startswith("-")

    def peek(self) -> str:
        """The next word, without its quotes."""
        return split_word(self._text)[0]

    def take(self) -> str:
        """The next word, taken away."""
        word, self._text = split_word(self._text)
        return word

    def rest(self) -> str:
        """The rest of the line, verbatim."""
        return self._text

    def rest_without(self, options: dict[str, Param], values: dict[str, Any]) -> str:
        """The rest of the line, verbatim but for the options."""
        text, mark, tail = self._text.partition(" -- ")
        for name, option in options.items():
            value = "" if option.kind == "flag" else r"(?:=|\s+)(\"[^\"]*\"|'[^']*'|\S+)"
            found = re.search(rf"(?:^|\s+){re.escape(name)}{value}(?!\S)", text)
            if found:
                values[option.name] = True if option.kind == "flag" else option.read(split_word(found[1])[0])
                text = text[: found.start()] + text[found.end() :]
        return f"{text.strip()} {tail}".strip() if mark else text.strip()


class Given:
    """The words of a command line, as the user's shell has parted them."""

    def __init__(self, words: list[str]) -> None:
        self._words = list(words)

    def __bool__(self) -> bool:
        return bool(self._words)

    def is_option(self) -> bool:
        """True when the next word begins with a dash."""
        return self._words[0].startswith("-")

    def peek(self) -> str:
        """The next word."""
        return self._words[0]

    def take(self) -> str:
        """The next word, taken away."""
        return self._words.pop(0)

    def rest(self) -> str:
        """All words that are left, with blanks between."""
        return " ".join(self._words)

    def rest_without(self, options: dict[str, Param], values: dict[str, Any]) -> str:
        """All words that are left but the options."""
        kept: list[str] = []
        while self._words:
            word = self._words.pop(0)
            if word == "--":
                kept += self._words
                break
            name, equals, value = word.partition("=")
            option = options.get(name)
            if option is None or (option.kind == "flag" and equals):
                kept.append(word)
            elif option.kind == "flag":
                values[option.name] = True
            elif equals or self._words:
                values[option.name] = option.read(value if equals else self._words.pop(0))
            else:
                raise UsageError(f"{name} needs a value.")
        return " ".join(kept)


def parse_arguments(entry: Command, words: Words) -> Call:
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
    while words:
        if not ended and words.is_option() and words.peek() == "--":
            words.take()
            ended = True
            continue
        if not ended and words.is_option() and len(words.peek()) > 1:
            if option := options.get(words.peek().partition("=")[0]):
                _take_option(option, words, values)
                continue
            if not entry.rest_first:
                raise UsageError(unknown_option(words.peek().partition("=")[0], list(options)))
        if not waiting:
            raise UsageError(f"{short(words.peek())!r} is one word too many.")
        param = waiting.pop(0)
        if param.rest:
            text = words.rest() if ended or param.text else words.rest_without(options, values)
            if text.strip() or not param.required:
                values[param.name] = text if text.strip() else param.default
            else:
                waiting.insert(0, param)
            break
        values[param.name] = param.read(words.take())
        ended = ended or entry.takes_text
    for param in waiting:
        if param.required:
            raise UsageError(f"{param.shown} is missing.")
    return _call(entry, values)


def _take_option(option: Param, words: Words, values: dict[str, Any]) -> None:
    name, equals, given = words.take().partition("=")
    if option.kind == "flag":
        if equals:
            raise UsageError(f"{name} takes no value.")
        values[option.name] = True
        return
    if not equals:
        if not words:
            raise UsageError(f"{name} needs a value.")
        given = words.take()
    values[option.name] = option.read(given)


def _call(entry: Command, values: dict[str, Any]) -> Call:
    yes = bool(values.pop(YES.name, False)) if YES in entry.params else False
    pager = bool(values.pop(PAGER.name, False)) if PAGER in entry.params else False
    return Call(entry, values, yes=yes, pager=pager)


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
    return f"Unknown option {short(name)}." + (f" Did you mean {near[0]}?" if near else "")


def short(word: str) -> str:
    """The word as a message repeats it."""
    return word if len(word) <= 40 else word[:39] + "…"
