"""The line editor at work: history, completion, the user's editor, vi keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Start, live
from tests.support.fake_openai import FakeOpenAI
from tests.support.terminal import CTRL_C, CTRL_D, DOWN, ESC, TAB, TOOLBAR, UP, Terminal, model, paste

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


@pytest.mark.parametrize("tall", ["\n".join(f"line {n}" for n in range(400)), "one\ntwo\nthree", "long " * 300])
@pytest.mark.parametrize("reflows", [{}, {"TMUX": "x"}], ids=["plain", "reflowing"])
def test_the_toolbar_comes_back_to_a_short_draft(start: Start, tall: str, reflows: dict[str, str]) -> None:
    """However tall the entry of the history was that was looked at, nothing stays between the draft and the toolbar."""
    with FakeOpenAI() as server:
        term = start(env={**reflows, **model(server.base_url)})
        term.send(paste(tall) + "\r")
        term.see("ok")
        term.prompt()
        term.send("short")
        term.wait(lambda: term.draft() == "short")
        term.send(UP)
        term.wait(lambda: term.draft() != "short")
        term.send(DOWN)
        term.wait(lambda: term.draft() == "short")
        term.wait(lambda: TOOLBAR in term.display[term.display.index("agentao> short") + 1], "the toolbar")
        assert not any(term.display[term.display.index("agentao> short") + 2 :])


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


def test_models_are_offered_by_the_server_when_they_are_wanted(start: Start) -> None:
    """Nothing is asked before ``/model `` is typed; then the names come in while typing goes on, without Enter."""
    with FakeOpenAI(models=["fake-model", "other-model", "third"]) as server:
        term = start(env=model(server.base_url))
        term.send("/mode")
        term.wait(lambda: any("Show or switch" in row for row in term.display))
        assert server.others == []
        term.send("l ")
        term.wait(lambda: any("third" in row for row in term.display))
        assert any("in use" in row for row in term.display)
        term.send("oth" + TAB)
        term.wait(lambda: term.draft().split("\n")[0] == "/model other-model")
        assert len(server.others) == 1
        term.send("\r")
        term.prompt()
        assert "other-model · context" in term.new


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


def test_a_half_typed_message_goes_on_in_the_users_editor(start: Start, tmp_path: Path) -> None:
    """Ctrl-X Ctrl-E opens what was typed, in ``$EDITOR`` with its arguments; what comes back is unsent.

    A failing editor is told of, and the input stays as it was.
    """
    path = tmp_path / "editor"
    path.write_text(f'#!/bin/sh\ncat "$2" >>{tmp_path}/seen\necho more >>"$2"\ntest ! -e {tmp_path}/fail\n')
    path.chmod(0o755)
    with FakeOpenAI() as server:
        term = start(env={"EDITOR": f"{path} -w", **model(server.base_url)})
        term.send("half 你好\x18\x05")
        term.wait(lambda: term.draft() == "half 你好\nmore")
        (tmp_path / "fail").touch()
        term.send("!\x18\x05")
        term.see("ended with code 1")
        term.wait(lambda: term.draft() == "half 你好\nmore!")
        assert server.requests == []
        term.send("\r")
        term.see("ok\n")

    assert (tmp_path / "seen").read_text() == "half 你好\nhalf 你好\nmore!\n"
    assert [recorded.last_user for recorded in server.requests] == ["half 你好\nmore!"]


@pytest.mark.parametrize("keys", ["/edit\r", "\x18\x05"], ids=["by command", "by key"])
def test_ctrl_c_is_the_editors_own(start: Start, tmp_path: Path, keys: str) -> None:
    """Ctrl-C in the editor neither ends it nor clears what it gives back."""
    path = tmp_path / "editor"
    path.write_text(
        '#!/bin/sh\ntrap "echo taken; echo done >$1; exit 0" INT\necho ready\nwhile :; do sleep 0.05; done\n'
    )
    path.chmod(0o755)
    term = start(env={"EDITOR": str(path)})
    term.send(keys)
    term.see("ready")
    term.send(CTRL_C)
    term.see("taken")
    term.wait(lambda: term.draft() == "done")


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


@pytest.mark.parametrize("columns", [40, 80])
def test_vi_users_see_the_mode(start: Start, home: Path, columns: int) -> None:
    """The toolbar begins with the mode as a word, at 40 columns too, soon after the key that changed it."""
    (home / ".agentao").mkdir(mode=0o700)
    (home / ".agentao" / "config.toml").write_text("[shell]\nvi_mode = true\n")
    term = start(columns=columns)

    def bar() -> str:
        return next((row for row in reversed(term.display) if " · " in row), "")

    for keys, mode in (("", "insert"), ("abc" + ESC, "normal"), ("R", "replace"), (ESC, "normal"), ("A", "insert")):
        term.send(keys)
        term.wait(lambda mode=mode: bar().startswith(f"{mode} · offline · context 0%"), mode)  # type: ignore[misc]
    assert bar().endswith("0%" if columns == 40 else "0 memories")


def test_alt_enter_begins_a_line_for_vi_users_too(start: Start, home: Path) -> None:
    """Alt-Enter, which comes as Escape and Enter at once, neither sends nor leaves the insert mode."""
    (home / ".agentao").mkdir(mode=0o700)
    (home / ".agentao" / "config.toml").write_text("[shell]\nvi_mode = true\n")
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.send("one\x1b\rtwo\r")
        term.prompt()

    assert [recorded.last_user for recorded in server.requests] == ["one\ntwo"]


@pytest.mark.parametrize("rows", [1, 2])
def test_a_window_of_few_rows_shows_the_input(start: Start, rows: int) -> None:
    """With one row or two there is no toolbar; it comes with the room for it."""
    with FakeOpenAI() as server:
        term = start(rows=rows, env=model(server.base_url), ready=False)
        term.wait(lambda: "agentao>" in term.display)
        term.send("half")
        term.wait(lambda: term.display[-1] == "agentao> half")
        assert TOOLBAR not in term.text
        term.resize(3, 80)
        term.prompt()
        term.send(" done\r")
        term.see("ok\n")

    assert [recorded.last_user for recorded in server.requests] == ["half done"]


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
