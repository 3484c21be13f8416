"""What is typed or pasted while a reply runs: read at once, and kept as the draft of the next prompt.

Reading at once matters: a terminal holds only a few kilobytes, and what pastes more would wait or lose the rest.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.input.typeahead import get_typeahead
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

READ_MAX_BYTES = 65_536

ALT_ENTER = Keys.ControlF15
ANSI_SEQUENCES["\x1b\r"] = ALT_ENTER
"""One key, under a name that no terminal uses: as the beginning of two keys, a vi user's Escape would have to wait."""


class TerminalInput(Vt100Input):
    """The prompt's key reader, which can also be given bytes that were read elsewhere."""

    def __init__(self, stdin: TextIO) -> None:
        super().__init__(stdin)
        self._fd = stdin.fileno()

    def keys_of(self, data: bytes) -> list[KeyPress]:
        """The keys in ``data``. A character or a paste that is not finished yet goes on at the next prompt."""
        self.vt100_parser.feed(self.stdin_reader._stdin_decoder.decode(data))
        keys, self._buffer = self._buffer, []
        return keys

    @contextmanager
    def read_ahead(self, ahead: list[bytes]) -> Iterator[None]:
        """While this holds, everything that arrives is appended to ``ahead``.

        When the terminal goes away, the main thread gets the signal that says so.
        """
        wake_read, wake_write = os.pipe()
        thread = threading.Thread(target=self._read_until, args=(wake_read, ahead), name="type-ahead", daemon=True)
        thread.start()
        try:
            yield
        finally:
            os.write(wake_write, b"x")
            thread.join()
            os.close(wake_read)
            os.close(wake_write)

    def _read_until(self, wake: int, ahead: list[bytes]) -> None:
        while True:
            ready, _, _ = select.select([self._fd, wake], [], [])
            if self._fd not in ready:
                return
            try:
                data = os.read(self._fd, READ_MAX_BYTES)
            except OSError:
                data = b""
            if not data:
                main = threading.main_thread().ident
                if main is not None and sys.platform != "win32":
                    signal.pthread_kill(main, signal.SIGHUP)
                return
            ahead.append(data)

    def draft_of(self, ahead: Iterable[bytes]) -> str:
        """The text that these bytes, and the keys pressed right after Enter, make up when nothing is sent."""
        keys = get_typeahead(self)
        for data in ahead:
            keys += self.keys_of(data)
        return text_of(keys)


def pasted(data: str) -> str:
    """A paste as it is put at the end of the input: a line end at its end is no line of its own."""
    return data.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def text_of(keys: Iterable[KeyPress]) -> str:
    """The text that these keys type: Enter breaks the line, Backspace takes back; all other special keys do nothing."""
    typed: list[str] = []
    for press in keys:
        if press.key == Keys.BracketedPaste:
            typed += pasted(press.data)
        elif press.key in (Keys.ControlM, Keys.ControlJ, ALT_ENTER):
            typed.append("\n")
        elif press.key == Keys.ControlI:
            typed.append("\t")
        elif press.key in (Keys.ControlH, Keys.Backspace):
            del typed[-1:]
        elif not isinstance(press.key, Keys) and press.key.isprintable():
            typed.append(press.key)
    return "".join(typed).rstrip("\n")
