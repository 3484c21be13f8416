"""Looking back and going back: history, restore, undo, purge."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentao.errors import GuardError, NotFound
from agentao.memory.manager import MemoryManager
from tests.support.memories import (
    ListedCrystallizer,
    Place,
    TestClock,
    all_bytes,
    change,
    contents,
    opened,
    rows,
    say,
    user,
)


def state(manager: MemoryManager) -> list[tuple[object, ...]]:
    """All that the user can tell of the live memories."""
    return [
        (r.id, r.scope, r.type, r.title, r.content, tuple(r.tags), r.confidence, r.created_at, r.updated_at)
        for r in manager.get_all_entries()
    ]


# -- history -----------------------------------------------------------------------------------------------------------


def test_history_tells_who_changed_what(manager: MemoryManager) -> None:
    """Events of both stores, newest first, each with its actor and the record before and after."""
    manager.save(say("package_manager", "npm"), actor="model")
    manager.save(say("user_name", "Ada"), actor="user")
    manager.save(say("package_manager", "uv"), actor="user")
    manager.delete_matching("user_name")

    events = manager.history()
    assert [(e.event_type, e.detail["actor"]) for e in events] == [
        ("delete", "user"),
        ("update", "user"),
        ("create", "user"),
        ("create", "model"),
    ]
    assert (events[1].detail["before"]["content"], events[1].detail["after"]["content"]) == ("npm", "uv")
    assert [e.event_type for e in manager.history(limit=2)] == ["delete", "update"]


def test_history_of_a_name_covers_its_earlier_lives(manager: MemoryManager) -> None:
    """A title that was deleted and saved again shows the events of both records; an id those of its own."""
    first = manager.upsert(say("k", "v1"))
    manager.delete(first.id)
    second = manager.upsert(say("k", "v2"))
    assert [e.memory_id for e in manager.history("K")] == [second.id, first.id, first.id]
    assert [e.memory_id for e in manager.history(first.id)] == [first.id, first.id]
    with pytest.raises(NotFound, match="nosuch"):
        manager.history("nosuch")


# -- restore -----------------------------------------------------------------------------------------------------------


def test_restore_brings_the_last_deleted_back(manager: MemoryManager) -> None:
    """By title, key or id, with its id, its times and its place in search."""
    record = manager.upsert(say("package_manager", "uv", ["tooling"]))
    for target in ("Package manager", "package_manager", record.id):
        manager.delete(record.id)
        assert manager.restore(target) == record
        assert manager.filter_by_tag("tooling") == [record]


def test_restore_of_a_key_in_use_is_refused(manager: MemoryManager) -> None:
    """Where a live memory has the key by now, both stay as they are, and the message shows the live one."""
    old = manager.upsert(say("k", "old"))
    manager.delete(old.id)
    manager.upsert(say("k", "new value"))
    with pytest.raises(GuardError, match="new value"):
        manager.restore("k")
    with pytest.raises(NotFound, match="deleted memory"):
        manager.restore("nosuch")
    manager.delete_matching("k")
    assert manager.restore("k").content == "new value"
    with pytest.raises(GuardError, match="saved anew"):
        manager.restore(old.id)
    with pytest.raises(GuardError, match="not deleted"):
        manager.restore(manager.get_all_entries()[0].id)


# -- undo --------------------------------------------------------------------------------------------------------------


def test_undo_goes_back_step_by_step(manager: MemoryManager) -> None:
    """Each undo takes the change before the last one back, to the very record that was there; then there is none."""
    states = [state(manager)]
    manager.upsert(say("a", "1", ["decision"]))
    states.append(state(manager))
    manager.upsert(say("a", "2"))
    states.append(state(manager))
    manager.upsert(say("user_b", "3"))
    states.append(state(manager))
    manager.delete_matching("a")
    states.append(state(manager))
    manager.restore("a")
    states.append(state(manager))
    manager.clear()
    for expected in reversed(states):
        manager.undo()
        assert state(manager) == expected
    with pytest.raises(NotFound):
        manager.undo()


def test_undo_is_no_change_of_its_own(manager: MemoryManager) -> None:
    """After an undo a new save is the next to be taken back, and then what was before the undone one."""
    manager.upsert(say("k", "1"))
    manager.upsert(say("k", "2"))
    manager.undo()
    manager.upsert(say("k", "3"))
    manager.undo()
    assert contents(manager.get_all_entries()) == ["1"]
    manager.undo()
    assert manager.get_all_entries() == []


def test_undo_of_a_clear_brings_both_scopes_back(manager: MemoryManager) -> None:
    """A clear is one change: one undo restores the memories of both stores."""
    for number in range(5):
        manager.upsert(say(f"user_{number}", "u"))
        manager.upsert(say(f"p{number}", "p"))
    before = state(manager)
    manager.clear_everything()
    preview = manager.undo_preview()
    assert (preview.event_type, preview.own_session, len(preview.steps)) == ("clear", True, 10)
    outcome = manager.undo()
    assert (len(outcome.steps), outcome.left) == (10, ())
    assert state(manager) == before


def test_undo_of_a_clear_keeps_what_was_saved_since(place: Place) -> None:
    """What another shell saved meanwhile under one of the keys stays; the rest comes back, and the one is named."""
    here, there = place.start(), place.start()
    here.upsert(say("a", "old a"))
    here.upsert(say("b", "old b"))
    here.clear()
    there.upsert(say("a", "new a"))
    outcome = here.undo()
    assert contents(here.get_all_entries()) == ["old b", "new a"]
    assert len(outcome.left) == 1
    assert '"A"' in outcome.left[0]


def test_a_delete_of_several_is_one_change(manager: MemoryManager) -> None:
    """A delete by a name that both scopes have is taken back by one undo."""
    manager.upsert(say("indent", "tabs", scope="user"))
    manager.upsert(say("indent", "spaces", scope="project"))
    manager.delete_matching("indent")
    manager.undo()
    assert contents(manager.get_all_entries()) == ["tabs", "spaces"]


def test_undo_takes_only_this_sessions_change(place: Place) -> None:
    """Another session's change is shown and taken back only when it is asked for."""
    there, here = place.start(), place.start()
    there.upsert(say("k", "theirs"))
    with pytest.raises(NotFound, match="This session"):
        here.undo_preview()
    preview = here.undo_preview(any_session=True)
    assert (preview.own_session, preview.event_type, preview.steps[0].title) == (False, "create", "K")
    here.undo(any_session=True)
    assert there.get_all_entries() == []


def test_undo_never_overwrites_what_came_since(place: Place) -> None:
    """Where another shell changed the memory after this one, nothing is undone and the message says why."""
    here, there = place.start(), place.start()
    here.upsert(say("k", "mine"))
    there.upsert(say("k", "theirs"))
    with pytest.raises(GuardError, match="changed again since"):
        here.undo()
    assert contents(here.get_all_entries()) == ["theirs"]


def test_undo_passes_over_what_was_overwritten_since(place: Place) -> None:
    """The next older change that can be taken back is, and what was passed over is named with its reason."""
    here, there = place.start(), place.start()
    here.upsert(say("older", "mine"))
    here.upsert(say("user_b", "mine"))
    here.upsert(say("k", "mine"))
    here.upsert(say("k", "mine again"))
    there.upsert(say("k", "theirs"))
    preview = here.undo_preview()
    assert [step.title for step in preview.steps] == ["User b"]
    assert len(preview.passed) == 1 and '"K" was changed again since' in preview.passed[0]
    assert here.undo().left == preview.passed
    here.undo()
    assert contents(here.get_all_entries()) == ["theirs"]
    with pytest.raises(GuardError, match="changed again since"):
        here.undo()


def test_undo_passes_over_a_whole_command(place: Place) -> None:
    """A clear of which nothing can come back any more is no obstacle to the change before it."""
    here, there = place.start(), place.start()
    here.upsert(say("first", "1"))
    here.delete_matching("first")
    here.upsert(say("a", "old"))
    here.upsert(say("b", "old"))
    here.clear()
    there.upsert(say("a", "new"))
    there.upsert(say("b", "new"))
    preview = here.undo_preview()
    assert (preview.event_type, len(preview.passed)) == ("delete", 2)
    here.undo()
    assert contents(here.get_all_entries()) == ["1", "new", "new"]


def test_undo_passes_over_a_rejection_whose_place_is_taken(place: Place) -> None:
    """A rejected statement under whose key another one waits cannot wait again; the change before it can be undone."""
    manager = place.start(crystallizer=ListedCrystallizer())
    manager.upsert(say("k", "v"))
    [first] = manager.crystallize_user_messages([user("editor: always use vim")])
    manager.reject_review_item(first.id)
    manager.crystallize_user_messages([user("editor: always use emacs")])
    preview = manager.undo_preview()
    assert [step.title for step in preview.steps] == ["K"]
    assert '"Editor"' in preview.passed[0] and "waits" in preview.passed[0]
    manager.undo()
    assert manager.get_all_entries() == []


def test_a_change_that_was_reversed_otherwise_is_passed_over(manager: MemoryManager) -> None:
    """A delete that was restored by hand and a record that was purged are no longer there to be undone."""
    manager.upsert(say("a", "1"))
    manager.upsert(say("b", "2"))
    manager.delete_matching("b")
    manager.purge()
    manager.undo()
    assert manager.get_all_entries() == []


def test_undo_of_an_approval_puts_the_item_back(place: Place) -> None:
    """Taking an approval back removes the memory, or restores the replaced one, and the item waits again."""
    manager = place.start(crystallizer=ListedCrystallizer())
    manager.upsert(say("package_manager", "npm"))
    [item] = manager.crystallize_user_messages([user("package_manager: always use pnpm")])
    manager.approve_review_item(item.id, replace=True)
    assert contents(manager.get_all_entries()) == ["always use pnpm"]
    manager.undo()
    assert contents(manager.get_all_entries()) == ["npm"]
    assert [i.id for i in manager.list_review_items("pending")] == [item.id]
    manager.reject_review_item(item.id)
    assert manager.pending_count() == 0
    manager.undo()
    assert manager.pending_count() == 1


def test_undo_with_a_clock_that_stands_still(tmp_path: Path) -> None:
    """Changes in two files within one microsecond are taken back in the order in which they were made."""
    with opened(tmp_path, TestClock()) as place:
        manager = place.start()
        for key in ("a", "user_b", "c", "user_d"):
            manager.upsert(say(key, "v"))
        undone = [manager.undo().steps[0].title for _ in range(4)]
    assert undone == ["User d", "C", "User b", "A"]


def test_undo_survives_events_of_other_programs(place: Place, manager: MemoryManager) -> None:
    """Details that are no JSON, as older versions wrote them, are neither undone nor in the way."""
    manager.upsert(say("k", "v"))
    change(
        place.project_file,
        "INSERT INTO memory_events (memory_id, event_type, timestamp, detail) VALUES ('x', 'create', ?, 'plain words')",
        "2026-12-01T00:00:00",
    )
    assert manager.undo_preview(any_session=True).steps[0].title == "K"
    manager.undo()
    assert manager.get_all_entries() == []
    assert len(manager.history()) == 3


# -- purge -------------------------------------------------------------------------------------------------------------


def test_purge_leaves_no_trace_of_what_was_deleted(place: Place, manager: MemoryManager, tmp_path: Path) -> None:
    """Deleted rows, their events and their bytes are gone from the files; live memories keep theirs."""
    manager.upsert(say("stays", "a fact that stays"))
    for number in range(50):
        manager.upsert(say(f"goes_{number}", f"unwanted-{number} " + "z" * 2_000))
        manager.upsert(say(f"user_goes_{number}", f"unwanted-{number}"))
    for number in range(50):
        manager.delete_matching(f"goes_{number}")
        manager.delete_matching(f"user_goes_{number}")
    outcome = manager.purge()

    assert (outcome.project, outcome.user) == (50, 50)
    assert outcome.freed_bytes > 0
    assert b"unwanted" not in all_bytes(tmp_path)
    assert rows(place.project_file, "SELECT count(*) FROM memories") == [(1,)]
    assert {e.memory_id for e in manager.history()} == {manager.get_all_entries()[0].id}
    with pytest.raises(NotFound):
        manager.restore("goes_1")
    again = manager.purge()
    assert (again.project, again.user) == (0, 0)
