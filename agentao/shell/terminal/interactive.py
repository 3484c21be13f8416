"""The shell on a terminal: prompt, type-ahead, toolbar, greeting, and the terminal left as it was found."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from agentao import __version__
from agentao.errors import AgentaoError, SensitiveMemoryError
from agentao.shell.app import Services, build_services
from agentao.shell.output import Output
from agentao.shell.repl import Done, Shell, route
from agentao.shell.terminal.screen import Screen
from agentao.shell.terminal.settings import Terminal
from agentao.shell.terminal.signals import Ended, handled_signals
from agentao.shell.terminal.spinner import ERASE_LINE
from agentao.shell.terminal.upkeep import Upkeep

if TYPE_CHECKING:
    from agentao.config import Settings
    from agentao.shell.command import Draft, Question, Routed

PRELOAD_AFTER_S = 0.2
"""From the drawn prompt on: the first key is echoed by then, and imports would compete with it for the interpreter."""

PRELOADED = (
    "agentao.memory.manager",
    "agentao.shell.commands",
    "agentao.shell.perform",
    "agentao.agent.agent",
    "agentao.agent.compaction",
    "agentao.memory.retriever",
    "agentao.shell.terminal.turn",
    "agentao.shell.views.render",
    "agentao.shell.terminal.markdown_stream",
)


def run_terminal(settings: Settings) -> int:
    """Talk with the user until they leave; 0, or the code of the signal that ended it."""
    terminal = Terminal(sys.stdin.fileno(), sys.stdout, escapes=not settings.dumb_terminal)
    screen = Screen(Output(settings, sys.stdout, sys.stderr, lend=terminal.lent))
    first_start = not settings.user_db.exists()
    services = build_services(settings)
    upkeep = Upkeep(services)
    idle = threading.Timer(PRELOAD_AFTER_S, _while_idle, (settings, upkeep))
    idle.daemon = True
    code = 0
    try:
        terminal.mark_pastes()
        if first_start:
            for line in greeting(services):
                screen.line(line)
        for notice in services.notices():
            screen.line(notice)
        if settings.dumb_terminal:
            from agentao.shell.terminal.plain import PlainConversation

            PlainConversation(services, screen, terminal).run()
        else:
            Conversation(services, screen, terminal, upkeep, on_ready=idle.start).run()
    except Ended as exc:
        code = int(exc.code or 0)
    finally:
        terminal.restore()
        idle.cancel()
        pending = services.leave()
    if pending and code == 0:
        from agentao.shell.commands.review import pending_line

        screen.note(pending_line(pending))
    if threading.active_count() > 1:  # what is under way would hold up, or be torn by, the interpreter's own end
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(code)
    return code


class Conversation:
    """Prompt after prompt."""

    def __init__(
        self,
        services: Services,
        screen: Screen,
        terminal: Terminal,
        upkeep: Upkeep,
        *,
        on_ready: Callable[[], None],
    ) -> None:
        """``on_ready`` is called when the first prompt has been drawn and takes keys."""
        from agentao.shell.terminal.completer import TableCompleter
        from agentao.shell.terminal.input_history import InputHistory
        from agentao.shell.terminal.prompt import Prompt
        from agentao.shell.terminal.type_ahead import TerminalInput

        settings = services.settings
        self._services = services
        self._screen = screen
        self._terminal = terminal
        self._upkeep = upkeep
        self._keys = TerminalInput(sys.stdin)
        self._shell = Shell(services, screen, ask=self._ask, edit=self._edit)
        self._history = InputHistory(settings.history_file, may_keep=self._holds_no_secret)
        self._toolbar = ""
        self._prompt = Prompt(
            terminal,
            self._keys,
            sys.stdout,
            history=self._history,
            completer=TableCompleter(self._shell.ctx),
            toolbar=lambda: self._toolbar,
            edit=self._edit_input,
            on_ready=on_ready,
            color=settings.color,
            vi_mode=settings.vi_mode,
            reflows=settings.reflows,
        )
        self._shell.ctx.state.suggest_again = self._prompt.suggest_again

    def run(self) -> None:
        """Until the user leaves or a signal ends it."""
        if self._history.problem:
            self._screen.line(self._history.problem)
        draft = ""
        with handled_signals(self._prompt, self._terminal):
            self._terminal.quiet()
            self._screen.write(ERASE_LINE)  # the terminal has echoed what was typed before
            while True:
                self._toolbar = toolbar(self._services)
                try:
                    with self._upkeep.waiting():
                        line = self._prompt.read(draft)
                except EOFError:
                    return
                done = self._take(route(line))
                if done.leave:
                    return
                draft = done.draft

    def _take(self, routed: Routed) -> Done:
        """Carry out a line. What is typed while the model works is the next draft; else it waits for the prompt."""
        if routed.kind != "text" and not (routed.call and routed.call.command.busy):
            return self._shell.carry_out(routed)
        ahead: list[bytes] = []
        with self._keys.read_ahead(ahead):
            self._shell.carry_out(routed)
        return Done(draft=self._keys.draft_of(ahead))

    def _ask(self, question: Question) -> bool:
        self._screen.line(question.text)
        return self._prompt.confirm(question.ask)

    def _edit(self, draft: Draft) -> str | None:
        from agentao.shell.terminal.programs import edit_text

        return edit_text(draft.text, self._services.settings.editor, suffix=draft.suffix, lend=self._terminal.lent)

    def _edit_input(self, text: str) -> str | None:
        from agentao.shell.command import Draft

        try:
            return self._edit(Draft(text, "text"))
        except AgentaoError as exc:
            self._screen.error(exc)
            return None

    def _holds_no_secret(self, text: str) -> bool:
        try:
            self._services.manager.guard.check_secrets(text)
        except SensitiveMemoryError:
            return False
        return True


def toolbar(services: Services) -> str:
    """Model, share of the context window, number of memories, and what is not as usual."""
    marks: list[str] = []
    if not services.memory_on:
        marks.append("memory off")
    if not services.persistent:
        marks.append("not saved to disk")
    try:
        memories = _counted(services.memory_count(), "memory", "memories")
    except AgentaoError:
        memories = "memories unknown"
    return " · ".join(
        [*marks, services.model_name or "the server's model", f"context {services.context_share:.0%}", memories]
    )


def greeting(services: Services) -> list[str]:
    """Three lines for whoever is here for the first time."""
    settings = services.settings
    if settings.offline:
        model = 'No model is connected; a simple assistant answers. Say "hello" to learn more.'
    else:
        model = f"Answers come from {services.model_name or 'the model'} at {settings.model.base_url or 'OpenAI'}."
    return [
        f'agentao {__version__} remembers: say "remember that I prefer nvim" and ask another day.',
        model,
        "/help shows all commands, Tab completes them, Ctrl-D leaves.",
    ]


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _while_idle(settings: Settings, upkeep: Upkeep) -> None:
    _preload(settings)
    upkeep.run()


def _preload(settings: Settings) -> None:
    """Import what the first message needs, while the user types."""
    # Whoever needs what is missing will say so; the other two come of an import that Ctrl-C tore in the main thread.
    with suppress(ImportError, AttributeError, KeyError):
        for name in PRELOADED:
            import_module(name)
        if not settings.offline:
            from agentao.agent.openai_client import preload

            preload()
