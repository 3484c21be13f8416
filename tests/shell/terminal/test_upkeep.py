"""While the prompt waits the recall index is kept in order; at any other time nothing of it goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentao.config import load_settings
from agentao.memory.recall import index
from agentao.shell.app import Services, build_services
from agentao.shell.terminal.upkeep import Upkeep

JOIN_S = 60


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Stores with a few memories."""
    project = tmp_path / "project"
    project.mkdir()
    services = build_services(load_settings({"HOME": str(tmp_path / "home")}, project, top=tmp_path))
    for number in range(20):
        services.manager.save_from_tool(f"note {number}", f"the zebra of fence {number}")
    yield services
    services.leave()


def lose_index(services: Services) -> None:
    for store in services.manager.stores:
        with store.exclusive() as conn:
            index.create(conn)


def test_it_runs_while_the_prompt_waits(services: Services) -> None:
    """Then it does all there is to do; before and after it does nothing."""
    lose_index(services)
    upkeep = Upkeep(services)
    upkeep.run()
    assert services.upkeep_due()
    with upkeep.waiting():
        upkeep.run()
    assert not services.upkeep_due()


def test_a_later_prompt_goes_on(services: Services) -> None:
    """When there is something to do again, the next prompt has it done in a thread of its own; else it starts none."""
    upkeep = Upkeep(services)
    with upkeep.waiting():
        assert not running()
        upkeep.run()
    with upkeep.waiting():
        pass
    lose_index(services)
    with upkeep.waiting():
        for thread in running():
            thread.join(JOIN_S)
        assert not services.upkeep_due()


def test_a_store_that_cannot_be_used_ends_it_quietly(services: Services) -> None:
    """What is wrong with a file is told by what the user asks for, not by what goes on behind."""
    upkeep = Upkeep(services)
    services.leave()
    with upkeep.waiting():
        upkeep.run()
    with upkeep.waiting():
        assert not running()


def running() -> list[threading.Thread]:
    """The threads of upkeep."""
    return [thread for thread in threading.enumerate() if thread.name == "upkeep"]
