"""A short moving sign, with the seconds, on a line of its own while nothing else is to be seen."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

BRAILLE = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
PLAIN = "-\\|/"
TICK_S = 0.12
ERASE_LINE = "\r\x1b[K"


class Spinner:
    """Drawn by a thread of its own; whoever prints hides it first.

    The line stays shorter than any window, so that it never wraps: what has wrapped cannot be erased for sure.
    """

    def __init__(self, output: TextIO, *, active: bool = True, clock: Callable[[], float] = time.monotonic) -> None:
        self._output = output
        self._clock = clock
        self._active = active
        self._frames = BRAILLE if (output.encoding or "").lower().startswith("utf") else PLAIN
        self._label = ""
        self._began = 0.0
        self._shown = False
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def running(self, label: str) -> Iterator[Spinner]:
        """Turn from here on; gone without a trace at the end."""
        self._over.clear()
        self.say(label)
        if self._active:
            self._thread = threading.Thread(target=self._turn, name="spinner", daemon=True)
            self._thread.start()
        try:
            yield self
        finally:
            self._over.set()
            with self._lock:
                self._erase()
            if self._thread is not None:
                self._thread.join()
                self._thread = None

    def say(self, label: str) -> None:
        """Show this word from now on, and count its seconds from zero."""
        with self._lock:
            if label != self._label or not self._began:
                self._label, self._began = label, self._clock()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """For whoever prints. The text printed must end with a line break, else nothing may be drawn after it."""
        with self._lock:
            self._erase()
            yield

    def frame(self, tick: int) -> str:
        """What is drawn at one tick."""
        return f"{self._frames[tick % len(self._frames)]} {self._label} {self._clock() - self._began:.0f} s"

    def _turn(self) -> None:
        tick = 0
        while not self._over.wait(TICK_S):
            with self._lock:
                if not self._over.is_set() and not self._write("\r" + self.frame(tick) + "\x1b[K"):
                    return
                self._shown = True
            tick += 1

    def _erase(self) -> None:
        if self._shown:
            self._write(ERASE_LINE)
            self._shown = False

    def _write(self, text: str) -> bool:
        try:
            self._output.write(text)
            self._output.flush()
        except (OSError, ValueError):
            return False
        return True
