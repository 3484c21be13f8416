"""The terminal's own settings: quiet between two prompts, and as they were found after every way of ending.

While a reply or a command runs, keys are neither echoed nor gathered into lines, so that what is typed ahead can be
read as it came; Ctrl-C and Ctrl-Z stay signals, and pastes stay marked as such.
"""

from __future__ import annotations

import os
import signal
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

BRACKETED_PASTE_ON = "\x1b[?2004h"
BRACKETED_PASTE_OFF = "\x1b[?2004l"
SHOW_CURSOR = "\x1b[?25h"

_IFLAG, _LFLAG, _CC = 0, 3, 6


class Terminal:
    """One terminal, from the start of the program to its end. ``escapes=False`` writes no escape code to it."""

    def __init__(self, input_fd: int, output: TextIO, *, escapes: bool = True) -> None:
        self._fd = input_fd
        self._output = output
        self._escapes = escapes
        self._found = self._attributes()
        self._no_key = bytes([os.fpathconf(input_fd, "PC_VDISABLE") & 0xFF]) if self._found else b""

    def mark_pastes(self) -> None:
        """From here on a paste is known as one, also while the prompt is still on its way."""
        self._write(BRACKETED_PASTE_ON)

    def quiet(self) -> None:
        """No echo, no line editing, marked pastes; signals stay on."""
        if self._found is None or not self._escapes:
            return
        attributes = [*self._found[:_CC], list(self._found[_CC])]
        attributes[_IFLAG] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
        attributes[_LFLAG] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        attributes[_LFLAG] |= termios.ISIG | termios.NOFLSH  # a Ctrl-C throws away neither keys nor half-written codes
        attributes[_CC][termios.VMIN] = 1
        attributes[_CC][termios.VTIME] = 0
        attributes[_CC][termios.VQUIT] = self._no_key  # Ctrl-\ would end the program with a core dump
        self._set(attributes)
        self._write(BRACKETED_PASTE_ON)

    def restore(self) -> None:
        """Everything as it was found. Safe to call twice, and on a terminal that is gone."""
        self._write(BRACKETED_PASTE_OFF + SHOW_CURSOR)
        if self._found is not None:
            self._set(self._found)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """For another program (an editor, a pager) or a stop: restored, and quiet again afterwards."""
        self.restore()
        try:
            yield
        finally:
            self.quiet()

    def suspend(self, *, whole_group: bool) -> None:
        """Stop as Ctrl-Z asks, with the terminal as it was found; returns when the user brings the program back.

        ``whole_group`` stops those that started this program too, where the key reached this process alone.
        """
        with self.lent():
            previous = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(0 if whole_group else os.getpid(), signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, previous)

    def _attributes(self) -> list[Any] | None:
        try:
            return termios.tcgetattr(self._fd)
        except (termios.error, OSError, ValueError):
            return None

    def _set(self, attributes: list[Any]) -> None:
        try:
            termios.tcsetattr(self._fd, termios.TCSANOW, attributes)
        except (termios.error, OSError):
            self._found = None  # the terminal is gone

    def _write(self, codes: str) -> None:
        if not self._escapes:
            return
        try:
            self._output.write(codes)
            self._output.flush()
        except (OSError, ValueError):
            self._escapes = False
