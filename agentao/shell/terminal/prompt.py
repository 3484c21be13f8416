"""The prompt: one line editor over the terminal, with history, completion and a toolbar."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import Completer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.key_binding.vi_state import InputMode
from prompt_toolkit.layout.layout import Layout
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.renderer import Renderer
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth, get_term_environment_variable

from agentao.shell.terminal.keys import bindings
from agentao.shell.terminal.settings import Terminal
from agentao.shell.terminal.signals import Ended
from agentao.shell.terminal.type_ahead import TerminalInput

PROMPT = "agentao> "

STYLE = Style.from_dict({"bottom-toolbar": "noreverse dim", "auto-suggestion": "fg:ansidefault dim"})
"""Attributes alone, which read on light and on dark ground."""

TOOLBAR_MIN_ROWS = 3
"""In a window of fewer rows the input takes them all."""

SEPARATOR = " · "

VI_MODES = {InputMode.NAVIGATION: "normal", InputMode.REPLACE: "replace", InputMode.REPLACE_SINGLE: "replace"}
ESCAPE_WAIT_S = 0.1
"""How long an Escape of a vi user may turn out to be the start of another key's code: vim's own recommendation."""


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

    def erase_down(self) -> None:
        """The row first, then the rest: tmux keeps a copy of a screen that is erased in one go from its first cell."""
        self.write_raw("\x1b[K\x1b[C\x1b[J\x1b[D")

    def disable_bracketed_paste(self) -> None:
        """Pastes stay marked between two prompts, for they may come at any time; ``Terminal`` ends it."""


class FollowingRenderer(Renderer):
    """Finds what it has drawn again after a terminal has wrapped it to a new width: else a part would stay behind.

    Asking the terminal for the cursor would be simpler, but not each answers.
    """

    def erase(self, leave_alternate_screen: bool = True) -> None:
        """Erase all that was drawn."""
        self._follow()
        super().erase(leave_alternate_screen)

    def render(self, app: Application[Any], layout: Layout, is_done: bool = False) -> None:
        """Draw, in place of what was drawn before."""
        self._follow()
        super().render(app, layout, is_done)

    def _follow(self) -> None:
        size = self.output.get_size()
        if self._last_screen is None or self._last_size is None or size == self._last_size:
            return
        from agentao.shell.terminal.reflow import cursor_after

        drawn = self._last_size.columns
        self._cursor_pos = cursor_after(self._last_screen, self._cursor_pos, drawn_columns=drawn, columns=size.columns)


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
        edit: Callable[[str], str | None],
        on_ready: Callable[[], None] = lambda: None,
        color: bool = True,
        vi_mode: bool = False,
        reflows: bool = False,
    ) -> None:
        """``on_ready`` is called once, when the first prompt has been drawn and takes keys.

        ``reflows``: the terminal wraps what stands on it anew when its width changes.
        """
        self._terminal = terminal
        self._input = keys_in
        self._toolbar = toolbar
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
            key_bindings=bindings(lambda: terminal.suspend(whole_group=True), edit),
            vi_mode=vi_mode,
            style=STYLE,
        )
        self._reflows = reflows
        self._follow_reflow(self._session)
        if vi_mode:
            self._session.app.ttimeoutlen = ESCAPE_WAIT_S
        self._session.app.before_render += self._lay_out
        self._on_ready = on_ready
        self._session.app.after_render += self._drawn
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
        self._follow_reflow(session)
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

    def _drawn(self, app: Application[str]) -> None:
        app.after_render -= self._drawn
        self._on_ready()

    def suggest_again(self) -> None:
        """Look once more for what could complete the input; from any thread."""
        self._in_loop(self._suggest)

    def _suggest(self) -> None:
        buffer = self._session.default_buffer
        context = self._session.app.context if self._asking is self._session else None
        chosen = buffer.complete_state and buffer.complete_state.current_completion
        if context is not None and self._types_a_command() and not chosen:
            buffer.complete_state = None  # with suggestions on the screen, none would be looked for
            context.copy().run(buffer.start_completion)

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

    def _follow_reflow(self, session: PromptSession[str]) -> None:
        if self._reflows:
            session.app.renderer = FollowingRenderer(session.app.renderer.style, self._output)

    def _lay_out(self, app: Application[str]) -> None:
        size = self._output.get_size()
        self._session.bottom_toolbar = self._bar(size.columns) if size.rows >= TOOLBAR_MIN_ROWS else None
        drawn = app.renderer.last_rendered_screen
        wanted = app.layout.container.preferred_height(size.columns, size.rows).preferred
        if drawn is not None and drawn.height > wanted and not app.is_done:
            app.renderer.erase()  # it never draws fewer rows than last time, and the toolbar would stay far below

    def _bar(self, columns: int) -> str:
        """What the toolbar says, without its last parts where the window is too narrow for them."""
        parts = self._toolbar().split(SEPARATOR)
        if self._session.editing_mode is EditingMode.VI:
            parts.insert(0, VI_MODES.get(self._session.app.vi_state.input_mode, "insert"))
        while len(parts) > 1 and get_cwidth(SEPARATOR.join(parts)) > columns:
            parts.pop()
        return SEPARATOR.join(parts)

    def _types_a_command(self) -> bool:
        return self._session.default_buffer.text.lstrip()[:1] in ("/", "／")
