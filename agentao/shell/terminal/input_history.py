"""The lines typed so far, kept in the home folder for the arrow keys, the search and the suggestions.

Blank input and input with a secret in it is never written. A file that cannot be used costs a warning and no more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from prompt_toolkit.history import History

from agentao.shell.terminal.streams import whole_text

READ_MAX_BYTES = 1_000_000
"""The newest part of the file that is read; a start must not grow with a lifetime of typing."""
FILE_MAX_BYTES = 4_000_000
ENTRY_MAX_CHARS = 16_000
"""A longer entry, a pasted document, is remembered for this run only."""


class InputHistory(History):
    """The format is prompt_toolkit's: a ``#`` line with the time, then each line of the entry behind a ``+``."""

    def __init__(self, path: Path, *, may_keep: Callable[[str], bool]) -> None:
        """``may_keep`` says of an entry whether it may be written to the disk."""
        super().__init__()
        self._path = path
        self._may_keep = may_keep
        self.problem = ""
        try:
            os.close(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600))
        except OSError as exc:
            self._fail(exc)

    def load_history_strings(self) -> Iterable[str]:
        """The entries, newest first."""
        return [] if self.problem else reversed(self._read())

    def append_string(self, string: str) -> None:
        """Remember an entry, unless it is blank."""
        if string.strip():
            super().append_string(whole_text(string))

    def store_string(self, string: str) -> None:
        """Write an entry to the file, if it may stand there."""
        if self.problem or len(string) > ENTRY_MAX_CHARS or not self._may_keep(string):
            return
        lines = "".join(f"+{line}\n" for line in string.split("\n"))
        try:
            self._write(f"\n# {datetime.now().astimezone().isoformat(' ')}\n{lines}".encode())
        except OSError as exc:
            self._fail(exc)

    def _read(self) -> list[str]:
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - READ_MAX_BYTES))
                data = file.read()
            if size > FILE_MAX_BYTES:
                self._shorten(data)
        except OSError as exc:
            self._fail(exc)
            return []
        return _entries(data.decode("utf-8", "replace").replace("\0", "\ufffd"), cut=size > READ_MAX_BYTES)

    def _shorten(self, newest: bytes) -> None:
        """Keep the part that is read anyway. Another shell's line may be lost in this instant, which is no harm."""
        short = self._path.with_name(self._path.name + ".new")
        handle = os.open(short, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(newest)
        short.replace(self._path)

    def _write(self, data: bytes) -> None:
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, data)
        finally:
            os.close(handle)

    def _fail(self, exc: OSError) -> None:
        self.problem = (
            f"The input history {self._path} cannot be used ({exc.strerror or exc}); "
            "what you type is remembered for this run only."
        )


def _entries(text: str, *, cut: bool) -> list[str]:
    """Oldest first. What is no entry, as in a damaged file, is passed over."""
    entries: list[str] = []
    lines: list[str] = []
    for line in (*text.split("\n"), ""):
        if line.startswith("+"):
            lines.append(line[1:].rstrip("\r"))
        elif lines:
            entries.append("\n".join(lines))
            lines = []
    return entries[1:] if cut else entries
