"""The waiting sign: short, in the terminal's encoding, and gone without a trace."""

from __future__ import annotations

import io

from agentao.shell.terminal.spinner import BRAILLE, ERASE_LINE, PLAIN, Spinner


def stream(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)


def test_it_counts_the_seconds_of_each_word() -> None:
    """The seconds start anew with another word, and not with the same one."""
    now = [100.0]
    spinner = Spinner(stream("utf-8"), clock=lambda: now[0])
    spinner.say("waiting")
    now[0] = 107.4
    spinner.say("waiting")
    assert spinner.frame(0) == f"{BRAILLE[0]} waiting 7 s"
    spinner.say("writing")
    assert spinner.frame(1) == f"{BRAILLE[1]} writing 0 s"


def test_it_needs_no_character_that_the_terminal_lacks() -> None:
    """Where the terminal does not speak UTF-8 the signs are plain."""
    assert Spinner(stream("cp1252")).frame(0)[0] == PLAIN[0]


def test_it_leaves_nothing_behind() -> None:
    """After its end the last thing written erases its line; inactive, it writes nothing at all."""
    out = stream("utf-8")
    spinner = Spinner(out)
    with spinner.running("waiting"):
        while not out.buffer.getvalue():  # type: ignore[attr-defined]
            pass
    written = out.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert "waiting" in written
    assert written.endswith(ERASE_LINE)

    silent = stream("utf-8")
    with Spinner(silent, active=False).running("waiting"):
        pass
    assert silent.buffer.getvalue() == b""  # type: ignore[attr-defined]
