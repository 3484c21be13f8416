"""What people met in programs of this kind, played in the whole program: networks, full stores, clear commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.conftest import Start, live, rows
from tests.support.fake_openai import FakeOpenAI, call, say
from tests.support.terminal import CTRL_C, CTRL_D, model

SOCKS = "socks://127.0.0.1:7897"


@pytest.mark.parametrize(
    "variables",
    [
        {"ALL_PROXY": SOCKS, "all_proxy": SOCKS, "NO_PROXY": "127.0.0.1"},
        {"HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "localhost,127.0.0.1,::1,[::1],fd00::/8"},
    ],
)
def test_proxy_variables_stop_no_local_server(start: Start, variables: dict[str, str]) -> None:
    """INS-01, INS-06: with socks:// in ALL_PROXY, or IPv6 ranges in NO_PROXY, start, chat and commands work."""
    with FakeOpenAI(say("hello you")) as server:
        term = start(env={**model(server.base_url), **variables})
        term.enter("hi")
        term.prompt()
        assert "hello you" in term.new
        term.enter("/memory list")
        term.prompt()
        assert "Nothing is remembered yet." in term.new


def test_a_proxy_that_cannot_be_used_is_one_line_for_a_server_elsewhere(start: Start) -> None:
    """INS-01: for a remote server the line names the variable; the memories can be looked at all the same."""
    term = start(env={**model("http://203.0.113.7/v1"), "ALL_PROXY": SOCKS})
    term.enter("hi")
    term.prompt()
    line = " ".join(term.new.split())
    # The package for SOCKS may be there or not: the words differ, the advice does not.
    assert "ALL_PROXY" in line and "unset" in line
    assert "Traceback" not in term.text
    term.enter("/memory list")
    term.prompt()
    assert "Nothing is remembered yet." in term.new


def test_a_store_that_does_not_open_is_told_at_the_start_and_in_the_status(start: Start, home: Path) -> None:
    """INS-04: the status reports the state, not the setting, and says why."""
    (home / ".agentao" / "memory.db").mkdir(parents=True)
    term = start()
    assert "memory.db" in term.text
    term.enter("/memory status")
    term.prompt()
    assert re.search(r"Problem with the user store: .*memory\.db", " ".join(term.new.split()))


def test_a_long_value_goes_into_a_full_store_in_one_call(start: Start, project: Path) -> None:
    """UX-02: 1,900 characters, with 1,500 of the block in use, are taken in one call; no other row changes."""
    value = "word " * 380
    script = (call("save_memory", {"key": "long_one", "value": value}), say("Noted."))
    with FakeOpenAI(*script) as server:
        term = start(env=model(server.base_url))
        for number in range(8):
            term.enter(f"/memory add fact_{number} {'x' * 90} {number}")
            term.prompt()
        before = live(project / ".agentao" / "memory.db")
        term.enter("remember this")
        term.prompt()

    assert len(server.requests) == 2
    assert live(project / ".agentao" / "memory.db") == [*before, ("long_one", value.strip())]
    told = [message["content"] for message in server.requests[-1].body["messages"] if message["role"] == "tool"]
    assert len(told) == 1
    assert "Saved" in told[0]


def test_one_save_changes_the_prompt_only_from_that_fact_on(start: Start) -> None:
    """UX-09: three turns without a write send the same beginning; a save leaves all before its fact as it was."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.enter("/memory add editor nvim")
        term.prompt()
        for question in ("what editor?", "明天天气怎么样", "and now?"):
            term.enter(question)
            term.prompt()
        term.enter("/memory add formatter ruff")
        term.prompt()
        term.enter("what else?")
        term.prompt()

    stable = [recorded.system.partition("</memory-stable>")[0] for recorded in server.requests]
    assert stable[0] == stable[1] == stable[2]
    assert stable[3].startswith(stable[2])
    assert "value: ruff" in stable[3].removeprefix(stable[2])


@pytest.mark.parametrize("keys", ["\r", "n\r", CTRL_C, CTRL_D])
def test_a_clear_without_a_yes_removes_nothing(start: Start, project: Path, keys: str) -> None:
    """UX-10: it says what would go; Enter alone, Ctrl-C and the end of input leave everything; then yes and undo."""
    term = start()
    term.enter("/memory add editor nvim")
    term.prompt()
    term.send("/memory clear\r")
    term.see("1 project memory")
    term.see("[y/N]")
    term.send(keys)
    term.prompt()
    assert len(live(project / ".agentao" / "memory.db")) == 1
    term.send("/memory clear\r")
    term.see("[y/N]")
    term.enter("yes")
    term.prompt()
    assert not live(project / ".agentao" / "memory.db")
    term.enter("/memory undo --yes")
    term.prompt()
    assert live(project / ".agentao" / "memory.db") == [("editor", "nvim")]


def test_two_sessions_that_approve_the_same_candidate_save_it_once(start: Start, project: Path) -> None:
    """UX-04: the list shows id, text, scope and where it was said; the second approval says that it was done."""
    first, second = start(), start()
    first.enter("以后都用 pnpm，不要用 npm")
    first.prompt()
    first.enter("/memory crystallize")
    first.prompt()
    second.enter("/memory review")
    second.prompt()
    shown = second.new
    id = re.search(r"^(\w{8})  project", shown, re.MULTILINE)
    assert id is not None
    assert "以后都用 pnpm，不要用 npm" in shown
    assert re.search(r"said 1 time, .*session \w+", shown)
    for term in (first, second):
        term.enter(f"/memory review approve {id[1]}")
        term.prompt()
    assert "Remembered in project" in first.new
    assert "already approved" in second.new
    assert len(live(project / ".agentao" / "memory.db")) == 1
    assert rows(project / ".agentao" / "memory.db", "SELECT status FROM memory_review_queue") == [("approved",)]
