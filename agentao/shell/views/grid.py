"""A table for the terminal whose columns hold in every script.

Behind signs on whose width terminals disagree, and before each border of their line, the cursor is told its column, so
that the borders stand where they should.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from rich.console import Console, ConsoleOptions, RenderResult
from rich.control import Control
from rich.segment import ControlType, Segment
from rich.style import Style
from rich.text import Text

from agentao.shell.views.cells import cells, clusters, cut, misplaces, unsure, wrap

GAP = 3
"""Cells between two columns: a blank, a border, a blank."""

BORDER = Style(dim=True)
EMPTY = Text("")

Align = Literal["left", "right", "center"]


class Column(NamedTuple):
    """``floor`` is what the column keeps when room is short; ``weight`` is its share of what is left."""

    header: str
    floor: int
    weight: int = 0
    ceiling: int = 10_000
    lines: int = 3
    align: Align = "left"


class Cell(NamedTuple):
    """Text, and what stands at its end when it had to be cut."""

    text: Text
    tail: str = "…"


class Grid:
    """Rows under a header line. With ``place`` the terminal is told the column where signs of unsure width stand."""

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Iterable[Sequence[Cell]],
        *,
        width: int,
        place: bool = False,
        ruled: bool = False,
    ) -> None:
        self.columns = list(columns)
        self.rows = [list(row) for row in rows]
        self.width = width
        self.place = place
        self.ruled = ruled

    def widths(self) -> list[int]:
        """How wide each column is: as wide as its text, as long as all fit; else by floor and weight."""
        natural = [
            min(column.ceiling, max(_natural(Text(column.header)), *(_natural(row[at].text) for row in self.rows), 1))
            for at, column in enumerate(self.columns)
        ]
        widths = [min(want, column.floor) for want, column in zip(natural, self.columns, strict=True)]
        left = self.width - GAP * (len(widths) - 1) - sum(widths)
        open_ = [at for at, want in enumerate(natural) if widths[at] < want and self.columns[at].weight]
        while open_ and left > 0:
            total = sum(self.columns[at].weight for at in open_)
            share = {at: left * self.columns[at].weight // total for at in open_}
            small = [at for at in open_ if natural[at] - widths[at] <= share[at]]
            for at in small or open_:
                given = natural[at] - widths[at] if small else share[at]
                widths[at] += given
                left -= given
            open_ = [at for at in open_ if at not in small] if small else []
        return widths

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines, each at most ``width`` cells."""
        bar, dash, cross = ("|", "-", "+") if options.ascii_only else ("│", "─", "┼")
        widths = self.widths()
        if any(column.header for column in self.columns):
            header = [Cell(Text(column.header, style="bold")) for column in self.columns]
            yield from self._row(console, header, widths, bar)
        rule = f"{dash}{cross}{dash}".join(dash * width for width in widths)
        yield Segment(rule, BORDER)
        yield Segment.line()
        for number, row in enumerate(self.rows):
            if self.ruled and number:
                yield Segment(rule, BORDER)
                yield Segment.line()
            yield from self._row(console, row, widths, bar)

    def _row(self, console: Console, row: Sequence[Cell], widths: Sequence[int], bar: str) -> Iterator[Segment]:
        columns = [
            fitted(cell, width, column.lines) for cell, width, column in zip(row, widths, self.columns, strict=True)
        ]
        for number in range(max(1, *(len(lines) for lines in columns))):
            start, doubt = 0, False
            for at, (lines, width) in enumerate(zip(columns, widths, strict=True)):
                line = lines[number] if number < len(lines) else EMPTY
                last = at == len(widths) - 1
                if at:
                    if doubt and self.place:
                        yield _to_column(start - GAP)
                    yield Segment(f" {bar}" if last and not line.plain else f" {bar} ", BORDER)
                room = width - cells(line.plain)
                align = self.columns[at].align
                before = 0 if align == "left" or not line.plain else room if align == "right" else room // 2
                if before:
                    yield Segment(" " * before)
                if line.plain:
                    yield from self._line(console, line, start + before)
                    doubt = doubt or unsure(line.plain)
                if not last:
                    yield Segment(" " * (room - before))
                start += width + GAP
            yield Segment.line()

    def _line(self, console: Console, line: Text, start: int) -> Iterator[Segment]:
        """The segments of one line of one cell, parted where the terminal may have lost the column."""
        if not (line.style or line.spans or unsure(line.plain)):
            yield Segment(line.plain)
            return
        at = start
        for segment in Text.assemble(line, end="").render(console):
            if not self.place or not unsure(segment.text):
                yield segment
                at += cells(segment.text)
                continue
            piece = ""
            for cluster in clusters(segment.text):
                piece += cluster
                if misplaces(cluster):
                    yield Segment(piece, segment.style)
                    at += cells(piece)
                    yield _to_column(at)
                    piece = ""
            yield Segment(piece, segment.style)
            at += cells(piece)


def fitted(cell: Cell, width: int, lines_max: int) -> list[Text]:
    """The lines of one cell, wrapped to ``width``; the last one ends with the cell's tail when some were left out."""
    lines = wrap(cell.text, width)
    if len(lines) <= lines_max:
        return lines
    kept = lines[:lines_max]
    tail = cell.tail if cells(cell.tail) < width else "…"
    if cells(kept[-1].plain) > width - cells(tail):
        cut(kept[-1], width - cells(tail))
    kept[-1].append(tail, style="dim")
    return kept


def _natural(text: Text) -> int:
    return max((cells(line) for line in text.plain.split("\n")), default=0)


def _to_column(column: int) -> Segment:
    return Control((ControlType.CURSOR_MOVE_TO_COLUMN, column)).segment
