"""Looks at a store's file without making, changing or locking anything: for the doctor."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from agentao.errors import StoreError
from agentao.memory import db


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """What was seen. ``problem`` is one sentence, or empty; a file that is not there yet is no problem."""

    path: Path
    exists: bool
    writable: bool = False
    memories: int = 0
    size_bytes: int = 0
    problem: str = ""


def look_at(path: Path) -> StoreHealth:
    """Check one file: is it there, whole, and writable for this user."""
    if not path.exists():
        folder = next((p for p in path.parents if p.exists()), path.parent)
        if os.access(folder, os.W_OK | os.X_OK):
            return StoreHealth(path, False, True)
        return StoreHealth(path, False, problem=f"{folder} cannot be written, so {path.name} cannot be made there.")
    if not path.is_file():
        return StoreHealth(path, True, problem=f"{path} is no file.")
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)
    try:
        size = path.stat().st_size
        with db.translate(path), closing(db.connect(_read_only(path), uri=True)) as conn:
            found = str(conn.execute("PRAGMA quick_check(1)").fetchone()[0])
            if found != "ok":
                return StoreHealth(path, True, writable, 0, size, f"{path} is damaged ({found}).")
            tables = {row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if "memories" not in tables:
                return StoreHealth(path, True, writable, 0, size)
            count = int(conn.execute("SELECT count(*) FROM memories WHERE deleted_at IS NULL").fetchone()[0])
    except (StoreError, OSError, sqlite3.Error) as error:
        return StoreHealth(path, True, writable, problem=str(error))
    problem = "" if writable else f"{path} cannot be written; new memories would last for one run only."
    return StoreHealth(path, True, writable, count, size, problem)


def _read_only(path: Path) -> str:
    """An address for sqlite that opens the file as it is; without a log beside it nothing is made beside it either."""
    log = path.with_name(path.name + "-wal")
    unlogged = not log.exists() or log.stat().st_size == 0
    return f"file:{quote(str(path.absolute()))}?mode=ro" + ("&immutable=1" if unlogged else "")
