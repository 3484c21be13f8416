"""Views of help: commands by topic, one command whole."""

from __future__ import annotations

import re

from rich.console import RenderableType
from rich.text import Text

from agentao.shell import results
from agentao.shell.views.cells import cells
from agentao.shell.views.colors import NOTE, STRONG
from agentao.shell.views.render import Flow, Page, View, clean, lines

USAGE_MAX = 30
"""A usage longer than this is cut in an overview; the command's own help has it whole."""


def _topics(result: results.HelpTopics, page: Page) -> RenderableType:
    wide = max((cells(_short(line.usage)) for _, entries in result.topics for line in entries), default=0)
    parts: list[RenderableType] = []
    for heading, entries in result.topics:
        parts.append(Text(heading, style=STRONG))
        parts += [_entry(line, wide, page) for line in entries]
    return lines(*parts, *(Text(line, style=NOTE) for line in result.footer))


def _short(usage: str) -> str:
    """The usage without its options, and cut where still long."""
    shown = re.sub(r" \[--[^\]]*\]", "", usage)
    return shown if cells(shown) <= USAGE_MAX else shown[: USAGE_MAX - 1] + "…"


def _entry(line: results.HelpLine, wide: int, page: Page) -> RenderableType:
    usage = _short(line.usage)
    gap = wide + 4
    if page.width is not None and page.width < gap + 24:
        return lines(Text(f"  {usage}"), Flow(Text(line.summary, style=NOTE), indent=6))
    left = Text(f"  {usage}{' ' * (wide - cells(usage))}  ")
    return Flow(Text(line.summary, style=NOTE), indent=gap, lead=left)


def _command(result: results.HelpCommand, page: Page) -> RenderableType:
    described = [*result.arguments, *result.options]
    wide = max((cells(name) for name, _ in described), default=0)
    return lines(
        Text(result.usage, style=STRONG),
        Text(result.summary),
        Text(result.description, style=NOTE) if result.description else None,
        *(
            Flow(Text(about, style=NOTE), indent=wide + 4, lead=Text(f"  {name}{' ' * (wide - cells(name))}  "))
            for name, about in described
        ),
        Text("For example") if result.examples else None,
        *(Text(f"  {clean(example)}", style=NOTE) for example in result.examples),
        Text(f"Also: {', '.join(result.aliases)}", style=NOTE) if result.aliases else None,
        *(_entry(line, max(cells(_short(each.usage)) for each in result.under), page) for line in result.under),
    )


VIEWS: dict[type, View] = {results.HelpTopics: _topics, results.HelpCommand: _command}
