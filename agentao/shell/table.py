"""The command table: which command a line names, what its words mean, and what could come next.

What a line is (``route``): blank; words for the model; a command; or an error that goes to the user and never to the
model. Blanks in front of a command do not matter. ``／`` counts as ``/`` everywhere, ``、`` (the slash key under a
Chinese input method) in front of a command's name. Text of several lines is never a command: a paste runs nothing.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from agentao.errors import UsageError
from agentao.shell.arguments import Line, next_word, parse_arguments, short, split_word
from agentao.shell.command import (
    Arg,
    Call,
    Command,
    Completion,
    Draft,
    Param,
    Question,
    Routed,
    command,
)

if TYPE_CHECKING:
    from agentao.shell.context import CommandContext

__all__ = [
    "Arg",
    "Call",
    "Command",
    "CommandTable",
    "Completion",
    "Draft",
    "Param",
    "Question",
    "Routed",
    "command",
]

SLASHES = "/／"
IME_SLASH = "、"
NEAR_SCORE, NEAR_BAND = 0.7, 0.08
"""How alike a name must be to be offered (1 is equal), and how much less than the best one."""
NEAR_CHARS = 30
"""A longer word is compared by its beginning: comparing takes time with the product of the lengths."""
ABOUT_CHARS = 4
"""Shorter words of a summary say nothing about the command."""
NEAR_MAX = 3
"""How many similar names an error offers."""


class CommandTable:
    """All commands, in the order in which help shows them. Nothing is added after it was made."""

    def __init__(self, commands: Sequence[Command], *, defaults: dict[str, str] | None = None) -> None:
        """``defaults`` names the command that a group's bare name stands for: ``{"memory": "memory list"}``."""
        self.commands = tuple(commands)
        self.groups: dict[str, list[str]] = {}
        self._by_words: dict[tuple[str, ...], Command] = {}
        self._defaults = {tuple(group.split()): name for group, name in (defaults or {}).items()}
        for entry in self.commands:
            for name in (entry.name, *entry.aliases):
                words = tuple(name.split())
                if words in self._by_words:
                    raise ValueError(f"two commands are named {name!r}")
                self._by_words[words] = entry
                if len(words) > 1:
                    self.groups.setdefault(words[0], []).append(name)
        for group, name in self._defaults.items():
            self._by_words.setdefault(group, self._by_words[tuple(name.split())])

    def __iter__(self) -> Iterator[Command]:
        return iter(self.commands)

    @property
    def names(self) -> list[str]:
        """All names and aliases."""
        return [" ".join(words) for words in self._by_words]

    def get(self, name: str) -> Command | None:
        """The command of this exact name or alias, in any case."""
        return self._by_words.get(tuple(_fold(word) for word in name.split()))

    def under(self, group: str) -> list[Command]:
        """The commands whose name starts with this word, in order."""
        return [entry for entry in self.commands if entry.name.split()[0] == _fold(group)]

    def match(self, text: str) -> tuple[Command | None, str, str]:
        """The command that ``text`` (without its slash) names by its longest run of words; the words; the rest."""
        words, rest = [], text
        found: tuple[Command | None, str, str] = (None, "", text)
        for _ in range(3):
            word, rest = next_word(rest)
            if not word:
                break
            words.append(_fold(word))
            if entry := self._by_words.get(tuple(words)):
                found = (entry, " ".join(words), rest)
        return found

    def named(self, words: Sequence[str]) -> tuple[Command | None, int]:
        """The command that the longest run of these words names, and how many words that is."""
        for count in range(min(3, len(words)), 0, -1):
            if entry := self._by_words.get(tuple(_fold(word) for word in words[:count])):
                return entry, count
        return None, 0

    def is_slip(self, name: Sequence[str], rest: Sequence[str]) -> bool:
        """True when a name without arguments, under which there are others, is followed by a word that is none."""
        entry = self.named(name)[0]
        below = entry is not None and not entry.arguments and self.has_below(" ".join(_fold(word) for word in name))
        return below and bool(rest) and not rest[0].startswith("-")

    def has_below(self, name: str) -> bool:
        """True when longer names begin with this one."""
        start = " ".join(_fold(word) for word in name.split()) + " "
        return any(other.startswith(start) for other in self.names)

    def near(self, text: str) -> list[str]:
        """Names that look like what ``text`` starts with, best first."""
        import difflib

        words = [_fold(word)[:NEAR_CHARS] for word in text[:500].split()[:3]]
        scored: dict[str, float] = {}
        for name in self._by_words:
            typed = words[: len(name)]
            if len(words) > 1 and name == tuple(words[:1]) and name[0] in self.groups:
                continue
            same = 1 if len(name) > 1 and typed[:1] == list(name[:1]) else 0
            ask, have = " ".join(typed[same:]), " ".join(name[same:])
            score = difflib.SequenceMatcher(None, ask, have).ratio()
            if len(ask) > 1 and have.startswith(ask):
                score = max(score, NEAR_SCORE + 0.1)
            if score >= NEAR_SCORE and len(typed) == len(name):
                scored[" ".join(name)] = score + 0.02 * len(name)
        best = max(scored.values(), default=0.0)
        names = [name for name in scored if scored[name] >= best - NEAR_BAND]
        return sorted(names, key=lambda name: (-scored[name], len(name), name))[:NEAR_MAX]

    def suggested(self, text: str) -> list[str]:
        """Names for words that name nothing: those that look alike, else those that end in the first word."""
        words = text[:500].split()
        if not words:
            return []
        last = _fold(words[0])
        longer = [" ".join(name) for name in self._by_words if len(name) > 1 and name[-1] == last]
        return self.near(text) or longer[:NEAR_MAX]

    def about(self, text: str) -> list[Command]:
        """The commands of the running shell that have one of these words in a name or, failing that, in the summary."""
        asked = {_stem(word) for word in text.split() if word not in self.groups}
        shown = [entry for entry in self.commands if entry.where != "line"]

        def having(text_of: Callable[[Command], str], shortest: int) -> list[Command]:
            words = {word for word in asked if len(word) >= shortest}
            return [entry for entry in shown if not words.isdisjoint(map(_stem, text_of(entry).split()))]

        return having(lambda entry: " ".join((entry.name, *entry.aliases)), 2) or having(
            lambda entry: entry.summary, ABOUT_CHARS
        )

    # -- what a line is ------------------------------------------------------------------------------------------

    def route(self, line: str) -> Routed:
        """Decide what one line is. Never raises."""
        text = line.strip()
        if not text:
            return Routed("blank")
        if text[0] not in SLASHES + IME_SLASH or len(text.splitlines()) > 1:
            return Routed("text", text=text)
        if text[0] == IME_SLASH:
            return self._route_ime(text)
        if text[1:2] and text[1] in SLASHES:
            return Routed("text", text="/" + text[2:])
        first = text.split(maxsplit=1)[0]
        entry, _, _ = self.match(text[1:])
        if entry is None and (any(slash in first[1:] for slash in SLASHES) or _names_path(first)):
            return Routed("text", text=text)
        return self._route_command(text[1:])

    def _route_ime(self, text: str) -> Routed:
        """``、memory list`` is a command whose slash key gave another sign; ``、然后呢`` is text."""
        after = text[1:]
        if not after:
            return self._route_command("")  # a slash alone, with its hint
        if self.match(after)[0] is None and not (after[:1].isascii() and after[:1].isalpha() and self.near(after)):
            return Routed("text", text=text)
        return self._route_command(after)

    def _route_command(self, text: str) -> Routed:
        try:
            return Routed("command", call=self.parse(text))
        except UsageError as exc:
            return Routed("error", call=self._help_call(text), error=exc)

    def _help_call(self, text: str) -> Call | None:
        """The overview of a group, to follow the error when a word after the group's name looks like nothing known."""
        words = text.split()
        helper = self.get("help")
        entry, matched, rest = self.match(text)
        if helper is None or len(words) < 2 or entry is None or (matched,) not in self._defaults or self.near(text):
            return None
        return Call(helper, {"words": matched}) if rest and not rest.startswith("-") else None

    # -- what its words mean -------------------------------------------------------------------------------------

    def parse(self, text: str, *, start: str = "/") -> Call:
        """Read a line without its slash.

        Raises:
            UsageError: one line with what is wrong and the usage.
        """
        entry, matched, rest = self.match(text)
        if entry is None:
            raise self.unknown(text, start)
        if self.is_slip(matched.split(), rest.split()):
            raise self.unknown(text, start)
        try:
            return parse_arguments(entry, Line(rest))
        except UsageError as exc:
            raise UsageError(f"{exc} Usage: {entry.usage(start)}") from None

    def unknown(self, text: str, start: str = "/") -> UsageError:
        """The error for words that name no command, with the nearest names."""
        words = text.split()
        if not words:
            return UsageError(f"A command's name comes right after the slash. {start}help lists all commands.")
        group = _fold(words[0])
        typed = short(" ".join(words[:2]) if group in self.groups else words[0])
        own = self.get(words[0])
        if start != "/" and own is not None and own.where == "shell":
            return UsageError(f"/{own.name} is a command of the running shell: start {start.strip()}, then type it.")
        near = self.suggested(text)
        if start != "/":
            near = [name for name in near if self._by_words[tuple(name.split())].where != "shell"]
        if near:
            names = _either([start + name for name in near])
            return UsageError(f"Unknown command: {start}{typed}. Did you mean {names}?")
        if group in self.groups:
            helper = f"/help {group}" if start == "/" else f"{start}{group} --help"
            tail = f"{helper} lists what {start}{group} can do."
        elif start == "/":
            tail = f"/help lists all commands; //{short(words[0])} … sends it as text."
        else:
            tail = f"{start}--help lists all commands."
        return UsageError(f"Unknown command: {start}{typed}. {tail}")

    # -- what could come next ------------------------------------------------------------------------------------

    def complete(self, text: str, ctx: CommandContext, after: str = "") -> list[Completion]:
        """Suggestions for the text before the cursor; ``after`` is what stands behind it.

        Runs the completers of the arguments, which read the stores: call it in the thread that opened them.
        """
        shown = text.lstrip()
        if not shown or shown[0] not in SLASHES + IME_SLASH or "\n" in shown:
            return []
        offset = len(text) - len(shown) + 1
        blank = "" if after[:1].isspace() else " "
        typed = shown[1:]
        entry, matched, rest = self.match(typed)
        named = bool(rest) or (entry is not None and typed != typed.rstrip())
        if entry is None or not named or (self.has_below(matched) and not rest.startswith("-")):
            found = self._complete_name(typed, offset, blank, after)
            if found or entry is None or not named:
                return found
        return list(self._complete_argument(entry, rest, offset + len(typed) - len(rest), ctx, after))

    def _complete_name(self, typed: str, offset: int, blank: str, after: str) -> list[Completion]:
        """The next word of every name that starts with the words typed so far."""
        words = [_fold(word) for word in typed.split()]
        if typed[-1:].isspace() or not words:
            words.append("")
        start = offset + len(typed) - (len(typed.split()[-1]) if words[-1] else 0)
        found: dict[str, Completion] = {}
        for name, entry in self._by_words.items():
            if len(name) < len(words) or list(name[: len(words) - 1]) != words[:-1]:
                continue
            word = name[len(words) - 1]
            if not word.startswith(words[-1]) or (not words[-1] and entry.name != " ".join(name)):
                continue
            whole = len(name) == len(words)
            more = not whole or word in self.groups or bool(entry.params) or bool(after.strip())
            text = word + (blank if more else "")
            if whole or word not in found:
                about = entry.summary if entry.name == " ".join(name) else self._about(name[: len(words)], entry)
                found[word] = Completion(text, start, about)
        return list(found.values())

    def _about(self, words: tuple[str, ...], entry: Command) -> str:
        known = self._by_words.get(words)
        return known.summary if known else entry.summary

    def _complete_argument(
        self, entry: Command, rest: str, offset: int, ctx: CommandContext, after: str
    ) -> Iterable[Completion]:
        blank = "" if after[:1].isspace() else " "
        apart = blank if after else ""
        positionals, index, at = list(entry.arguments), 0, 0
        while True:
            lead = len(rest) - at - len(rest[at:].lstrip())
            at += lead
            piece = rest[at:]
            param = positionals[index] if index < len(positionals) else None
            if param and param.rest and not piece.startswith("-"):
                yield from _suggest(param, piece, offset + at, ctx, apart)
                return
            word, remainder = split_word(piece)
            taken = len(piece) - len(remainder)
            ended = taken < len(piece) or piece[:taken] != piece[:taken].rstrip()
            if piece.startswith("-") and (index == 0 or not entry.takes_text):
                option = next((o for o in entry.options if o.flag == word.partition("=")[0]), None)
                if not ended and option and "=" in word:
                    value = word.partition("=")[2]
                    yield from _suggest(option, value, offset + len(rest) - len(value), ctx, blank)
                    return
                if not ended:
                    yield from _options(entry, piece, offset + at, blank)
                    return
                at += taken
                if option and option.kind != "flag" and "=" not in word:
                    value, behind = split_word(rest[at:])
                    if not behind and not rest[at:].endswith(" "):
                        yield from _suggest(option, value, offset + at, ctx, blank)
                        return
                    at = len(rest) - len(behind)
                continue
            if param is None:
                return
            if not ended:
                yield from _suggest(param, piece, offset + at, ctx, blank)
                return
            at, index = at + taken, index + 1


def _fold(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


def _stem(word: str) -> str:
    return _fold(word).strip(".,;:…").removesuffix("s")


def _names_path(first: str) -> bool:
    """True when the word, or the part of it before the first character of another script, is a file or folder."""
    plain = first
    for at, char in enumerate(first):
        if not char.isascii():
            plain = first[:at]
            break
    return any(len(name) > 1 and os.path.lexists(name) for name in {first, plain} if "\0" not in name)


def _suggest(param: Param, typed: str, start: int, ctx: CommandContext, blank: str) -> Iterable[Completion]:
    if param.choices:
        for choice, about in zip_longest(param.choices, param.about_choices, fillvalue=""):
            if choice.startswith(typed.casefold()):
                yield Completion(choice + blank, start, about)
    elif param.complete is not None:
        for value, about in param.complete(ctx, typed):
            quoted = f'"{value}"' if " " in value and not param.rest else value
            yield Completion(quoted + blank, start, about)


def _options(entry: Command, typed: str, start: int, blank: str) -> Iterable[Completion]:
    for option in entry.options:
        if option.flag.startswith(typed):
            yield Completion(option.flag + blank, start, option.help)


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
