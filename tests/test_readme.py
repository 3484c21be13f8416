"""The README keeps its word: what it shows is made by the program, and what it tells to type works."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agentao.config import FILE_KEYS
from agentao.shell.commands import TABLE
from tests.support.golden import README, whole_readme
from tests.support.terminal import AGENTAO, ROOT, environment

TEXT = README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_what_is_generated_is_up_to_date() -> None:
    """The commands are the table's, and the first conversation is the one that the program has now."""
    assert whole_readme(TEXT) == TEXT, "scripts/golden writes it anew"


def test_the_pexpect_example_works(tmp_path: Path, empty_home: Path) -> None:
    """The example runs as it stands, with the command ``agentao`` on the path."""
    (example,) = blocks("python")
    command = tmp_path / "bin" / "agentao"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join(AGENTAO)} "$@"\n')
    command.chmod(0o755)
    env = environment(empty_home)
    env["PATH"] = f"{command.parent}:{env['PATH']}"
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("line", [line for block in blocks("sh") for line in block.splitlines() if "agentao" in line])
def test_the_shown_command_lines_work(line: str, tmp_path: Path, empty_home: Path) -> None:
    """Each line of a script that calls ``agentao`` ends with exit code 0."""
    if "git clone" in line:
        assert (ROOT / "scripts" / "agentao").exists()
        return
    command = re.sub(r"(^|\| )(?:agentao/scripts/)?agentao", rf"\1{shlex.join(AGENTAO)}", line)
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        env=environment(empty_home),
        capture_output=True,
        text=True,
        timeout=90,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_command_that_is_mentioned_exists() -> None:
    """A command named in the text is in the table."""
    for name in re.findall(r"`/((?:memory )?[a-z]{2,})[^`]*`", TEXT):
        assert TABLE.get(name) is not None, f"/{name}"


def test_the_shown_settings_are_settings() -> None:
    """The example of ``config.toml`` holds only tables and keys that the program knows."""
    (example,) = blocks("toml")
    for table, entries in tomllib.loads(example).items():
        assert set(entries) <= set(FILE_KEYS[table])
