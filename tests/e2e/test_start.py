"""The start: what is there before the prompt, and what waits until it takes keys."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.terminal import Terminal


def test_what_the_first_message_needs_is_imported_behind_the_prompt(home: Path, project: Path) -> None:
    """UX: no import that the prompt does not need keeps it waiting; those of the first message come by themselves."""
    argv = (sys.executable, "-P", "-X", "importtime", "-m", "agentao")
    with Terminal(argv, home=home, cwd=project) as term:
        term.see("rich.markdown")
        seen = term.new
    before = seen[: seen.index("agentao>")]
    assert "agentao.shell.terminal.prompt" in before
    for module in ("agentao.memory.guard", "agentao.agent.turns", "rich.markdown"):
        assert module not in before and module in seen, module
