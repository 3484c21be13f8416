"""Golden files of the views: what each sample looks like at several widths. ``scripts/golden`` writes them anew."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path

from rich.console import Console

from agentao.shell import results
from agentao.shell.commands import TABLE
from agentao.shell.context import CommandContext
from agentao.shell.views import render
from tests.support.samples import NOW, SAMPLES

FOLDER = Path(__file__).parents[1] / "shell" / "golden"
WIDTHS: dict[str, tuple[int | None, ...]] = {
    "list": (40, 60, 80, 120, 200, None),
    "search": (40, 80, None),
    "status": (40, 80),
    "why": (40, 80, 120),
    "context": (40, 80),
}
"""The widths of each sample; 80 where it is not named here. None is a pipe."""

HELP = ("", "memory", "memory delete", "memory list", "memory review")
"""What ``/help`` is asked for in golden files of its own."""


def paint(result: results.Result, width: int | None, *, color: bool = False, place: bool = False) -> str:
    """The result as text, at a fixed time in UTC."""
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width or 100_000,
        color_system="standard" if color else None,
        force_terminal=color or place,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
    )
    console.print(render(result, width, now=NOW, place=place), soft_wrap=width is None)
    return buffer.getvalue()


def in_utc() -> None:
    """Local times are UTC from here on."""
    os.environ["TZ"] = "UTC"
    time.tzset()


def golden_texts() -> dict[str, str]:
    """File name → what should stand in it."""
    texts = {}
    for name, result in SAMPLES.items():
        for width in WIDTHS.get(name, (80,)):
            texts[f"{name}.{width or 'pipe'}.txt"] = paint(result, width)
    for words in HELP:
        call = TABLE.parse(f"help {words}")
        name = f"help_{words.replace(' ', '_')}" if words else "help_overview"
        texts[f"{name}.80.txt"] = paint(call.run(CommandContext()), 80)
    return texts


def rewrite() -> list[str]:
    """Write all golden files; the names of those that changed or went."""
    in_utc()
    FOLDER.mkdir(exist_ok=True)
    texts = golden_texts()
    changed = []
    for path in FOLDER.glob("*.txt"):
        if path.name not in texts:
            path.unlink()
            changed.append(path.name)
    for name, text in texts.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(name)
    return sorted(changed)
