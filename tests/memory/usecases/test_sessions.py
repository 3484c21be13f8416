"""Session summaries, and what later sessions are told of them."""

from __future__ import annotations

import json

import pytest

from agentao.errors import GuardError
from agentao.memory.manager import MemoryManager
from agentao.memory.models import (
    SESSION_TAIL_CHARS,
)
from agentao.memory.renderer import MemoryPromptRenderer, escape
from agentao.memory.text import strip_controls, strip_hidden
from tests.support.memories import (
    Place,
    change,
    rows,
    say,
)


def test_the_tail_tells_of_other_sessions_only(place: Place) -> None:
    """The newest three summaries of other sessions, oldest first; this session's own never."""
    for number in range(5):
        place.start().save_session_summary(f"session {number}", tokens_before=1_000, messages_summarized=7)
    now = place.start()
    now.save_session_summary("this session")
    assert now.get_cross_session_tail() == "session 2\nsession 3\nsession 4"
    assert [s.summary_text for s in now.get_recent_session_summaries()] == ["this session"]
    now.new_session()
    assert now.get_cross_session_tail() == "session 3\nsession 4\nthis session"
    assert now.get_recent_session_summaries() == []


def test_a_summary_keeps_its_numbers(place: Place, manager: MemoryManager) -> None:
    """A summary's row holds the session, the tokens before and the number of messages."""
    record = manager.save_session_summary("talked about uv", 81_234, 17)
    assert record is not None
    assert rows(
        place.project_file, "SELECT session_id, summary_text, tokens_before, messages_summarized FROM session_summaries"
    ) == [(manager.session_id, "talked about uv", 81_234, 17)]
    with pytest.raises(GuardError):
        manager.save_session_summary(" \n")


@pytest.mark.parametrize("text", ["line of text & <more>", "中文的一行", "tab\tand \x1b escape", "\u202ehidden"])
def test_the_tail_is_cut_at_whole_lines_as_rendered(place: Place, text: str) -> None:
    """However it is escaped, the tail has at most 800 characters, of whole lines, the newest ones."""
    for session in range(3):
        place.start().save_session_summary("\n".join(f"{session}.{n} {text}" for n in range(60)))
    tail = place.start().get_cross_session_tail()
    lines = tail.split("\n")
    rendered = "\n".join(escape(line) for line in lines)
    assert SESSION_TAIL_CHARS - 60 < len(rendered) <= SESSION_TAIL_CHARS
    assert lines[-1].startswith("2.59")
    whole = {strip_hidden(strip_controls(f"{session}.{n} {text}")) for session in range(3) for n in range(60)}
    assert {strip_hidden(line) for line in lines} <= whole
    assert f"<session>\n{rendered}\n</session>" in MemoryPromptRenderer().render_stable_block([], tail)


def test_one_endless_line_keeps_its_end(place: Place) -> None:
    """A summary without line breaks keeps its newest text, marked as cut, never half an escape."""
    place.start().save_session_summary("a & b " * 1_000 + "the end")
    tail = place.start().get_cross_session_tail()
    assert tail.startswith("…")
    assert tail.endswith("the end")
    assert SESSION_TAIL_CHARS - 10 < len(escape(tail)) <= SESSION_TAIL_CHARS


def test_the_tail_is_read_once_a_session(place: Place) -> None:
    """Another session's summary does not change this session's prompt; clearing the summaries does."""
    place.start().save_session_summary("yesterday")
    now = place.start()
    text = now.stable_plan().text
    assert "yesterday" in text
    other = place.start()
    other.save_session_summary("meanwhile")
    now.upsert(say("k", "v"))
    assert "meanwhile" not in now.stable_plan().text
    assert "yesterday" in now.stable_plan().text
    other.clear_all_session_summaries()
    assert "yesterday" not in now.stable_plan().text


def test_what_was_being_summarised_while_all_was_cleared_is_not_written(place: Place) -> None:
    """A summary that was begun before the summaries were cleared, by any shell, is not stored afterwards."""
    here, there = place.start(), place.start()
    generation = here.summary_generation()
    there.clear_everything()
    assert here.save_session_summary("old talk", generation=generation) is None
    assert here.clear_preview().summaries == 0
    assert here.save_session_summary("new talk", generation=here.summary_generation()) is not None


def test_events_hold_what_happened(manager: MemoryManager, place: Place) -> None:
    """Each write has one event whose detail tells who, in which session, before and after."""
    manager.save(say("k", "v1"), actor="user")
    manager.save(say("k", "v2"), actor="model")
    details = [json.loads(text) for (text,) in rows(place.project_file, "SELECT detail FROM memory_events ORDER BY id")]
    assert [d["actor"] for d in details] == ["user", "model"]
    assert {d["session_id"] for d in details} == {manager.session_id}
    assert [d["before"] and d["before"]["content"] for d in details] == [None, "v1"]
    assert [d["after"]["content"] for d in details] == ["v1", "v2"]


@pytest.mark.parametrize("stored", ["9" * 6_000, "-1", "٣", "x", ""])
def test_a_strange_count_of_clearings_breaks_nothing(stored: str, place: Place, manager: MemoryManager) -> None:
    """Whatever a file from elsewhere says there, summaries are told, saved and cleared."""
    manager.save_session_summary("talked")
    change(place.project_file, "INSERT OR REPLACE INTO schema_meta VALUES ('summaries_generation', ?)", stored)
    manager.new_session()
    assert "talked" in manager.get_cross_session_tail()
    assert manager.clear_all_session_summaries() == 1
    manager.save_session_summary("talked again")
    manager.new_session()
    assert "talked again" in manager.stable_plan().text
