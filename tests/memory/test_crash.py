"""What was acknowledged is on the disk, whatever happens to the process next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from agentao.memory.store import SQLiteMemoryStore
from tests.support.stores import rows

ROOT = Path(__file__).parents[2]
ROUNDS = 250


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_no_acknowledged_save_is_lost_when_writers_are_killed(tmp_path: Path) -> None:
    """Writers killed at hundreds of random moments lose nothing they told of and leave nothing half done."""
    path = tmp_path / "memory.db"
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.writers", "crash", str(path), "20260102", str(ROUNDS)],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=280,
        check=True,
    )
    told = set(json.loads(done.stdout)["acknowledged"])
    assert len(told) > ROUNDS, "the writers got to write"

    files = [file for file in tmp_path.iterdir() if file.suffix == ".db"]
    seen: Counter[str] = Counter()
    for file in files:
        with SQLiteMemoryStore.open(file) as store:
            assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            newest = {}
            for event in store.events(newest_first=False):
                after = event.detail["after"]
                seen[after["content"].strip()] += 1
                newest[event.memory_id] = after
            records = [*store.records(), *store.records(deleted=True)]
            assert {r.id: (r.content, r.deleted_at) for r in records} == {
                key: (after["content"], after["deleted_at"]) for key, after in newest.items()
            }, "a row and its event are written together"
            live = {r.id for r in store.records()}
            assert {r.id for r in store.filter_by_tag("alpha")} == live
            assert not store.has_unseen()
    assert told - set(seen) == set(), "acknowledged and gone"
    assert [token for token, count in seen.items() if count != 1] == [], "written twice"


def test_the_log_of_a_killed_writer_is_read_by_the_next_one(tmp_path: Path) -> None:
    """ST-14: After a kill the newest saves stand in the log alone; opening reads them and nothing is set aside."""
    path = tmp_path / "memory.db"
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from agentao.memory.store import SQLiteMemoryStore\n"
        "from tests.support.stores import record\n"
        "store = SQLiteMemoryStore.open(Path(sys.argv[1]))\n"
        "store.connection.execute('PRAGMA wal_autocheckpoint=0')\n"
        "for number in range(5): store.write(record(number), 'create')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT, env=dict(os.environ), timeout=60)
    assert killed.returncode == -9
    assert path.with_name("memory.db-wal").stat().st_size > 0
    with SQLiteMemoryStore.open_or_memory(path) as store:
        assert (store.count(), store.notices, store.problem) == (5, [], None)
    assert rows(path, "SELECT count(*) FROM memory_events") == [(5,)]
