"""The log file: where tracebacks go, and nothing that must stay secret.

It is made at the first line written to it, readable by its owner alone, and set aside as ``.1`` when it is full.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

log = logging.getLogger(__name__)

LOG_MAX_BYTES = 1_000_000
KEY_MIN_CHARS = 4
"""A shorter key is a placeholder for a local server; hiding it would hide words."""
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class LogFile(logging.Handler):
    """Writes records whose text went through ``mask`` first. A file that cannot be written loses the line, no more."""

    def __init__(self, path: Path, mask: Callable[[str], str]) -> None:
        super().__init__(logging.WARNING)
        self.setFormatter(logging.Formatter(FORMAT))
        self._path = path
        self._mask = mask

    def emit(self, record: logging.LogRecord) -> None:
        """Append one record."""
        line = self._mask(self.format(record)).encode("utf-8", "backslashreplace") + b"\n"
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._path.exists() and self._path.stat().st_size + len(line) > LOG_MAX_BYTES:
                self._path.replace(self._path.with_name(self._path.name + ".1"))
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                os.write(handle, line)
            finally:
                os.close(handle)


def log_to(path: Path, mask: Callable[[str], str]) -> None:
    """Send what any part of the program logs to this file, and nothing of it to the terminal."""
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler, LogFile):
            root.removeHandler(handler)
    root.addHandler(LogFile(path, mask))
    logging.captureWarnings(True)
    threading.excepthook = _thread_failed
    sys.unraisablehook = _unraisable


def _thread_failed(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and args.exc_type is not SystemExit:
        log.error("a thread failed", exc_info=args.exc_value)


def _unraisable(args: sys.UnraisableHookArgs) -> None:
    log.error("%s %r", args.err_msg or "ignored an exception in", args.object, exc_info=args.exc_value)


def masking(api_key: str) -> Callable[[str], str]:
    """A mask for the key in use, and for everything that looks like a secret."""

    def mask(text: str) -> str:
        from agentao.memory.guard import MemoryGuard  # a start that has nothing to log does not wait for it

        if len(api_key) >= KEY_MIN_CHARS:
            text = text.replace(api_key, "[key]")
        return MemoryGuard().mask_secrets(text)

    return mask
