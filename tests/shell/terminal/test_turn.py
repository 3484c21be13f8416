"""What the screen holds of an answer that was stopped is what the conversation keeps."""

from __future__ import annotations

import io
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentao.agent.agent import Agent
from agentao.agent.scripted_client import ScriptedClient, say
from agentao.config import Settings
from agentao.memory.manager import MemoryManager
from agentao.memory.store import SQLiteMemoryStore
from agentao.shell.output import Output
from agentao.shell.terminal.markdown_stream import MarkdownPainter
from agentao.shell.terminal.screen import Screen
from agentao.shell.terminal.signals import interrupt_held
from agentao.shell.terminal.turn import STOPPED_EXIT_CODE, TurnView

ITEMS = "".join(f"{number}. item{number:03}\n" for number in range(1, 13))


class Tty(io.StringIO):
    """Takes what a terminal would show."""

    def isatty(self) -> bool:
        """A person looks."""
        return True


def items(text: str) -> list[str]:
    return re.findall(r"item\d{3}", text)


@pytest.mark.parametrize("where", ["before", "within", "after"])
@pytest.mark.parametrize(("at", "strikes"), [(1, 1), (4, 1), (11, 1), (1, 2), (4, 2)])
def test_ctrl_c_while_a_part_is_drawn_loses_and_doubles_nothing(
    at: int, strikes: int, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IN-06: each finished item that came stands on the screen once, and the message kept has the same items.

    A second Ctrl-C comes while the next item is printed; the eleventh is printed when the whole answer has come.
    """
    manager = MemoryManager(SQLiteMemoryStore.open(tmp_path / "p.db"), SQLiteMemoryStore.open(tmp_path / "u.db"))
    agent = Agent(manager, ScriptedClient(say(ITEMS, pieces=len(ITEMS) // 5)))
    out = Tty()
    painted = 0
    paint, draw = MarkdownPainter._paint_piece, MarkdownPainter._print

    def strike(place: str, then: Callable[..., None], *arguments: Any) -> None:
        nonlocal painted
        painted += place == "before"
        hit = where == place and at <= painted < at + strikes
        if hit and place != "after":
            signal.raise_signal(signal.SIGINT)
        then(*arguments)
        if hit and place == "after":
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(
        MarkdownPainter,
        "_paint_piece",
        lambda self, piece: strike("after", lambda: strike("before", paint, self, piece)),
    )
    monkeypatch.setattr(MarkdownPainter, "_print", lambda self, shown: strike("within", draw, self, shown))

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = TurnView(Screen(Output(Settings(tmp_path, tmp_path), out, out))).show(agent.run_turn("list"), raw=False)
    except KeyboardInterrupt:
        code = STOPPED_EXIT_CODE
    finally:
        signal.signal(signal.SIGINT, before)
        manager.close()

    assert code == STOPPED_EXIT_CODE
    kept = agent.messages[-1]
    assert kept.complete is (at == 11)
    assert items(out.getvalue()) == items(kept.content)


def test_a_held_ctrl_c_comes_late_and_a_second_at_once() -> None:
    """Nothing is cut short by the first; the second still ends what would never end."""
    done: list[str] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), interrupt_held():
            signal.raise_signal(signal.SIGINT)
            done.append("after the first")
        with pytest.raises(KeyboardInterrupt), interrupt_held():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            done.append("after the second")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["after the first"]
