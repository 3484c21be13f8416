"""The prompt: one line editor over the terminal, with history, completion and a toolbar."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import Completer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_term_environment_variable

from agentao.shell.terminal.keys import bindings
from agentao.shell.terminal.settings import Terminal
from agentao.shell.terminal.signals import Ended
from agentao.shell.terminal.type_ahead import TerminalInput

PROMPT = "agentao> "

STYLE = Style.from_dict({"bottom-toolbar": "noreverse dim", "auto-suggestion": "dim"})
"""Attributes alone, which read on light and on dark ground."""


class TerminalOutput(Vt100_Output):
    """Asks the terminal nothing: a plain pseudo-terminal would not answer.

    The room below the cursor, which is otherwise asked for, is taken to be one row; the toolbar then stands right below
    the input.
    """

    def __init__(self, stdout: TextIO, get_size: Callable[[], Size], **options: Any) -> None:
        super().__init__(stdout, get_size, enable_cpr=False, **options)

    def get_rows_below_cursor_position(self) -> int:
        """At least one: the row of the cursor."""
        return 1

    def disable_bracketed_paste(self) -> None:
        """Pastes stay marked between two prompts, for they may come at any time; ``Terminal`` ends it."""


class Prompt:
    """Reads what the user types; only for a terminal that understands escape codes."""

    def __init__(
        self,
        terminal: Terminal,
        keys_in: TerminalInput,
        stdout: TextIO,
        *,
        history: History,
        completer: Completer,
        toolbar: Callable[[], str],
        color: bool = True,
        vi_mode: bool = False,
    ) -> None:
        self._terminal = terminal
        self._input = keys_in
        self._output = TerminalOutput.from_pty(
            stdout,
            term=get_term_environment_variable(),
            default_color_depth=None if color else ColorDepth.DEPTH_1_BIT,
        )
        self._session: PromptSession[str] = PromptSession(
            PROMPT,
            input=self._input,
            output=self._output,
            history=history,
            completer=completer,
            complete_while_typing=Condition(self._types_a_command),
            auto_suggest=AutoSuggestFromHistory(),
            key_bindings=bindings(lambda: terminal.suspend(whole_group=True)),
            bottom_toolbar=toolbar,
            enable_open_in_editor=True,
            vi_mode=vi_mode,
            style=STYLE,
        )
        self._asking: PromptSession[str] | None = None

    def read(self, draft: str = "") -> str:
        """What the user sends; ``draft`` stands there from the start.

        Raises:
            EOFError: Ctrl-D on empty input, or the terminal is gone.
            Ended: a signal asked the program to end.
        """
        return self._run(self._session, PROMPT, default=draft)

    def confirm(self, question: str) -> bool:
        """Ask a question that only a clear yes answers with yes."""
        from agentao.shell.perform import means_yes

        session: PromptSession[str] = PromptSession(input=self._input, output=self._output)
        try:
            answer = self._run(session, f"{question} [y/N] ")
        except (EOFError, KeyboardInterrupt):
            return False
        return means_yes(answer)

    def _run(self, session: PromptSession[str], message: str, **options: Any) -> str:
        self._asking = session
        self._terminal.quiet()  # what the prompt finds is what it leaves behind
        try:
            return session.prompt(message, set_exception_handler=False, **options)
        finally:
            self._asking = None

    # -- what signals ask for ----------------------------------------------------------------------------------------

    def end(self, reason: Ended) -> bool:
        """Leave the prompt by raising ``reason`` from it; False when there is none."""
        return self._in_loop(lambda: self._leave(reason))

    def stop(self) -> bool:
        """Stop the process, as Ctrl-Z does; False when there is no prompt."""
        return self._in_loop(lambda: run_in_terminal(lambda: self._terminal.suspend(whole_group=False)))

    def _in_loop(self, do: Callable[[], object]) -> bool:
        loop: asyncio.AbstractEventLoop | None = self._asking.app.loop if self._asking else None
        if loop is None or not loop.is_running():
            return False
        loop.call_soon_threadsafe(do)
        return True

    def _leave(self, reason: Ended) -> None:
        app = self._asking.app if self._asking else None
        if app is not None and app.is_running and not app.is_done:
            app.exit(exception=reason)

    def _types_a_command(self) -> bool:
        return self._session.default_buffer.text.lstrip()[:1] in ("/", "／")
