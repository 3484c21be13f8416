"""From the command to a prompt that takes keys, beside a bare prompt_toolkit prompt on the same pseudo-terminal."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import pexpect

from tests.bench.table import Row
from tests.support.terminal import ESCAPE, ROOT

BARE = "from prompt_toolkit import PromptSession; PromptSession().prompt('> ')"
PROBE = "zq"
ASKS_CURSOR = "\x1b[6n"
"""The bare prompt asks where the cursor is, and waits for the answer that a real terminal gives."""


def measure(runs: int) -> list[Row]:
    """Medians over rounds in which every program runs once, so that a slow spell meets all alike."""
    python = [sys.executable]
    shell = [sys.executable, "-P", "-m", "agentao"]
    programs = [
        ("python -c pass", None, [*python, "-c", "pass"]),
        ("agentao --version", None, [*shell, "--version"]),
        ("agentao --help", None, [*shell, "--help"]),
        ("bare prompt_toolkit prompt", r">", [*python, "-c", BARE]),
        ("agentao prompt", r"agentao>", shell),
    ]
    taken: dict[str, list[float]] = {name: [] for name, _, _ in programs}
    for number in range(runs + 1):
        for name, prompt, argv in programs:
            milliseconds = _ready(argv, prompt) if prompt else _exited(argv)
            if number:  # the first round warms the page cache
                taken[name].append(milliseconds)
    medians = {name: statistics.median(values) for name, values in taken.items()}
    nothing, bare = medians["python -c pass"], medians["bare prompt_toolkit prompt"]
    return [
        ["program", "ms", "beside its baseline"],
        ["python -c pass", nothing, ""],
        ["agentao --version", medians["agentao --version"], f"+{medians['agentao --version'] - nothing:.0f} ms"],
        ["agentao --help", medians["agentao --help"], f"+{medians['agentao --help'] - nothing:.0f} ms"],
        ["bare prompt_toolkit prompt", bare, ""],
        ["agentao prompt", medians["agentao prompt"], f"{medians['agentao prompt'] / bare:.2f} x"],
    ]


def _environment(home: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}


def _exited(argv: list[str]) -> float:
    with tempfile.TemporaryDirectory() as home:
        start = time.perf_counter()
        subprocess.run(argv, env=_environment(home), cwd=home, capture_output=True, check=True)
        return (time.perf_counter() - start) * 1e3


def _ready(argv: list[str], prompt: str) -> float:
    """Until a key that was pressed as soon as the prompt was seen has been echoed."""
    with tempfile.TemporaryDirectory() as home:
        start = time.perf_counter()
        child = pexpect.spawn(argv[0], argv[1:], env=_environment(home), cwd=home, dimensions=(40, 120), timeout=60)
        child.delaybeforesend = None
        seen = ""
        asked = False
        while PROBE not in seen:
            data = child.read_nonblocking(65_536, 60).decode("utf-8", "replace")
            if ASKS_CURSOR in data:
                child.send("\x1b[1;1R")
            seen = ESCAPE.sub("", seen + data)
            if not asked and re.search(prompt, seen):
                asked, seen = True, ""
                child.send(PROBE)
        took = (time.perf_counter() - start) * 1e3
        child.close(force=True)
        return took
