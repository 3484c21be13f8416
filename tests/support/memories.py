"""Managers over real stores in a temporary folder, a clock that the test moves, and raw looks into the files."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agentao.errors import AgentaoError, StoreError
from agentao.memory.crystallizer import proposal_fingerprint
from agentao.memory.manager import MemoryManager
from agentao.memory.models import MemoryProposal, MemoryRecord, SaveMemoryRequest
from agentao.memory.store import SQLiteMemoryStore

START = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


class TestClock:
    """Stands still until it is moved; with ``step`` it moves by that many seconds at each look."""

    __test__ = False

    def __init__(self, step: float = 0.0, start: datetime = START) -> None:
        self.present = start
        self.step = step

    def __call__(self) -> datetime:
        self.present += timedelta(seconds=self.step)
        return self.present

    def move(self, **delta: float) -> None:
        self.present += timedelta(**delta)


class Place:
    """One home and one project; every manager is a shell started there."""

    def __init__(self, folder: Path, clock: TestClock | None = None) -> None:
        self.user_file = folder / "home" / ".agentao" / "memory.db"
        self.project_file = folder / "project" / ".agentao" / "memory.db"
        self.clock = clock or TestClock(step=0.001)
        self._open: list[MemoryManager] = []

    def start(self, project: Path | None = None, **options: Any) -> MemoryManager:
        """A shell: its own connections, its own session."""
        manager = MemoryManager(
            SQLiteMemoryStore.open_or_memory(project or self.project_file, clock=self.clock),
            SQLiteMemoryStore.open_or_memory(self.user_file, clock=self.clock),
            clock=self.clock,
            **options,
        )
        self._open.append(manager)
        return manager

    def close(self) -> None:
        for manager in self._open:
            manager.close()


@contextmanager
def opened(folder: Path, clock: TestClock | None = None) -> Iterator[Place]:
    place = Place(folder, clock)
    try:
        yield place
    finally:
        place.close()


def rows(path: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """What another program reads from the file."""
    with closing(sqlite3.connect(path)) as conn:
        return conn.execute(sql, values).fetchall()


def change(path: Path, sql: str, *values: object) -> None:
    """What another program writes into the file."""
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute(sql, values)


def all_bytes(folder: Path) -> bytes:
    """Every byte of every file below a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def say(key: str, value: str, tags: list[str] | None = None, **more: Any) -> SaveMemoryRequest:
    return SaveMemoryRequest(key, value, tags, **more)


def at_once(*jobs: Callable[[], object]) -> list[object]:
    """Run the jobs in threads that start together; each one's result, or the error it raised."""
    start = threading.Barrier(len(jobs))

    def run(job: Callable[[], object]) -> object:
        start.wait()
        try:
            return job()
        except AgentaoError as exc:
            return exc

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))


def contents(records: Sequence[MemoryRecord]) -> list[str]:
    return [record.content for record in records]


def proposal(content: str, key: str = "package_manager", **more: Any) -> MemoryProposal:
    """A proposal as the crystallizer makes them."""
    fields: dict[str, Any] = {
        "type": "preference",
        "scope": "project",
        "key_normalized": key,
        "title": key.replace("_", " ").capitalize(),
        "content": content,
        "tags": [],
        "evidence": content,
        "source_session": "",
    }
    return MemoryProposal(**(fields | more))


class ListedCrystallizer:
    """Proposes what stands in the messages: each user message is one statement ``key: content``."""

    def extract_from_user_messages(self, messages: list[Any], session_id: str) -> list[MemoryProposal]:
        found: dict[str, MemoryProposal] = {}
        for message in messages:
            key, _, content = message["content"].partition(": ")
            mark = proposal_fingerprint(content)
            times = 1 + (found[mark].occurrences if mark in found else 0)
            found[mark] = proposal(content, key, source_session=session_id, occurrences=times)
        return list(found.values())


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


class FailingStore(SQLiteMemoryStore):
    """A store whose disk is full."""

    failing = True

    def write(self, record: MemoryRecord, event_type: str, **more: Any) -> None:
        if self.failing:
            raise StoreError("The disk is full; nothing was written.")
        super().write(record, event_type, **more)

    def clear_summaries(self, session_id: str | None = None) -> int:
        if self.failing:
            raise StoreError("The disk is full; nothing was written.")
        return super().clear_summaries(session_id)


def event_types(manager: MemoryManager, target: str | None = None) -> list[str]:
    return [event.event_type for event in reversed(manager.history(target))]
