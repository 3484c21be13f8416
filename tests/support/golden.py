"""What is generated and kept: views of each sample at several widths, and the README's commands.

``rewrite`` writes all of it anew (``scripts/golden``), ``stale`` names what is not up to date (``scripts/check``).
"""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path

from rich.console import Console

from agentao.shell import results
from agentao.shell.commands import TABLE
from agentao.shell.commands.shell import TOPICS
from agentao.shell.context import CommandContext
from agentao.shell.views.render import render
from tests.support.first_session import first_session
from tests.support.samples import NOW, SAMPLES

FOLDER = Path(__file__).parents[1] / "shell" / "golden"
README = Path(__file__).parents[2] / "README.md"
COMMANDS_MARK, COMMANDS_END = "<!-- commands: written by scripts/golden -->", "<!-- end of commands -->"
"""Between these two lines the README's commands stand."""
SESSION_MARK, SESSION_END = "<!-- first session: written by scripts/golden -->", "<!-- end of first session -->"
"""Between these two lines the README's first conversation stands."""

BAR = "\\|"
"""A bar inside a cell of a Markdown table."""

WIDTHS: dict[str, tuple[int | None, ...]] = {
    "list": (40, 60, 80, 120, 200, None),
    "search": (40, 80, None),
    "status": (40, 80),
    "why": (40, 80, 120),
    "context": (40, 80),
    "diagnosis": (20, 40, 80),
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


def readme_commands() -> str:
    """The README's tables of commands, by topic."""
    parts = []
    for topic, heading in TOPICS.items():
        rows = []
        for entry in TABLE:
            if entry.topic == topic:
                usage = entry.usage("/" if entry.where != "line" else "agentao ", options=False)
                rows.append(f"| `{usage.replace('|', BAR)}` | {entry.summary} |")
        parts.append("\n".join([f"| {heading} | |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def readme_text(readme: str) -> str:
    """A README with its section of commands as it should be; without the two marks it stays as it is."""
    return _replaced(readme, COMMANDS_MARK, COMMANDS_END, readme_commands())


def whole_readme(readme: str) -> str:
    """A README with everything generated as it should be."""
    session = f"```console\n{first_session()}```\n"
    return readme_text(_replaced(readme, SESSION_MARK, SESSION_END, session))


def _replaced(text: str, begin: str, end: str, content: str) -> str:
    before, mark, rest = text.partition(begin)
    _, last, after = rest.partition(end)
    return f"{before}{mark}\n{content}{last}{after}" if mark and last else text


def stale() -> list[str]:
    """The generated files that are not as they should be, for ``scripts/check``."""
    in_utc()
    texts = golden_texts()
    wrong = {path.name for path in FOLDER.glob("*.txt")} - set(texts)
    wrong |= {
        name
        for name, text in texts.items()
        if not (FOLDER / name).exists() or (FOLDER / name).read_text(encoding="utf-8") != text
    }
    readme = README.read_text(encoding="utf-8")
    if whole_readme(readme) != readme:
        wrong.add(README.name)
    return sorted(wrong)


def rewrite() -> list[str]:
    """Write all generated files; the names of those that changed or went."""
    changed = stale()
    texts = golden_texts()
    FOLDER.mkdir(exist_ok=True)
    for name in changed:
        if name in texts:
            (FOLDER / name).write_text(texts[name], encoding="utf-8")
        elif name == README.name:
            README.write_text(whole_readme(README.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            (FOLDER / name).unlink()
    return changed


def main(words: list[str]) -> int:
    """Write everything anew, or with ``--check`` say what is stale; the exit code."""
    if words == ["--check"]:
        names = stale()
        for name in names:
            print(f"{name} is not up to date; scripts/golden writes it anew.")
        return 1 if names else 0
    for name in rewrite():
        print(f"{name} written.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
