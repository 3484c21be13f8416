"""Which facts stand in the stable block, what has no room, and what status tells of it."""

from __future__ import annotations

from agentao.memory.manager import MemoryManager
from agentao.memory.models import (
    STABLE_BLOCK_MAX_CHARS,
)
from agentao.memory.renderer import MemoryPromptRenderer
from tests.support.memories import (
    Place,
    change,
    contents,
    say,
)


def test_the_selection_of_the_design(manager: MemoryManager) -> None:
    """All user facts, all structural facts of the project, and the three others that changed last; oldest first."""
    manager.upsert(say("user_note", "u1", type="note"))
    for number in range(5):
        manager.upsert(say(f"fact{number}", f"f{number}", type="project_fact"))
    for kind in ("decision", "constraint", "workflow", "profile", "preference"):
        manager.upsert(say(f"a_{kind}", kind, scope="project", type=kind))
    manager.upsert(say("fact0", "f0 again", type="project_fact"))

    assert contents(manager.get_stable_entries()) == [
        "u1",
        "f0 again",
        "f3",
        "f4",
        "decision",
        "constraint",
        "workflow",
        "profile",
        "preference",
    ]
    assert len(manager.get_stable_entries(recent_project_limit=0)) == 6


def test_a_save_that_does_not_fit_says_so(manager: MemoryManager) -> None:
    """Sixty facts are all saved; the block keeps its limit; the save that no longer fits says so, and status counts."""
    notes = []
    for number in range(60):
        text = f"fact number {number} " + "x" * 85
        answer = manager.answer_tool_call(f"fact_{number}", text, ["decision"])
        assert answer.outcome is not None
        notes.append(answer.outcome.note)
    plan, status = manager.stable_plan(), manager.status()

    assert len(plan.text) <= STABLE_BLOCK_MAX_CHARS
    assert not any(notes[: len(plan.shown_ids)])
    assert all("not fit" in note for note in notes[len(plan.shown_ids) + 1 :])
    assert status.block_shown == len(plan.shown_ids)
    assert status.block_shown + status.block_dropped == 60
    assert (status.block_chars, status.block_limit_chars) == (len(plan.text), STABLE_BLOCK_MAX_CHARS)
    assert plan.text == MemoryPromptRenderer().render_stable_block(manager.get_stable_entries())
    assert "fact number 59" in plan.text


def test_the_status_counts_what_is_not_put_up_for_the_block(manager: MemoryManager, place: Place) -> None:
    """Of 62 notes of the project the newest three stand in the block; the other 59 are counted, not taken for told. A
    project that is not trusted tells nothing, and its notes are not counted among what a question may bring up."""
    manager.upsert(say("editor", "helix", ["user"]))
    for number in range(62):
        manager.upsert(say(f"note_{number}", f"note number {number}", ["note"]))
    status = manager.status()
    assert (status.block_shown, status.block_dropped, status.block_others) == (4, 0, 59)
    change(place.user_file, "DELETE FROM schema_meta WHERE key LIKE 'trusted_store:%'")
    status = place.start().status()
    assert (status.project_trusted, status.block_shown, status.block_others) == (False, 1, 0)


def test_an_old_fact_that_grows_out_of_the_block_says_so(manager: MemoryManager) -> None:
    """An update keeps its place: an old fact that found no room finds none by being changed, and its save says so."""
    for number in range(40):
        manager.upsert(say(f"fact_{number}", f"fact number {number} " + "x" * 100, ["decision"]))
    outcome = manager.save(say("fact_0", "the new value " + "y" * 100))
    assert "does not fit into the memory block" in outcome.note
    assert "the new value" not in manager.stable_plan().text


def test_one_large_save_changes_no_other_row(manager: MemoryManager) -> None:
    """A value of 1,900 characters is taken in one call, and no other fact is changed or removed for it."""
    for number in range(10):
        manager.upsert(say(f"fact_{number}", "x" * 60, ["decision"]))
    before = manager.get_all_entries()
    assert manager.answer_tool_call("large", "y" * 1_900, ["decision"]).error is False
    assert manager.get_all_entries()[:-1] == before


def test_the_block_is_made_anew_only_when_a_store_changed(manager: MemoryManager, place: Place) -> None:
    """Ten turns without a save are one and the same text; any process's save changes it at the next turn."""
    manager.upsert(say("k", "v"))
    plans = {id(manager.stable_plan()) for _ in range(10)}
    assert len(plans) == 1
    place.start().upsert(say("k2", "v2"))
    assert "v2" in manager.stable_plan().text


def test_status_counts_by_scope_and_type(manager: MemoryManager, place: Place) -> None:
    """Status tells counts by scope and type, both paths, the newest summary's length and the session."""
    manager.upsert(say("user_name", "Ada"))
    manager.upsert(say("package_manager", "uv", ["tooling"]))
    manager.save_session_summary("12345")
    status = manager.status()
    assert status.counts == {"user": {"profile": 1}, "project": {"project_fact": 1}}
    assert [(s.scopes, s.path) for s in status.stores] == [
        (("project",), place.project_file),
        (("user",), place.user_file),
    ]
    assert (status.summaries, status.last_summary_chars, status.pending) == (1, 5, 0)
    assert (status.session_id, status.enabled, status.project_trusted) == (manager._session_id, True, True)


def test_write_version_grows_with_every_write(manager: MemoryManager) -> None:
    """Whoever caches what a manager wrote sees each write of it."""
    versions = [manager.write_version]
    record = manager.upsert(say("k", "v"))
    versions.append(manager.write_version)
    manager.upsert(say("k", "v2"))
    versions.append(manager.write_version)
    manager.delete(record.id)
    versions.append(manager.write_version)
    manager.undo()
    versions.append(manager.write_version)
    manager.save_session_summary("s")
    versions.append(manager.write_version)
    assert versions == sorted(set(versions))
