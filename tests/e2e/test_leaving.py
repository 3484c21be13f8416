"""Every way of ending, stopping and being interrupted leaves the terminal, the chat and the stores in order."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.conftest import Start, live
from tests.support.fake_openai import AwaitHangup, FakeOpenAI, Hold, Reached, call, chunk, say, stream
from tests.support.terminal import AGENTAO, CTRL_C, CTRL_D, CTRL_Z, Terminal, model

PASTE_ON, PASTE_OFF = b"\x1b[?2004h", b"\x1b[?2004l"
SETTINGS = re.compile(rb"[0-9a-f]+(?::[0-9a-f]+){10,}")
STTY = 'trap : INT; stty -g; "$@"; code=$?; stty -g; exit $code'
"""Prints the terminal's settings, runs the program, prints them again."""


def endless(text: str) -> tuple[object, Reached]:
    """An answer that says ``text`` and then goes on until the client hangs up."""
    reached = Reached()
    return stream(chunk({"role": "assistant", "content": text}), reached, AwaitHangup(), done=False), reached


def test_ctrl_c_stops_the_reply_and_keeps_what_came(start: Start) -> None:
    """IN-06: the prompt is back, the connection closed, the partial answer is in the next request, the chat goes on."""
    answer, reached = endless("The first half of the answer. ")
    with FakeOpenAI(answer, say("fine")) as server:
        term = start(env=model(server.base_url))
        term.enter("tell me")
        assert reached.event.wait(20)
        term.see("writing")
        term.send(CTRL_C)
        term.prompt()
        assert "Stopped" in term.new
        assert "The first half of the answer." in term.text
        assert server.hung_up.wait(20)
        term.enter("go on")
        term.prompt()
        assert "fine" in term.new

    contents = [(m["role"], m["content"]) for m in server.requests[-1].body["messages"][1:]]
    assert contents[0] == ("user", "tell me")
    assert contents[1][0] == "assistant"
    assert contents[1][1].startswith("The first half of the answer.")
    assert contents[-1] == ("user", "go on")


def test_ctrl_c_works_where_the_caller_ignored_it(home: Path, project: Path) -> None:
    """Started by a script that ignores SIGINT, Ctrl-C still stops a reply."""
    answer, reached = endless("one moment")
    argv = ("sh", "-c", 'trap "" INT; exec "$@"', "sh", *AGENTAO)
    with (
        FakeOpenAI(answer) as server,
        Terminal(argv, home=home, cwd=project, env=model(server.base_url)) as term,
    ):
        term.prompt()
        term.enter("tell me")
        assert reached.event.wait(20)
        term.see("writing")
        term.send(CTRL_C)
        term.prompt()
        assert "Stopped" in term.new


WAYS = {
    "exit": "/exit\r",
    "ctrl-d": CTRL_D,
    "ctrl-c twice": CTRL_C + CTRL_C + CTRL_D,
    "sigterm": signal.SIGTERM,
    "sigquit": signal.SIGQUIT,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("busy", [False, True], ids=["at the prompt", "during a reply"])
def test_the_terminal_is_left_as_it_was_found(home: Path, project: Path, way: str, busy: bool) -> None:
    """IN-16: settings before and after are equal, and bracketed paste is off, after every way of ending."""
    answer, reached = endless("one moment")
    argv = ("sh", "-c", STTY, "sh", "sh", "-c", 'echo "pid $$"; exec "$@"', "sh", *AGENTAO)
    with (
        FakeOpenAI(answer) as server,
        Terminal(argv, home=home, cwd=project, env=model(server.base_url)) as term,
    ):
        term.prompt()
        pid = int(next(line for line in term.lines if line.startswith("pid ")).split()[1])
        if busy:
            term.enter("tell me")
            assert reached.event.wait(20)
        keys = WAYS[way]
        if isinstance(keys, signal.Signals):
            os.kill(pid, keys)
        else:
            if busy:
                term.send(CTRL_C)
                term.prompt()
            term.send(keys)
        code = term.end()

    before, after = SETTINGS.findall(term.raw)
    assert after == before
    assert term.raw.rindex(PASTE_OFF) > term.raw.rindex(PASTE_ON)
    assert code == (128 + keys if isinstance(keys, signal.Signals) else 0)
    assert "Traceback" not in term.text


def test_an_unforeseen_fault_leaves_the_terminal_as_it_was(home: Path, project: Path) -> None:
    """IN-16: when the shell itself fails, the terminal is restored, one line tells of it, and the code is not 0."""
    code = (
        "import sys\n"
        "from agentao.shell.terminal import prompt\n"
        "read = prompt.Prompt.read\n"
        "def broken(self, draft=''):\n"
        "    read(self, draft)\n"
        "    raise RuntimeError('broken')\n"
        "prompt.Prompt.read = broken\n"
        "from agentao.__main__ import main\n"
        "sys.argv = ['agentao']\n"
        "sys.exit(main())\n"
    )
    with Terminal(("sh", "-c", STTY, "sh", AGENTAO[0], "-c", code), home=home, cwd=project) as term:
        term.prompt()
        term.enter("hello")
        assert term.end() == 1

    before, after = SETTINGS.findall(term.raw)
    assert after == before
    assert term.raw.rindex(PASTE_OFF) > term.raw.rindex(PASTE_ON)
    assert "Something went wrong" in term.text
    assert "Traceback" not in term.text


def test_ctrl_z_stops_and_fg_brings_the_half_typed_line_back(home: Path, project: Path) -> None:
    """IN-17: at the prompt, Ctrl-Z gives the shell a sane terminal; after ``fg`` the draft is there and works."""
    with FakeOpenAI() as server, shell(home, project, server) as term:
        term.send("half 你好")
        term.wait(lambda: term.draft() == "half 你好")
        term.send(CTRL_Z)
        term.see("Stopped")
        term.see("$ ")
        term.enter("stty -a | grep -o -- '-*echo ' | head -1; stty -a | grep -o -- '-*icanon'")
        term.see("\nicanon")
        assert "\necho" in term.new
        term.enter("fg")
        term.wait(lambda: term.display[term.screen.cursor.y] == "agentao> half 你好")
        term.send(" done\r")
        term.prompt()

    assert [recorded.last_user for recorded in server.requests] == ["half 你好 done"]


def test_ctrl_z_during_a_reply_stops_and_the_reply_goes_on_afterwards(home: Path, project: Path) -> None:
    """IN-17: a reply under way is stopped with a sane terminal, and finished after ``fg``."""
    reached, hold = Reached(), Hold()
    slow = stream(chunk({"role": "assistant", "content": "one moment. "}), reached, hold, chunk({}, "stop"))
    with FakeOpenAI(slow, say("again")) as server, shell(home, project, server) as term:
        term.enter("tell me")
        assert reached.event.wait(20)
        term.send(CTRL_Z)
        term.see("Stopped")
        term.enter("stty -a | grep -o -- '-*icanon'")
        term.see("\nicanon")
        term.enter("fg")
        term.see("agentao")
        hold.event.set()
        term.prompt()
        assert "one moment." in term.text
        term.enter("and now")
        term.prompt()
        assert "again" in term.new


def shell(home: Path, project: Path, server: FakeOpenAI) -> Terminal:
    """The program, started from an interactive shell with job control."""
    term = Terminal(
        ("bash", "--norc", "--noprofile", "-i"), home=home, cwd=project, env=model(server.base_url) | {"PS1": "$ "}
    )
    term.see("$ ")
    term.enter(" ".join(f"'{word}'" for word in AGENTAO))
    term.prompt()
    return term


def test_a_fact_outlives_the_sudden_death_of_the_program(start: Start, project: Path) -> None:
    """ST-20: once the line that tells of a save is drawn, SIGKILL takes nothing back."""
    hold = Hold()
    slow = stream(hold, chunk({}, "stop"))
    with FakeOpenAI(call("save_memory", {"key": "package_manager", "value": "uv"}), slow) as server:
        term = start(env=model(server.base_url))
        term.enter("we use uv")
        term.see("Package manager")
        term.kill(signal.SIGKILL)
        assert term.end() == 128 + signal.SIGKILL
        hold.event.set()
        again = start(env=model(server.base_url))
        again.enter("/memory list")
        again.prompt()

    assert "Package manager" in again.new
    assert live(project / ".agentao" / "memory.db") == [("package_manager", "uv")]


def test_closing_the_window_in_mid_reply_ends_the_program_in_order(start: Start, project: Path) -> None:
    """ST-21: with the terminal gone the program ends by itself; what the turn saved is there, the file is sound."""
    answer, reached = endless("one moment")
    with FakeOpenAI(call("save_memory", {"key": "package_manager", "value": "uv"}), answer) as server:
        term = start(env=model(server.base_url))
        term.enter("we use uv")
        term.see("Package manager")
        assert reached.event.wait(20)
        pid = term.child.pid
        term.child.close(force=False)
        assert server.hung_up.wait(20)

    assert term.child.exitstatus in (129, None), pid
    database = project / ".agentao" / "memory.db"
    assert live(database) == [("package_manager", "uv")]
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_closing_the_window_at_the_prompt_is_no_fault(start: Start, home: Path) -> None:
    """ST-21: a terminal that goes away while a line is being typed ends the program, and nothing is logged."""
    term = start()
    term.send("half a line")
    term.wait(lambda: term.draft() == "half a line")
    term.child.close(force=False)
    term.child.wait()

    log = home / ".agentao" / "agentao.log"
    assert not log.exists(), log.read_text()
