"""The line editor at work: history, completion, the user's editor, vi keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Start, live
from tests.support.fake_openai import FakeOpenAI
from tests.support.terminal import CTRL_D, ESC, TAB, UP, Terminal, model

CTRL_R = "\x12"


def test_the_history_is_searched_and_a_draft_survives_it(start: Start) -> None:
    """Ctrl-R finds an earlier line; going up and down again brings the half-typed draft back."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        for line in ("first of all", "second thoughts"):
            term.enter(line)
            term.prompt()
        term.send("half typed" + UP)
        term.wait(lambda: term.draft() == "second thoughts")
        term.send("\x1b[B")
        term.wait(lambda: term.draft() == "half typed")
        term.send("\x15" + CTRL_R + "firs")
        term.see("firs")
        term.send("\r")
        term.wait(lambda: term.draft() == "first of all")
        assert len(server.requests) == 2


def test_completion_shows_what_each_word_means(start: Start) -> None:
    """Commands, options and stored titles are offered with a description, and a title with blanks is put in whole."""
    term = start()
    term.enter("/memory add deploy_rule never on fridays")
    term.prompt()
    term.send("/memory de")
    term.wait(lambda: any("Delete one memory" in row for row in term.display))
    term.send("l" + TAB + "Dep")
    term.wait(lambda: any("Deploy rule  project constraint: never on fridays" in row for row in term.display))
    term.send(TAB)
    term.wait(lambda: term.draft().split("\n")[0].rstrip() == "/memory delete Deploy rule")
    term.send("\r")
    term.see("eleted")


@pytest.fixture
def editor(tmp_path: Path) -> str:
    """An editor that notes how it finds the terminal, and writes a text."""
    path = tmp_path / "editor"
    path.write_text(
        "#!/bin/sh\n"
        f"stty -a | grep -o -- '-*icanon' >{tmp_path}/seen\n"
        'printf "%s\\n" "two lines" "from the editor" >"$1"\n'
    )
    path.chmod(0o755)
    return str(path)


def test_a_message_is_written_in_the_users_editor(start: Start, editor: str, tmp_path: Path) -> None:
    """``/edit`` opens ``$EDITOR`` on an ordinary terminal; what comes back is the draft, unsent."""
    with FakeOpenAI() as server:
        term = start(env={"EDITOR": editor, **model(server.base_url)})
        term.enter("/edit")
        term.wait(lambda: term.draft() == "two lines\nfrom the editor")
        assert server.requests == []
        term.send("\r")
        term.prompt()

    assert (tmp_path / "seen").read_text() == "icanon\n"
    assert [recorded.last_user for recorded in server.requests] == ["two lines\nfrom the editor"]


def test_a_memory_is_edited_in_the_users_editor(start: Start, editor: str, project: Path) -> None:
    """``/memory edit`` opens the stored value, and saves what comes back."""
    term = start(env={"EDITOR": editor})
    term.enter("/memory add deploy_rule never on fridays")
    term.prompt()
    term.enter("/memory edit Deploy rule")
    term.prompt()
    assert live(project / ".agentao" / "memory.db") == [("deploy_rule", "two lines\nfrom the editor")]


def test_vi_keys_by_config(start: Start, home: Path) -> None:
    """With ``vi_mode`` the prompt takes vi's commands."""
    (home / ".agentao").mkdir(mode=0o700)
    (home / ".agentao" / "config.toml").write_text("[shell]\nvi_mode = true\n")
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.send("xhello" + ESC)
        term.wait(lambda: term.draft() == "xhello")
        term.send("0x\r")
        term.see("ok\n")

    assert [recorded.last_user for recorded in server.requests] == ["hello"]


def test_a_wrong_setting_is_one_line_with_its_place(home: Path, project: Path) -> None:
    """A fault in ``config.toml`` names file, line, key and what is allowed; exit code 2."""
    (home / ".agentao").mkdir(mode=0o700)
    (home / ".agentao" / "config.toml").write_text('[shell]\nvi_mode = "maybe"\n')
    with Terminal(home=home, cwd=project) as term:
        assert term.end() == 2
    shown = " ".join(term.text.split())
    assert "config.toml, line 2" in shown
    assert "true or false" in shown


def test_ctrl_d_only_leaves_an_empty_prompt(start: Start) -> None:
    """With a draft, Ctrl-D does not leave."""
    term = start()
    term.send("draft" + CTRL_D)
    term.wait(lambda: term.draft() == "draft")
    term.send("\x15" + CTRL_D)
    assert term.end() == 0
