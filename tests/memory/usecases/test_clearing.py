"""Removing everything of a kind, and saying truly what was removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentao.errors import StoreError
from agentao.memory.manager import MemoryManager
from agentao.memory.store import SQLiteMemoryStore
from tests.support.memories import (
    FailingStore,
    Place,
    contents,
    say,
)


def test_clear_is_bound_to_this_project(place: Place, tmp_path: Path) -> None:
    """ST-08: Clearing in one project leaves another project alone, and tells beforehand what will go."""
    here, there = place.start(), place.start(project=tmp_path / "b" / "memory.db")
    for number in range(3):
        here.upsert(say(f"a{number}", "v"))
        there.upsert(say(f"b{number}", "v"))
        here.upsert(say(f"user_{number}", "v"))
    here.save_session_summary("talked")
    preview = here.clear_preview()
    assert (preview.user, preview.project, preview.summaries, preview.pending) == (3, 3, 1, 0)
    assert preview.total == 7

    done = here.clear_everything()
    assert (done.user, done.project, done.summaries, done.failures) == (3, 3, 1, ())
    assert len(there.get_all_entries("project")) == 3
    assert here.get_all_entries() == []
    assert here.clear_preview().total == 0


def test_a_clear_that_fails_in_part_says_so(tmp_path: Path) -> None:
    """ST-06: One store that cannot be cleared does not hide behind the other: what survived is named and still
    shown."""
    user = FailingStore.open(tmp_path / "u" / "memory.db")
    user.failing = False  # type: ignore[misc]
    manager = MemoryManager(SQLiteMemoryStore.open(tmp_path / "p" / "memory.db"), user)
    manager.upsert(say("user_name", "Ada"))
    manager.upsert(say("k", "v"))
    manager.save_session_summary("talked")
    user.failing = True  # type: ignore[misc]

    with pytest.raises(StoreError, match=r"user memories were not cleared.*Cleared: 0 user and 1 project"):
        manager.clear()
    done = manager.clear_everything()
    assert (done.user, done.summaries) == (0, 1)
    assert "user" in done.failures[0]
    assert contents(manager.get_stable_entries()) == ["Ada"]
    manager.close()


def test_summaries_that_cannot_be_cleared_are_told(tmp_path: Path) -> None:
    """A summary that survives a clear is named as such, and is still there."""
    store = FailingStore.open(tmp_path / "memory.db")
    store.failing = False  # type: ignore[misc]
    manager = MemoryManager(store)
    manager.save_session_summary("talked")
    store.failing = True  # type: ignore[misc]
    done = manager.clear_everything()
    assert done.summaries == 0
    assert "summaries were not cleared" in done.failures[-1]
    assert manager.clear_preview().summaries == 1
    manager.close()
