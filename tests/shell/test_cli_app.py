"""Completion in the user's own shell: what typer's scripts get for an answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHELLS = ["bash", "zsh", "fish"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


def run(project: Path, *words: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "agentao", *words],
        capture_output=True,
        text=True,
        cwd=project,
        env={**os.environ, "HOME": str(project.parent), "PYTHONPATH": str(ROOT), **variables},
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def completed(project: Path, shell: str, line: str) -> str:
    """What the script of this shell gets for the line up to the cursor."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))} if shell == "bash" else {}
    return run(
        project,
        _AGENTAO_COMPLETE=f"complete_{shell}",
        _TYPER_COMPLETE_ARGS=line,
        _TYPER_COMPLETE_FISH_ACTION="get-args",
        **words,
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_options_and_values_are_completed(project: Path, shell: str) -> None:
    """typer's scripts complete the words of the table, and the values of an option."""
    names = completed(project, shell, "agentao memory sea")
    assert "search" in names
    assert "status" not in names
    assert "--sort" in completed(project, shell, "agentao memory list --so")
    values = completed(project, shell, "agentao memory list --sort ")
    assert "created" in values
    assert ("the newest memory" in values) == (shell != "bash")


@pytest.mark.parametrize("shell", SHELLS)
def test_titles_and_tags_are_completed(project: Path, shell: str) -> None:
    """What is stored is offered, whatever the script; Tab in a place without stores makes none."""
    assert completed(project, shell, "agentao memory delete ").strip() in ("", "_files")
    assert not (project.parent / ".agentao").exists()
    assert not (project / ".agentao").exists()
    run(project, "memory", "add", "--tags", "工具,user", "编辑器 主", "nvim")
    assert "编辑器 主" in completed(project, shell, "agentao memory delete ")
    assert "编辑器 主" in completed(project, shell, "agentao memory show 编")
    assert "工具" in completed(project, shell, "agentao memory tag ")


@pytest.mark.parametrize("shell", SHELLS)
def test_no_stored_text_becomes_a_command(project: Path, shell: str) -> None:
    """zsh evaluates what it is offered: a title with quotes or signs of a shell is left out, a value loses them."""
    run(project, "memory", "add", 'evil\\" ) ; touch pwned ; #', "x")
    run(project, "memory", "add", "fine", 'a\\" ) ; $(touch pwned) `touch pwned` ; #')
    offered = completed(project, shell, "agentao memory delete ")
    assert "fine" in offered.lower()
    assert "evil" not in offered.lower()
    assert not any(sign in offered.replace("\\\\:", "") for sign in "$`\\")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_that_is_named_gets_the_completion(project: Path, shell: str) -> None:
    """From whatever shell it is asked for: the script of the named one is shown and installed, no other file made."""
    own = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/completions/agentao.fish"}
    script = run(project, "--show-completion", shell)
    assert f"complete_{shell}" in script
    assert run(project, f"--show-completion={shell}") == script
    home = project.parent
    assert f"{shell} completion installed in {home}" in run(project, "--install-completion", shell)
    assert [name for name, file in own.items() if (home / file).exists()] == [shell]


@pytest.mark.parametrize("words", [["csh"], [""], ["zsh", "fish"]])
@pytest.mark.parametrize("option", ["--install-completion", "--show-completion"])
def test_a_shell_without_completion_is_refused(project: Path, option: str, words: list[str]) -> None:
    """A word that names no shell is not passed over: exit code 2, the usage, and nothing is written."""
    done = subprocess.run(
        [sys.executable, "-m", "agentao", option, *words],
        capture_output=True,
        text=True,
        cwd=project,
        env={**os.environ, "HOME": str(project.parent), "PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{option} knows bash, zsh, fish. Usage: agentao {option} [bash|zsh|fish]\n"
    assert list(project.parent.iterdir()) == [project]
