"""The front door: which way in the words take, and how little a plain start loads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentao.__main__ import StartOptions, start_options

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], {}),
        (["--no-memory"], {"memory_on": False}),
        (["--trust-project", "--project", "/x"], {"trust_project": True, "project": "/x"}),
        (["--project=/x"], {"project": "/x"}),
        (["--project"], None),
        (["--project="], None),
        (["--project", "--no-memory"], None),
        (["memory", "list"], None),
        (["-p", "hello"], None),
        (["--help"], None),
        (["--nonsense"], None),
    ],
)
def test_only_plain_starts_go_straight_to_the_prompt(words: list[str], options: StartOptions | None) -> None:
    """A start of the shell is recognised without the command line; everything else is left to it."""
    assert start_options(words) == options


def test_the_way_to_the_prompt_loads_nothing_heavy(tmp_path: Path) -> None:
    """Settings, stores, notices, toolbar and line editor need no rich, typer, openai, agent or tokenizer."""
    code = """
import sys
from pathlib import Path
from agentao.config import current_environment, load_settings
from agentao.shell import repl
from agentao.shell.app import build_services
from agentao.shell.output import Output
from agentao.shell.terminal import completer, input_history, interactive, prompt, type_ahead
from agentao.shell.terminal.screen import Screen
services = build_services(load_settings(current_environment(), Path.cwd()))
screen = Screen(Output(services.settings, sys.stdout, sys.stderr))
screen.terminal = screen.escapes = True
for line in (*services.notices(), *interactive.greeting(services)):
    screen.line(line)
interactive.toolbar(services)
heavy = ("rich", "typer", "openai", "httpx", "tomllib", "difflib", "dataclasses", "json", "markdown_it",
         "agentao.agent", "agentao.memory.manager", "agentao.memory.tokenizer",
         "agentao.shell.commands", "agentao.shell.cli")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "x"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stdout + done.stderr


def test_nothing_in_the_users_folder_passes_for_a_module(tmp_path: Path) -> None:
    """Started by its script, the program imports nothing from the folder that it was started in."""
    for name in ("typing.py", "agentao.py", "rich.py", "openai.py"):
        (tmp_path / name).write_text("raise SystemExit('a stranger ran')\n")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "agentao"],
        input="hello\n",
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "stranger" not in done.stdout + done.stderr
    assert "-P -m agentao" in (ROOT / "scripts" / "agentao").read_text()
