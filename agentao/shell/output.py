"""Where results and errors are written: tables for terminals, whole lines for pipes, JSON where it was asked for."""

from __future__ import annotations

import io
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TextIO

from agentao.errors import AgentaoError

if TYPE_CHECKING:
    from rich.console import Console

    from agentao.config import Settings
    from agentao.shell.results import Result
    from agentao.shell.terminal.programs import Lend

PIPE_WIDTH = 1_000_000
"""A console for a pipe breaks no line."""


class Output:
    """One standard output and one standard error. rich is imported when the first result is shown."""

    def __init__(
        self,
        settings: Settings | None,
        out: TextIO,
        err: TextIO,
        *,
        json: bool = False,
        plain: bool = False,
        line: bool = False,
        lend: Lend = nullcontext,
    ) -> None:
        """``plain`` writes to a terminal as to a pipe; ``line`` names commands as the command line has them."""
        self.color = settings.color if settings else False
        self.dumb = settings.dumb_terminal if settings else True
        self.pager = settings.pager if settings else ""
        self.out, self.err = out, err
        self.json = json
        self.plain = plain
        self.line = line
        self.lend = lend

    @property
    def terminal(self) -> bool:
        """True when a person looks at standard output."""
        try:
            return not self.plain and self.out.isatty()
        except ValueError:
            return False

    def console(self, file: TextIO | None = None) -> Console:
        """A console for standard output (or ``file``) as it is now, in its present width."""
        from rich.console import Console

        plain = not self.terminal
        columns, rows = self._dumb_size()
        return Console(
            file=file or self.out,
            force_terminal=not plain,
            color_system="auto" if self.color and not plain else None,
            no_color=not self.color,
            width=PIPE_WIDTH if plain else columns,
            height=rows,
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=plain,
            legacy_windows=False,
        )

    def _dumb_size(self) -> tuple[int | None, int | None]:
        """The size of a dumb terminal, for which rich takes 80 columns unless told both; None leaves it to rich."""
        if not self.dumb or not self.terminal:
            return None, None
        try:
            columns, rows = os.get_terminal_size(self.out.fileno())
        except (OSError, ValueError):
            return None, None
        return columns or None, rows or None

    def result(self, result: Result, *, page: bool = False) -> None:
        """Show a result; with ``page`` in the pager, if a person looks."""
        if self.json:
            from agentao.shell.json_view import dumps, to_json

            self.write(dumps(to_json(result), ascii_only=not self.unicode))
            return
        from agentao.shell.results import Exported
        from agentao.shell.views.render import render

        if isinstance(result, Exported) and result.path is None and not self.terminal:
            self.write("\n".join(result.lines))
            return
        console = self.console()
        width = console.width if self.terminal else None
        if page and self.terminal and self._page(render(result, width, named=self.named), console):
            return
        whole = isinstance(result, Exported)
        shown = render(result, width, place=self.terminal and not self.dumb, named=self.named)
        console.print(shown, soft_wrap=whole or width is None)

    def _page(self, renderable: Any, console: Console) -> bool:
        from agentao.shell.terminal.programs import page_text

        buffer = io.StringIO()
        paper = self.console(buffer)
        paper.width = console.width
        paper.print(renderable)
        return page_text(buffer.getvalue(), self.pager, lend=self.lend)

    def named(self, text: str) -> str:
        """The program's own words, with commands named as they are typed here."""
        if not self.line:
            return text
        from agentao.shell.command_line import as_typed
        from agentao.shell.commands import TABLE

        return as_typed(text, TABLE)

    @property
    def unicode(self) -> bool:
        """True when standard output takes every character."""
        return (getattr(self.out, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")

    def write(self, text: str) -> None:
        """Plain text, as it is, in lines of its own."""
        if text:
            self.out.write(text + "\n")
        self.out.flush()

    def error(self, error: AgentaoError) -> None:
        """One line on standard error."""
        from agentao.memory.text import visible

        self.out.flush()
        if self.json:
            from agentao.shell.json_view import dumps, error_json

            self.err.write(dumps(error_json(error, self.named(str(error))), ascii_only=True) + "\n")
        else:
            self.err.write(visible(self.named(" ".join(str(error).split()))) + "\n")
        self.err.flush()
