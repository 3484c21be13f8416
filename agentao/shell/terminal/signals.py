"""What the signals of a terminal's life mean: end in order, stop and come back, never a terminal left in disorder."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Ended(SystemExit):
    """A signal asked the program to end; ``code`` is what shells report for that signal."""


class Interruptible(Protocol):
    """Whoever waits for keys in an event loop, which must be left or paused in the loop's own way."""

    def end(self, reason: Ended) -> bool:
        """Leave the loop by raising ``reason`` from it; False when no loop runs."""
        ...

    def stop(self) -> bool:
        """Stop the process from within the loop; False when no loop runs."""
        ...


class Suspendable(Protocol):
    """The terminal."""

    def suspend(self, *, whole_group: bool) -> None:
        """Stop the process, with the terminal as it was found meanwhile."""
        ...


@contextmanager
def handled_signals(prompt: Interruptible, terminal: Suspendable) -> Iterator[None]:
    """While this holds, a signal to end raises ``Ended`` in the main thread, so that every clean-up runs.

    A signal that was ignored at the start (``nohup``) stays ignored, but for Ctrl-C: whoever has a terminal may use it.
    """

    def end(number: int, frame: FrameType | None) -> None:
        reason = Ended(128 + number)
        if not prompt.end(reason):
            raise reason

    def stop(number: int, frame: FrameType | None) -> None:
        if not prompt.stop():
            terminal.suspend(whole_group=False)

    handlers = dict.fromkeys(ENDING_SIGNALS, end) | {signal.SIGTSTP: stop}
    found = {number: signal.getsignal(number) for number in handlers}
    found[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, handler in handlers.items():
        if found[number] is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, previous in found.items():
            signal.signal(number, previous)


@contextmanager
def interrupt_held() -> Iterator[None]:
    """Ctrl-C takes effect when this ends, so that what is done here is done whole; a second one takes effect at once.

    Only for the main thread, and for what takes a moment.
    """
    struck = False

    def hold(number: int, frame: FrameType | None) -> None:
        nonlocal struck
        struck = True
        signal.signal(signal.SIGINT, previous)

    previous = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
        if struck:
            signal.raise_signal(signal.SIGINT)
