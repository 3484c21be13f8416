"""How results look: ``render`` gives a rich renderable for each of them. Stored text enters only through ``text``.

``width=None`` is for pipes and files: nothing is wrapped or cut.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from agentao.memory.text import visible
from agentao.shell import results
from agentao.shell.views.cells import wrap
from agentao.shell.views.colors import BAD, NOTE


class Page(NamedTuple):
    """What a view has to know about the paper: cells across (None: no limit), the time, whether it is a terminal that
    can be told a column, and how words of the program's own name commands there."""

    width: int | None
    now: datetime
    place: bool = False
    named: Callable[[str], str] = str


View = Callable[[Any, Page], RenderableType]


def clean(text: str) -> str:
    """Text that steers no terminal: controls and invisible characters as escapes, tabs as blanks; line breaks stay."""
    return visible(text.replace("\t", "    ")).replace("\r", "\\x0d")


def inline(text: str) -> str:
    """Clean text in one line; line breaks show as ``⏎``."""
    return " ⏎ ".join(line.strip() for line in clean(text).strip().split("\n") if line.strip())


def text(content: str, style: str = "") -> Text:
    """Any text from outside, clean."""
    return Text(clean(content), style=style)


def render(
    result: results.Result,
    width: int | None,
    *,
    now: datetime | None = None,
    place: bool = False,
    named: Callable[[str], str] = str,
) -> RenderableType:
    """The renderable of a result for ``width`` cells."""
    return lines(views()[type(result)](result, Page(width, now or datetime.now(UTC), place, named)))


def views() -> dict[type, View]:
    """The view of every kind of result."""
    from agentao.shell.views import help as views_help
    from agentao.shell.views import memory as views_memory
    from agentao.shell.views import past as views_past
    from agentao.shell.views import recall as views_recall
    from agentao.shell.views import state as views_state

    modules = (views_memory, views_help, views_past, views_state, views_recall)
    return {kind: view for each in (VIEWS, *(module.VIEWS for module in modules)) for kind, view in each.items()}


class Flow:
    """Text wrapped at our own idea of its width; every line begins ``indent`` cells in, or behind ``lead``."""

    def __init__(self, content: Text, indent: int = 0, lead: Text | None = None) -> None:
        self.content, self.indent, self.lead = content, indent, lead

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines; one for each line of the text where nothing is to be wrapped."""
        first = True
        for line in self.content.split("\n", allow_blank=True):
            hang = len(line.plain) - len(line.plain.lstrip(" ")) if line.plain.strip() else 0
            indent = self.indent + hang
            for row in [line[hang:]] if options.no_wrap else wrapped(line[hang:], options, indent):
                lead = self.lead if first and self.lead is not None else Text(" " * indent)
                yield from Text.assemble(lead, row, end="").render(console)
                yield Segment.line()
                first = False


def wrapped(line: Text, options: ConsoleOptions, indent: int) -> list[Text]:
    """One line in as many as it takes; an empty one stays."""
    return wrap(line, max(8, options.max_width - indent)) or [Text("")]


def lines(*parts: RenderableType | None) -> RenderableType:
    """The parts that are there, one below the other, text wrapped."""
    return Group(*(Flow(part) if isinstance(part, Text) else part for part in parts if part is not None))


def note(line: str) -> Text | None:
    """A quiet line, or nothing."""
    return Text(clean(line), style=NOTE) if line else None


def tip(line: str, page: Page) -> Text | None:
    """A quiet line that names commands."""
    return note(page.named(line))


def count(number: int, one: str, many: str = "") -> str:
    """``1 memory``, ``2,048 memories``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def age(stamp: str, now: datetime) -> str:
    """How long ago, in the largest fitting unit; a time in the future counts as now."""
    then = parse(stamp)
    if then is None:
        return "?"
    minutes = int((now - then).total_seconds() // 60)
    if minutes < 1:
        return "now"
    hours, days = minutes // 60, minutes // 1440
    if hours < 1:
        return f"{minutes} min"
    if days < 1:
        return f"{hours} h"
    if days < 60:
        return f"{days} d"
    return f"{days // 30} mo" if days < 730 else f"{days // 365} y"


def local(stamp: str) -> str:
    """A stored time in this machine's zone, to the minute."""
    then = parse(stamp)
    return then.astimezone().strftime("%Y-%m-%d %H:%M") if then else clean(stamp)


def parse(stamp: str) -> datetime | None:
    """A stored time; one without a zone is local."""
    try:
        return datetime.fromisoformat(stamp).astimezone(UTC)
    except ValueError:
        return None


def _notice(result: results.Notice, page: Page) -> RenderableType:
    return lines(
        *(text(page.named(line), BAD if result.warning and not at else "") for at, line in enumerate(result.lines))
    )


def _nothing(result: results.Result, page: Page) -> RenderableType:
    return Group()


VIEWS: dict[type, View] = {
    results.Notice: _notice,
    results.Leave: _nothing,
    results.EditDraft: _nothing,
}
