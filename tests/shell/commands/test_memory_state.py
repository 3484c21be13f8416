"""What /memory status and /memory why say of recall's index."""

from __future__ import annotations

from pathlib import Path

from agentao.memory.models import MemoryRecord
from agentao.memory.recall.index import STEP_RECORDS
from agentao.shell import results
from tests.support.shell_context import Bench, open_bench

REST = 200


def unread(bench: Bench, line: str) -> int:
    result = bench.run(line)
    if isinstance(result, results.Status):
        return result.recall.unread
    assert isinstance(result, results.Why)
    return result.unread


def test_memories_that_are_not_indexed_yet_are_counted(tmp_path: Path) -> None:
    """Both say how many memories recall cannot look at now; every question makes them fewer, until there are none."""
    bench = open_bench(tmp_path)
    store = bench.manager.stores[0]
    many = STEP_RECORDS + REST
    store.upsert_many(
        MemoryRecord(f"id{n:05}", "project", "note", f"key_{n}", f"Note {n}", f"the zebra of fence {n}")
        for n in range(many)
    )
    with store.exclusive() as conn:
        conn.execute("UPDATE recall_meta SET value = 'other' WHERE key = 'format'")

    assert unread(bench, "/memory status") == many
    assert unread(bench, "/memory why which zebra?") == REST
    assert unread(bench, "/memory status") == REST
    assert unread(bench, "/memory why 斑马在哪里") == 0
    assert unread(bench, "/memory status") == 0
    bench.manager.close()
