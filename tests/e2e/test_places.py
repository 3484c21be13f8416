"""Stores that cannot be used, or came from elsewhere, or are switched off: said at the start, and kept to."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.e2e.conftest import Start, live
from tests.support.fake_openai import FakeOpenAI, call, say
from tests.support.terminal import CTRL_D, model


def flat(text: str) -> str:
    """The words of a text, however its lines were broken."""
    return " ".join(text.split())


def test_a_project_that_cannot_be_written_is_told_at_every_turn(start: Start, project: Path) -> None:
    """With no place for its file the store lasts for this run: told at the start, at a save and in status."""
    (project / ".agentao").write_text("in the way")
    with FakeOpenAI(call("save_memory", {"key": "package_manager", "value": "uv"}), say("Noted.")) as server:
        term = start(env=model(server.base_url))
        assert "last for this run only" in flat(term.text)
        assert "not saved to disk" in term.text
        term.enter("we use uv")
        term.prompt()
        assert "this run" in flat(term.new)
        term.enter("/memory status")
        term.prompt()
        assert "this run only" in flat(term.new)
        term.enter("/memory list")
        term.prompt()
        assert "uv" in term.new

    assert (project / ".agentao").read_text() == "in the way"


def test_memories_that_came_with_a_clone_wait_for_a_word(start: Start, project: Path, tmp_path: Path) -> None:
    """SEC-07: A foreign project's facts are told of and listed, stay out of the prompt, and come in after ``/memory
    trust``."""
    own = start()
    own.enter("/memory add deploy_rule never on fridays")
    own.prompt()
    own.send(CTRL_D)
    own.end()
    clone = tmp_path / "clone"
    shutil.copytree(project, clone)
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    with FakeOpenAI() as server:
        term = start(cwd=clone, env={"AGENTAO_HOME": str(stranger / ".agentao"), **model(server.base_url)})
        assert "/memory trust" in flat(term.text)
        for line in ("hello", "/memory list", "/memory trust", "hello again"):
            term.enter(line)
            term.prompt()

    before, after = (recorded.system for recorded in server.requests)
    assert "never on fridays" in term.text
    assert "never on fridays" not in before
    assert "never on fridays" in after


def test_without_memory_nothing_is_offered_injected_or_saved(start: Start, project: Path) -> None:
    """``--no-memory`` and ``/memory off``: no tool, no block; the toolbar says so; ``/memory on`` brings all back."""
    with FakeOpenAI() as server:
        term = start("--no-memory", env=model(server.base_url))
        assert "memory off" in term.text
        for line in ("/memory add build make", "hello", "/memory on", "hello again", "/memory off", "and again"):
            term.enter(line)
            term.prompt()
        assert any("memory off" in row for row in term.display)

    assert [("tools" in body, "<memory-stable>" in str(body)) for body in server.bodies] == [
        (False, False),
        (True, True),
        (False, False),
    ]
    assert live(project / ".agentao" / "memory.db") == [("build", "make")]
