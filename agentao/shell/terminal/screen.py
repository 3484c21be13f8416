"""What the running shell shows: answers, results, notes and errors, around whatever is drawn provisionally."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from agentao.errors import AgentaoError
from agentao.memory.text import strip_controls, strip_invisible, visible
from agentao.shell.output import Output
from agentao.shell.terminal.spinner import Spinner

if TYPE_CHECKING:
    from agentao.shell.results import Result

DIM = "dim"

SHORT_CHARS = 40
"""A longer line may have to be wrapped between words."""


class Screen:
    """One terminal, or two pipes: then answers go to the one and everything about them to the other."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.terminal = output.terminal
        self.escapes = self.terminal and not output.dumb
        """False for a terminal that understands no escape code."""
        self.hidden: Callable[[], AbstractContextManager[None]] = nullcontext
        """Entered around everything that is printed; whoever draws a spinner hides it there."""

    def show(self, result: Result, *, page: bool = False) -> None:
        """Show what a command answered."""
        with self.hidden():
            self.output.result(result, page=page)

    @contextmanager
    def busy(self, label: str) -> Iterator[None]:
        """While this holds, show that something goes on, if there is a word for it."""
        if not label or not self.escapes:
            yield
            return
        spinner = Spinner(self.output.out)
        self.hidden = spinner.hidden
        try:
            with spinner.running(label):
                yield
        finally:
            self.hidden = nullcontext

    def write(self, text: str) -> None:
        """Text that is clean already."""
        with self.hidden():
            self.output.out.write(text)
            self.output.out.flush()

    def line(self, text: str, style: str = "") -> None:
        """A line or a few of the program's own words, which may quote others."""
        shown = visible(self.output.named(text))
        styled = bool(style) and self.escapes and self.output.color
        if not self.terminal or (not styled and len(shown) <= SHORT_CHARS):
            self.write(shown + "\n")
        elif not styled and shown.isascii():
            self.write(wrapped(shown, self._columns()) + "\n")  # rich would make every start wait for its import
        else:
            from rich.text import Text

            with self.hidden():
                self.output.console().print(Text(shown, style=style))

    def note(self, text: str) -> None:
        """A line beside the answers."""
        if self.terminal:
            self.line(text, DIM)
        else:
            self._complain(text)

    def error(self, error: AgentaoError) -> None:
        """One line that says what went wrong."""
        if self.terminal:
            from agentao.shell.views.colors import BAD

            self.line(" ".join(str(error).split()), BAD)
        else:
            self.output.error(error)

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self.output.out.fileno()).columns
        except (OSError, ValueError):
            return 80

    def _complain(self, text: str) -> None:
        self.output.err.write(visible(self.output.named(text)) + "\n")
        self.output.err.flush()


def wrapped(text: str, columns: int) -> str:
    """The lines of a plain text, broken between words; a word that is too long, such as a path, is left whole."""
    lines: list[str] = []
    for line in text.split("\n"):
        row = ""
        for word in line.split(" "):
            if row and len(row) + 1 + len(word) > columns:
                lines.append(row)
                row = word
            else:
                row = f"{row} {word}" if row else word
        lines.append(row)
    return "\n".join(lines)


class CleanText:
    """Takes an answer's pieces and gives text that steers no terminal: nothing invisible, no control but line breaks.

    The last letter waits for the next piece, with what stands behind it: only then is it known whether a joiner belongs
    to an emoji, and a carriage return to a line break.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """The part of the text so far that is certain."""
        text = self._held + text
        at = len(text) - 1
        while at > 0 and (text[at - 1] == "\r" or not (text[at].isalnum() or text[at].isspace())):
            at -= 1
        self._held = text[max(at, 0) :]
        return _clean(text[: max(at, 0)])

    def finish(self) -> str:
        """The rest."""
        rest, self._held = _clean(self._held), ""
        return rest


def _clean(text: str) -> str:
    return strip_invisible(strip_controls(text))
