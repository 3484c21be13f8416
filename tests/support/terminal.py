"""Drives the real program in a pseudo-terminal and keeps what a person would see: a screen and its scroll-back.

    with Terminal(home=home, cwd=project) as term:
        term.prompt()
        term.enter("/memory list")
        term.prompt()
        assert "No memories yet" in term.text

Every wait has a limit and fails with the whole log. Nothing here answers a question that the program may put to the
terminal: it must not need one.
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pexpect
import pyte

ROOT = Path(__file__).parents[2]
AGENTAO = (sys.executable, "-P", "-m", "agentao")
WAIT_S = 20.0
TOOLBAR = " · context "
ESCAPE = re.compile(r"\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78])")
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
HOME, END = "\x1b[H", "\x1b[F"
CTRL_C, CTRL_D, CTRL_L, CTRL_Z, TAB, ESC, BACKSPACE = "\x03", "\x04", "\x0c", "\x1a", "\t", "\x1b", "\x7f"


def environment(home: Path, **extra: str) -> dict[str, str]:
    """All that the program's environment holds. It names the project: a folder above might be marked as one, too."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "AGENTAO_PROJECT": ".",
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        **extra,
    }


def model(base_url: str) -> dict[str, str]:
    """The variables that connect the program to a server."""
    return {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": base_url, "OPENAI_MODEL": "fake-model"}


def paste(text: str) -> str:
    """``text`` as a terminal hands a paste on."""
    return f"\x1b[200~{text}\x1b[201~"


def _default_signals() -> None:
    """What the tests' own start may have set to be ignored (``nohup``, a job in the background) must not count."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP):
        signal.signal(number, signal.SIG_DFL)


class Terminal:
    """One program in one pseudo-terminal of ``rows`` × ``columns``."""

    def __init__(
        self,
        argv: Sequence[str] = AGENTAO,
        *,
        home: Path,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        rows: int = 24,
        columns: int = 80,
    ) -> None:
        self.screen = pyte.HistoryScreen(columns, rows, history=20_000, ratio=0.5)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self._mark = 0
        self.child = pexpect.spawn(
            argv[0],
            list(argv[1:]),
            env=environment(home, **(env or {})),
            cwd=str(cwd),
            dimensions=(rows, columns),
            timeout=WAIT_S,
            preexec_fn=_default_signals,
        )
        self.child.delaybeforesend = None

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)

    # -- what is sent ------------------------------------------------------------------------------------------------

    def send(self, keys: str | bytes) -> None:
        """Press keys. What is seen from here on counts as new."""
        self._drain()
        self._mark = len(self.raw)
        data = keys.encode("utf-8", "surrogateescape") if isinstance(keys, str) else keys
        while data:
            # A long paste is taken in pieces, and read meanwhile, or both sides wait for each other.
            _, writable, _ = select.select([], [self.child.child_fd], [], 0)
            if writable:
                data = data[os.write(self.child.child_fd, data[:1024]) :]
            self._read(0)

    def enter(self, line: str) -> None:
        """Type a line and press Enter."""
        self.send(line + "\r")

    def resize(self, rows: int, columns: int) -> None:
        """Change the size of the window."""
        self._drain()
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def reflow(self, rows: int, columns: int) -> None:
        """Change the size of the window as a terminal does that wraps old lines anew, and takes the cursor along."""
        self._drain()
        wrapped: list[dict[int, pyte.screens.Char]] = []
        cursor = 0
        for y in range(self.screen.lines):
            cells = [self.screen.buffer[y][x] for x in range(self.screen.columns)]
            used = max((x + 1 for x, cell in enumerate(cells) if cell.data != " "), default=0)
            wrapped.append({})
            for x, cell in enumerate(cells[:used]):
                if len(wrapped[-1]) + (2 if cells[x + 1 : x + 2] and not cells[x + 1].data else 1) > columns:
                    wrapped.append({})
                wrapped[-1][len(wrapped[-1])] = cell
                if (y, x) <= (self.screen.cursor.y, self.screen.cursor.x):
                    cursor = len(wrapped) - 1
            if y == self.screen.cursor.y and not used:
                cursor = len(wrapped) - 1
        while len(wrapped) > cursor + 1 and not wrapped[-1]:
            wrapped.pop()
        above = max(0, len(wrapped) - rows)
        self.screen.resize(rows, columns)
        self.screen.erase_in_display(2)
        for row in wrapped[:above]:
            self.screen.history.top.append(self._row(row))
        for y, row in enumerate(wrapped[above:]):
            self.screen.buffer[y].update(row)
        self.screen.cursor.y, self.screen.cursor.x = max(0, cursor - above), min(self.screen.cursor.x, columns - 1)
        self.child.setwinsize(rows, columns)

    def _row(self, cells: dict[int, pyte.screens.Char]) -> dict[int, pyte.screens.Char]:
        line = pyte.screens.StaticDefaultDict(self.screen.default_char)
        line.update(cells)
        return line

    def kill(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self.child.kill(number)

    # -- what is seen ------------------------------------------------------------------------------------------------

    @property
    def display(self) -> list[str]:
        """The lines on the screen."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def lines(self) -> list[str]:
        """Scroll-back and screen, without the empty rows below."""
        width = self.screen.columns
        above = ["".join(row[x].data for x in range(width)).rstrip() for row in self.screen.history.top]
        return "\n".join([*above, *self.display]).rstrip("\n").split("\n")

    @property
    def text(self) -> str:
        """Scroll-back and screen as one text."""
        return "\n".join(self.lines)

    @property
    def new(self) -> str:
        """What came since the last keys, without escape codes."""
        return ESCAPE.sub("", self.raw[self._mark :].decode("utf-8", "replace")).replace("\r", "")

    def wait(self, seen: Callable[[], bool], what: str = "what was waited for") -> None:
        """Read until ``seen()``."""
        deadline = time.monotonic() + WAIT_S
        while not seen():
            if time.monotonic() > deadline or not self._read(0.05):
                if seen():
                    return
                raise AssertionError(f"{what} did not come.\n{self.report()}")

    def see(self, text: str) -> None:
        """Wait until ``text`` has come since the last keys."""
        self.wait(lambda: text in self.new, repr(text))

    def prompt(self) -> None:
        """Wait until the program asks for input (anew, since the last keys)."""
        self.wait(self._is_asking, "the prompt")

    def draft(self) -> str:
        """What stands at the prompt, unsent; its rows are joined by line breaks."""
        rows = self.display
        start = max((index for index, row in enumerate(rows) if row.startswith("agentao>")), default=0)
        end = next((i for i in range(start + 1, len(rows)) if TOOLBAR in rows[i]), len(rows))
        return "\n".join(rows[start:end]).removeprefix("agentao>").removeprefix(" ").rstrip("\n")

    def end(self) -> int:
        """Wait until the program has ended and all it wrote is read; its exit code (128 + n for signal n)."""
        self.wait(lambda: not self._read(0.05), "the end")
        self.child.wait()
        return int(self.child.exitstatus) if self.child.exitstatus is not None else 128 + int(self.child.signalstatus)

    def report(self) -> str:
        """All there is to know when something went wrong."""
        shown = "\n".join(f"|{line}" for line in self.display)
        return f"The screen:\n{shown}\nThe last bytes:\n{self.raw[-3000:]!r}"

    def _is_asking(self) -> bool:
        """The toolbar was drawn, which happens once for each prompt, and the cursor stands in its input."""
        asked = any(row.startswith("agentao>") for row in self.display[: self.screen.cursor.y + 1])
        return TOOLBAR in self.new and asked

    def _drain(self) -> None:
        while select.select([self.child.child_fd], [], [], 0)[0] and self._read(0):
            pass

    def _read(self, seconds: float) -> bool:
        """Take what is there; False when the program's side is closed."""
        if not select.select([self.child.child_fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.child.child_fd, 65_536)
        except OSError:
            return False
        if not data:
            return False
        self.raw += data
        self._stream.feed(data)
        return True
