"""The shell on a terminal that understands no escape code: lines as the terminal itself edits them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from agentao.shell.app import Services
from agentao.shell.perform import means_yes
from agentao.shell.repl import Shell
from agentao.shell.terminal.screen import Screen
from agentao.shell.terminal.settings import Terminal
from agentao.shell.terminal.signals import Ended, handled_signals

if TYPE_CHECKING:
    from agentao.shell.command import Draft, Question

PROMPT = "agentao> "


class PlainConversation:
    """Prompt after prompt, without any drawing."""

    def __init__(self, services: Services, screen: Screen, terminal: Terminal) -> None:
        self._services = services
        self._screen = screen
        self._terminal = terminal
        self._shell = Shell(services, screen, ask=self._ask, edit=self._edit)

    def run(self) -> None:
        """Until the user leaves or a signal ends it."""
        with handled_signals(self, self._terminal):
            while (line := self._read(PROMPT)) is not None:
                if self._shell.handle(line).leave:
                    return
        self._screen.write("\n")

    def end(self, reason: Ended) -> bool:
        """No event loop runs here."""
        return False

    def stop(self) -> bool:
        """No event loop runs here."""
        return False

    def _read(self, prompt: str) -> str | None:
        """One line; None at the end of the input. Ctrl-C drops what was typed and asks anew."""
        while True:
            try:
                self._screen.write(prompt)
                line = sys.stdin.buffer.readline()
            except KeyboardInterrupt:
                self._screen.write("\n")
                continue
            except OSError:
                return None
            return line.decode("utf-8", "replace").rstrip("\r\n") if line else None

    def _ask(self, question: Question) -> bool:
        self._screen.line(question.text)
        self._screen.write(f"{question.ask} [y/N] ")
        try:
            return means_yes(sys.stdin.buffer.readline().decode("utf-8", "replace"))
        except KeyboardInterrupt:
            return False

    def _edit(self, draft: Draft) -> str | None:
        from agentao.shell.terminal.programs import edit_text

        return edit_text(draft.text, self._services.settings.editor, suffix=draft.suffix, lend=self._terminal.lent)
