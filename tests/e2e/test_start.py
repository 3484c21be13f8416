"""The start: what is there before the prompt, and what waits until it takes keys."""

from __future__ import annotations

import sys
from pathlib import Path

from agentao.memory.models import MemoryRecord
from agentao.memory.recall import index
from agentao.memory.store import SQLiteMemoryStore
from tests.e2e.conftest import Start, rows
from tests.support.terminal import CTRL_D, Terminal


def test_what_the_first_message_needs_is_imported_behind_the_prompt(home: Path, project: Path) -> None:
    """UX: no import that the prompt does not need keeps it waiting; those of the first message come by themselves."""
    argv = (sys.executable, "-P", "-X", "importtime", "-m", "agentao")
    with Terminal(argv, home=home, cwd=project) as term:
        term.see("rich.markdown")
        seen = term.new
    before = seen[: seen.index("agentao>")]
    assert "agentao.shell.terminal.prompt" in before
    for module in ("agentao.memory.guard", "agentao.agent.turns", "rich.markdown"):
        assert module not in before and module in seen, module


def test_a_missing_index_is_made_behind_the_prompt(start: Start, project: Path) -> None:
    """Nobody has to ask first, nor to wait: the shell takes keys at once, and leaves whole what it was at."""
    database = project / ".agentao" / "memory.db"
    many = index.STEP_RECORDS + 500
    with SQLiteMemoryStore.open(database) as store:
        store.upsert_many(
            MemoryRecord(f"id{n:05}", "project", "note", f"key_{n}", f"Note {n}", f"斑马住在 {n} 号围栏")
            for n in range(many)
        )
        with store.exclusive() as conn:
            conn.execute("UPDATE recall_meta SET value = 'other' WHERE key = 'format'")
    term = start()
    term.wait(lambda: rows(database, "SELECT value FROM recall_meta WHERE key = 'format'") == [(index.FORMAT,)])
    term.wait(lambda: rows(database, "SELECT count(*) FROM recall_dirty") == [(0,)])
    term.enter("/memory status")
    term.prompt()
    assert f"{many:,} memories" in term.new
    assert "not indexed yet" not in term.new
    term.send(CTRL_D)
    assert term.end() == 0
    with SQLiteMemoryStore.open(database) as store, store.exclusive() as conn:
        assert index.check(conn) == (True, True)
        assert index.whole(conn)
