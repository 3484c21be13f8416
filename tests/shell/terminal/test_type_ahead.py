"""What keys make up when nothing is sent."""

from __future__ import annotations

import os
import pty
import signal
from collections.abc import Iterator

import pytest

from agentao.shell.terminal.type_ahead import TerminalInput

CASES = [
    ("hello", "hello"),
    ("one\rtwo\r", "one\ntwo"),
    ("typo\x7fed", "typed"),
    ("one\x1b\rtwo", "one\ntwo"),
    ("a\x1b[Ab\x1b[Dc", "abc"),
    ("tab\there", "tab\there"),
    ("\x1b[200~x\r\ny\rz\n\x1b[201~!", "x\ny\nz!"),
    ("你好\x7f们", "你们"),
    ("\x04\x0c\x00", ""),
]


@pytest.fixture
def keys() -> Iterator[tuple[TerminalInput, int]]:
    """A key reader on a pseudo-terminal, and the other end of it."""
    master, slave = pty.openpty()
    with os.fdopen(slave, encoding="utf-8") as stdin:
        yield TerminalInput(stdin), master
    os.close(master)


@pytest.mark.parametrize(("typed", "draft"), CASES)
def test_keys_typed_ahead_make_a_draft(keys: tuple[TerminalInput, int], typed: str, draft: str) -> None:
    """Enter breaks the line, Backspace takes back, a paste is taken whole, other special keys do nothing."""
    reader, _ = keys
    data = typed.encode()
    assert reader.draft_of([data]) == draft
    assert reader.draft_of([data[at : at + 1] for at in range(len(data))]) == draft


def test_a_paste_that_is_not_finished_goes_on_at_the_prompt(keys: tuple[TerminalInput, int]) -> None:
    """The part of a paste that came during a reply is put together with the part that comes later."""
    reader, _ = keys
    assert reader.draft_of([b"\x1b[200~first half, "]) == ""
    (press,) = reader.keys_of("second half 你\x1b[201~".encode())
    assert press.data == "first half, second half 你"


def test_a_terminal_that_goes_away_is_told(keys: tuple[TerminalInput, int]) -> None:
    """Where reading ends because the terminal is gone, the main thread gets SIGHUP."""
    master, slave = pty.openpty()
    told: list[int] = []
    previous = signal.signal(signal.SIGHUP, lambda number, frame: told.append(number))
    try:
        with os.fdopen(slave, encoding="utf-8") as stdin:
            reader = TerminalInput(stdin)
            with reader.read_ahead([]):
                os.close(master)
                while not told:
                    pass
    finally:
        signal.signal(signal.SIGHUP, previous)
    assert told == [signal.SIGHUP]
