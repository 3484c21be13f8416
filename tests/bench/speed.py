"""Time and memory of one store of a given size, each operation beside what a plain SQLite program would take."""

from __future__ import annotations

import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentao.memory import (
    MemoryGuard,
    MemoryManager,
    MemoryRecord,
    MemoryRetriever,
    SaveMemoryRequest,
    SQLiteMemoryStore,
)
from tests.bench.baselines import Fts5
from tests.bench.made import memory
from tests.bench.table import Row, p95, times_ms

QUESTIONS = 50
NEW = 10_000_000
"""Numbers of the memories that are saved while measuring begin here."""

FIRST = """
import json, resource, sys, time
from agentao.memory import MemoryManager, MemoryRetriever, SQLiteMemoryStore
import agentao.memory.retriever, agentao.memory.manager
start = time.perf_counter()
manager = MemoryManager(project_store=SQLiteMemoryStore.open(sys.argv[1]))
found = MemoryRetriever(manager).recall_candidates(sys.argv[2], top_k=10)
took = (time.perf_counter() - start) * 1e3
print(json.dumps([took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(found)]))
"""


def measure(size: int) -> list[Row]:
    """Rows: operation, its time in milliseconds, the baseline, the baseline's time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        _fill(path, size)
        questions = [memory(number * size // QUESTIONS).question for number in range(QUESTIONS)]
        fts5 = Fts5([f"{one.key} {one.value}" for one in map(memory, range(size))])
        manager = MemoryManager(project_store=SQLiteMemoryStore.open(path))
        rows: list[Row] = [["operation", "ms", "baseline", "ms of it"]]
        rows += _recall(manager, questions, fts5)
        rows += _first(path, questions[0])
        rows += _saves(manager, Path(folder))
        rows += _lists(manager, path, size)
        manager.close()
        fts5.close()
    return rows


def _fill(path: Path, size: int) -> None:
    guard, start = MemoryGuard(), datetime.now(UTC)
    store = SQLiteMemoryStore.open(path)
    records = []
    for number in range(size):
        made = memory(number)
        key, title = guard.normalize_key(made.key), guard.validate_title(made.key)
        stamp = (start - timedelta(days=365 * (number * 7919 % size) / size)).isoformat(timespec="microseconds")
        records.append(
            MemoryRecord(
                id=f"{number:08x}",
                scope="project",
                type=guard.classify_type(key, made.tags),
                key_normalized=key,
                title=title,
                content=made.value,
                tags=made.tags,
                keywords=guard.extract_keywords(title, made.tags, made.value),
                created_at=stamp,
                updated_at=stamp,
            )
        )
    store.upsert_many(records)
    store.close()


def _recall(manager: MemoryManager, questions: list[str], fts5: Fts5) -> list[Row]:
    retriever = MemoryRetriever(manager)
    for question in questions[:5]:
        retriever.recall_candidates(question, top_k=10)
    warm = times_ms(lambda n: retriever.recall_candidates(questions[n], top_k=10), QUESTIONS)
    plain = times_ms(lambda n: fts5.recall(questions[n], 10), QUESTIONS)

    def save_and_ask(number: int) -> None:
        start = time.perf_counter()
        retriever.recall_candidates(questions[0], top_k=10)
        after.append((time.perf_counter() - start) * 1e3)

    after: list[float] = []
    for number in range(5):
        made = memory(NEW - 1 - number)
        manager.upsert(SaveMemoryRequest(made.key, made.value, made.tags))
        save_and_ask(number)
    again = times_ms(lambda _: retriever.recall_candidates(questions[0], top_k=10), 5)
    return [
        ["recall, warm, p95", p95(warm), "FTS5 OR in memory, p95", p95(plain)],
        ["recall, warm, median", statistics.median(warm), "FTS5 OR in memory, median", statistics.median(plain)],
        ["recall right after a save", statistics.median(after), "the same question, warm", statistics.median(again)],
    ]


def _first(path: Path, question: str) -> list[Row]:
    runs = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", FIRST, str(path), question], capture_output=True, text=True, check=True
        )
        runs.append(json.loads(done.stdout))
    took, peak, _ = min(runs)
    opened = times_ms(lambda _: _count(path), 3)
    return [
        ["first recall in a process", float(took), "open and count with sqlite3", min(opened)],
        ["its peak memory, MiB", float(peak), "", ""],
    ]


def _count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM memories").fetchone()[0])


def _saves(manager: MemoryManager, folder: Path) -> list[Row]:
    made = [
        replace(memory(NEW + number), value=memory(NEW + number).value.ljust(200, "x")[:200]) for number in range(60)
    ]
    long = [" ".join(memory(NEW - 100 * (number + 2) - one).value for one in range(100)) for number in range(20)]
    plain = sqlite3.connect(folder / "plain.db", isolation_level=None)
    plain.execute("PRAGMA journal_mode=WAL")
    plain.execute("PRAGMA synchronous=FULL")
    plain.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)")
    saved: list[float] = []
    inserted: list[float] = []
    for one in made:  # in turn, so that a slow spell of the disk meets both
        saved += times_ms(lambda _, one=one: manager.upsert(SaveMemoryRequest(one.key, one.value, one.tags)), 1)
        inserted += times_ms(lambda _, one=one: plain.execute("INSERT INTO notes (body) VALUES (?)", (one.value,)), 1)
    large = times_ms(lambda n: manager.upsert(SaveMemoryRequest(f"long note {n}", long[n][:8_000])), len(long))
    plain.close()
    return [
        ["save of 200 characters, median", statistics.median(saved), "one fsync'd INSERT", statistics.median(inserted)],
        ["save of 8,000 characters, median", statistics.median(large), "of 200 characters", statistics.median(saved)],
    ]


def _lists(manager: MemoryManager, path: Path, size: int) -> list[Row]:
    store = manager.stores[0]
    rare = next(word for word in memory(size // 2).value.split() if "_" in word or "-" in word or "/" in word)
    acts = [
        ("search, a common word", lambda: manager.search("service", limit=50), "service"),
        ("search, a rare name", lambda: manager.search(rare, limit=50), rare),
        ("search, a Chinese word", lambda: manager.search("数据库", limit=50), "数据库"),
        ("search, nothing", lambda: manager.search("zzqqxx", limit=50), "zzqqxx"),
    ]
    rows: list[Row] = []
    with closing(sqlite3.connect(path)) as plain:
        sql = "SELECT id FROM memories WHERE instr(lower(title || content), ?) AND deleted_at IS NULL LIMIT 50"
        for name, act, word in acts:
            taken = times_ms(lambda _, act=act: act(), 5)
            other = times_ms(lambda _, word=word: plain.execute(sql, (word,)).fetchall(), 5)
            rows.append([name, statistics.median(taken), "instr() over all rows", statistics.median(other)])
    tag = memory(size // 2).tags[-1]
    for name, act in (
        ("tag filter", lambda: manager.filter_by_tag(tag)),
        ("stable entries", lambda: manager.get_stable_entries()),
        ("list of 50", lambda: store.records(newest_first=True, limit=50)),
    ):
        rows.append([name, statistics.median(times_ms(lambda _, act=act: act(), 5)), "", ""])
    return rows
