"""Terminals that understand less: no colours, no escape codes at all, no locale."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.conftest import Start, live
from tests.support.fake_openai import FakeOpenAI, say
from tests.support.terminal import AGENTAO, CTRL_C, CTRL_D, CTRL_L, Terminal, model

COLOR = re.compile(rb"\x1b\[[0-9;]*(?:3[0-9]|4[0-9]|9[0-7]|10[0-7])[0-9;]*m")
ANSWER = "# Title\n\nSome **bold** text and `code`.\n\n```python\nprint('x')\n```\n"


@pytest.mark.parametrize("setting", ["TERM=dumb", "TERM=unknown", "TERM=", "-uTERM"])
def test_a_dumb_terminal_gets_no_escape_code(home: Path, project: Path, setting: str) -> None:
    """IN-09: chat, commands, a question and leaving work without a single escape code."""
    with (
        FakeOpenAI(otherwise=say(ANSWER)) as server,
        Terminal(("env", setting, *AGENTAO), home=home, cwd=project, env=model(server.base_url)) as term,
    ):
        term.see("agentao> ")
        term.send("hello\n")
        term.see("```\nagentao> ")
        term.send("/memory add editor nvim\n")
        term.see("agentao> ")
        term.send("/memory clear\n")
        term.see("[y/N] ")
        term.send("\n")
        term.see("agentao> ")
        term.send("half" + CTRL_C)
        term.see("agentao> ")
        term.send("/memory list\n")
        term.see("nvim")
        term.see("agentao> ")
        term.send(CTRL_D)
        assert term.end() == 0

    assert b"\x1b" not in term.raw
    assert "**bold**" in term.text


def test_a_narrow_dumb_terminal_is_written_to_in_its_width(home: Path, project: Path) -> None:
    """Messages break between words, and a table fits, also where nothing but plain lines is understood."""
    with Terminal(home=home, cwd=project, env={"TERM": "dumb"}, rows=20, columns=40) as term:
        term.see("agentao> ")
        term.send("/memory add 编辑器 用的是 nvim\n")
        term.see("agentao> ")
        term.send("/memory list\n")
        term.see("1 memory.\nagentao> ")
        term.send("/memory clear\n")
        term.see("[y/N] ")
        term.send("\n" + CTRL_D)
        assert term.end() == 0

    assert (
        "agentao> /memory clear\nThis removes 0 user memories, 1 project\nmemory, 0 session summaries and 0\n"
        in term.text
    )
    assert "Age, scope │ Title, value, tags\n" in term.text
    assert b"\x1b" not in term.raw


def test_no_color_means_no_colour(start: Start) -> None:
    """IN-09: with NO_COLOR set no code for a colour is written, and everything works."""
    with FakeOpenAI(otherwise=say(ANSWER)) as server:
        term = start(env={"NO_COLOR": "1", **model(server.base_url)})
        for line in ("hello", "/memory add editor nvim", "/memory list", "/memroy", "/help"):
            term.enter(line)
            term.prompt()
        term.send(CTRL_D)
        assert term.end() == 0

    assert COLOR.search(term.raw) is None


def test_the_terminal_is_asked_for_nothing(start: Start) -> None:
    """A plain pseudo-terminal, which answers no query, is asked none: no cursor position, no colours, no identity."""
    with FakeOpenAI(otherwise=say(ANSWER)) as server:
        term = start(env=model(server.base_url))
        for line in ("hello", "/memory list"):
            term.enter(line)
            term.prompt()
        term.send(CTRL_D)
        assert term.end() == 0

    assert re.search(rb"\x1b\[(?:\?)?[0-9;]*[nc]|\x1b\]1[01];\?|\x1bP|\x1b\[\?[0-9;]*\$p|\x1b\[>", term.raw) is None


def test_no_screen_is_erased_in_one_go(start: Start) -> None:
    """IN-10: tmux keeps a copy of a screen that is erased from its first cell on, so the first row is erased before."""
    term = start()
    term.send("half" + CTRL_L)
    term.wait(lambda: term.display[0] == "agentao> half")
    term.resize(20, 60)
    term.wait(lambda: term.raw.count(b"agentao>") == 3)
    assert b"\x1b[K\x1b[C\x1b[J\x1b[D" in term.raw
    assert re.search(rb"(?<!\x1b\[C)\x1b\[0?J", term.raw) is None


def test_a_container_without_a_locale_takes_chinese(home: Path, project: Path) -> None:
    """I18-13: without a locale, Chinese typed at the prompt reaches server, store and screen."""
    with FakeOpenAI(say("你好")) as server:
        term = Terminal(
            ("env", "-u", "LANG", *AGENTAO),
            home=home,
            cwd=project,
            env={"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", **model(server.base_url)},
        )
        with term:
            term.prompt()
            term.enter("记住 我叫小明")
            term.prompt()
            term.enter("/memory add 姓名 小明")
            term.prompt()
            assert "你好" in term.text

    assert [recorded.last_user for recorded in server.requests] == ["记住 我叫小明"]
    assert [content for _, content in live(project / ".agentao" / "memory.db")] == ["小明"]


def test_a_terminal_of_another_encoding_shows_replacements(start: Start, project: Path) -> None:
    """I18-12: on a code page without ticks and boxes, answers and tables are drawn with stand-ins; nothing breaks."""
    with FakeOpenAI(otherwise=say("✓ 记忆\n\n| a | b |\n|---|---|\n| 1 | ✓ |\n")) as server:
        first = start()
        first.enter("/memory add check ✓ 记忆")
        first.prompt()
        first.send(CTRL_D)
        first.end()
        term = start(env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252", **model(server.base_url)}, ready=False)
        term.see("agentao>")
        term.send("/memory list\r")
        term.see("1 memory.")
        term.send("hello\r")
        term.see("1 | ?\nagentao>")
        term.send("/exit\r")
        assert term.end() == 0

    assert "Traceback" not in term.text
    assert "Check" in term.text
    assert "?" in term.text
    assert live(project / ".agentao" / "memory.db") == [("check", "✓ 记忆")]


def test_lines_from_a_terminal_are_answered_into_a_pipe(home: Path, project: Path) -> None:
    """IN-08: ``agentao | cat`` takes lines as the terminal edits them and draws nothing; Ctrl-D ends it with code 0."""
    argv = ("sh", "-c", '{ "$@"; echo "code $?" >&2; } | cat >answers', "sh", *AGENTAO)
    with (
        FakeOpenAI(otherwise=say(ANSWER)) as server,
        Terminal(argv, home=home, cwd=project, env=model(server.base_url)) as term,
    ):
        term.see("Ctrl-D ends.")
        term.send("typo\x7f\x7f你好\n")
        term.send("/memory list\n" + CTRL_D)
        term.see("code 0")
        term.end()

    assert [recorded.last_user for recorded in server.requests] == ["ty你好"]
    assert (project / "answers").read_text().startswith(ANSWER + "Nothing is remembered yet.\n")
    assert b"\x1b" not in term.raw
    assert "agentao>" not in term.text


def test_ctrl_c_ends_lines_that_are_answered_into_a_pipe(home: Path, project: Path) -> None:
    """IN-08: while it waits for a line, Ctrl-C ends the program with code 130, without a traceback."""
    argv = ("sh", "-c", 'trap : INT; { trap : INT; "$@"; echo "code $?" >&2; } | cat', "sh", *AGENTAO)
    with Terminal(argv, home=home, cwd=project) as term:
        term.see("Ctrl-D ends.")
        term.send(CTRL_C)
        term.see("code 130")
    assert "Traceback" not in term.text
