"""How a store's file is found, made and opened, in every state a file may be in."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

from agentao.errors import StoreError
from agentao.memory import db, migrations

FOLDER_MODE = 0o700
FILE_MODE = 0o600


@dataclass(slots=True)
class Opened:
    """An open connection and what there is to say about it."""

    conn: sqlite3.Connection
    path: Path | None
    journal_mode: str
    persistent: bool = True
    problem: str | None = None
    notices: list[str] = field(default_factory=list)


def open_file(path: Path) -> Opened:
    """Open, or make, the file at ``path`` for reading and writing. Raises the ``StoreError`` family."""
    make_folder(path.parent)
    make_file(path)
    with db.translate(path):
        conn = db.connect(str(path))
    try:
        with db.translate(path):
            mode = db.set_durable(conn)
            migrations.migrate(conn)
    except StoreError:
        conn.close()
        raise
    return Opened(conn, path, mode)


def open_memory(problem: str | None = None, path: Path | None = None) -> Opened:
    """A store without a file, that lasts as long as the process."""
    conn = db.connect(":memory:")
    migrations.migrate(conn)
    return Opened(conn, path, "memory", persistent=False, problem=problem)


def open_or_memory(path: Path) -> Opened:
    """As ``open_file``; where that cannot be, a store for this run only that says why."""
    try:
        return open_file(path)
    except StoreError as exc:
        return open_memory(f"{exc} New memories last for this run only.", path)


def make_folder(folder: Path) -> None:
    """Make ``folder`` (and what is missing above it), for this user alone."""
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as exc:
        raise StoreError(f"The folder {folder} cannot be made: {exc.strerror or exc}.") from exc


def make_file(path: Path) -> None:
    """Make an empty file with the right mode before SQLite does: the mode of ``-wal`` and ``-shm`` follows from it."""
    with contextlib.suppress(FileExistsError):
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE)
        except FileExistsError:
            raise
        except OSError as exc:
            raise StoreError(f"The file {path} cannot be made: {exc.strerror or exc}.") from exc
        os.close(handle)


def copy_to(conn: sqlite3.Connection, path: Path) -> None:
    """A consistent copy of an open database as one new file for this user alone. Raises: ``StoreError``."""
    if path.exists() or path.is_symlink():
        raise StoreError(f"{path} exists already; nothing was written. Name a new file.")
    make_file(path)
    try:
        with db.translate(path), contextlib.closing(sqlite3.connect(path, isolation_level=None)) as copy:
            conn.backup(copy)
            # One file that can be moved: without the log that WAL would want beside it.
            copy.execute("PRAGMA journal_mode=DELETE")
    except StoreError:
        path.unlink(missing_ok=True)
        raise
