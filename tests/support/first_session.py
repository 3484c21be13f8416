"""A first conversation as it really looks: what the README shows is played in a terminal, never typed by hand."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.support.terminal import Terminal

SESSIONS = (
    ("remember that I prefer nvim", "记住 我叫小明", "/exit"),
    ("what editor do I prefer?", "/memory list", "/exit"),
)
"""What is typed, in two starts one after the other."""


def first_session() -> str:
    """Both starts, as they stand in the scroll-back of a window of 80 columns."""
    shown: list[str] = []
    with tempfile.TemporaryDirectory(prefix="agentao-") as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        home.mkdir()
        project.mkdir()
        for lines in SESSIONS:
            with Terminal(home=home, cwd=project, rows=50) as term:
                for line in lines:
                    term.prompt()
                    term.enter(line)
                term.end()
                shown += ["$ scripts/agentao", *term.lines]
    return "\n".join(shown) + "\n"
