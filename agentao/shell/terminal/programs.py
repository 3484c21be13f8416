"""Other programs on the user's terminal: the editor and the pager. The terminal is lent to them while they run."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from agentao.errors import UsageError

Lend = Callable[[], AbstractContextManager[object]]
"""Puts the terminal back as it was found for as long as the other program runs."""

EDITORS = ("nano", "vim", "vi")
PAGERS = ("less", "more")


def edit_text(text: str, editor: str = "", *, suffix: str = ".md", lend: Lend = nullcontext) -> str | None:
    """The text as it came back from the user's editor; None when it was not changed.

    Raises:
        UsageError: no editor could be run, or it ended with a fault.
    """
    command = _command(editor, EDITORS)
    if not command:
        raise UsageError("No editor was found. Set EDITOR to the one you like, for example EDITOR=nano.")
    with tempfile.TemporaryDirectory(prefix="agentao-") as folder:
        draft = Path(folder) / f"text{suffix}"
        draft.touch(mode=0o600)
        draft.write_text(text if text.endswith("\n") or not text else text + "\n", encoding="utf-8")
        try:
            with lend(), _their_ctrl_c():
                ended = subprocess.run([*command, str(draft)], check=False).returncode
        except OSError as exc:
            raise UsageError(f"The editor {command[0]} cannot be run: {exc.strerror}. Set EDITOR to another.") from None
        try:
            back = draft.read_text(encoding="utf-8", errors="replace")
        except OSError:
            back = None
    changed = back is not None and back.rstrip("\n") != text.rstrip("\n")
    if ended != 0:
        kept = keep_text(back, suffix) if back is not None and changed else ""
        raise UsageError(f"The editor {command[0]} ended with code {ended}; nothing was changed. {kept}".rstrip())
    if back is None:
        raise UsageError("The editor left no text behind; nothing was changed.")
    return back if changed else None


def keep_text(text: str, suffix: str = ".md") -> str:
    """Put a text that was written in vain into a file of this user's alone; the sentence that names it."""
    try:
        handle, path = tempfile.mkstemp(prefix="agentao-", suffix=suffix)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as exc:
        return f"Your text could not be kept ({exc.strerror})."
    return f"Your text is kept in {path}."


def page_text(text: str, pager: str = "", *, lend: Lend = nullcontext) -> bool:
    """Show text in the user's pager; False when none could be run."""
    command = _command(pager, PAGERS)
    if not command:
        return False
    if Path(command[0]).name == "less" and not any(word.startswith("-") and "R" in word for word in command[1:]):
        command.append("-R")
    try:
        with lend(), _their_ctrl_c():
            subprocess.run(command, input=text, encoding="utf-8", errors="replace", check=False)
    except OSError:
        return False
    return True


@contextmanager
def _their_ctrl_c() -> Iterator[None]:
    """Ctrl-C is for the program that has the terminal: here it must neither end that program nor be a key later."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    wakeup = signal.set_wakeup_fd(-1)
    previous = signal.signal(signal.SIGINT, lambda number, frame: None)  # to ignore it would be inherited
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
        signal.set_wakeup_fd(wakeup)


def _command(named: str, usual: tuple[str, ...]) -> list[str]:
    if named.strip():
        try:
            return shlex.split(named)
        except ValueError:
            return [named.strip()]
    return next(([found] for name in usual if (found := shutil.which(name))), [])
