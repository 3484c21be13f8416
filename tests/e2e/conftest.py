"""The real program with a home and a project of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.terminal import Terminal

Start = Callable[..., Terminal]


@pytest.fixture
def home(empty_home: Path) -> Path:
    return empty_home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project's folder, marked as one."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def start(home: Path, project: Path) -> Iterator[Start]:
    """Starts the program in a terminal; whatever still runs at the end is ended."""
    started: list[Terminal] = []

    def begin(*words: str, cwd: Path = project, ready: bool = True, **options: object) -> Terminal:
        from tests.support.terminal import AGENTAO

        term = Terminal((*AGENTAO, *words), home=home, cwd=cwd, **options)  # type: ignore[arg-type]
        started.append(term)
        if ready:
            term.prompt()
        return term

    yield begin
    for term in started:
        term.child.close(force=True)


def rows(database: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    """What a database holds, read by another connection."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(sql, values).fetchall()


def live(database: Path) -> list[tuple[object, ...]]:
    """Key and content of the live memories in a database, oldest first."""
    return rows(
        database, "SELECT key_normalized, content FROM memories WHERE deleted_at IS NULL ORDER BY created_at, id"
    )
