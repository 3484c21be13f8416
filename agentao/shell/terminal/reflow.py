"""Where the cursor is after a terminal has wrapped what stood on it to a new width."""

from __future__ import annotations

from collections.abc import Iterable

from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.screen import Char, Screen


def cursor_after(screen: Screen, cursor: Point, *, drawn_columns: int, columns: int) -> Point:
    """The cursor's place, from the first row of what was drawn ``drawn_columns`` wide, now that it is ``columns`` wide.

    Every row was drawn as a line of its own, so a wider terminal joins none. The column is one from which moving left
    by as much reaches the first for sure.
    """
    if columns >= drawn_columns:
        return cursor
    above = sum(rows_of(_drawn(screen.data_buffer[y], drawn_columns), columns) for y in range(cursor.y))
    row = _drawn(screen.data_buffer[cursor.y], drawn_columns)
    before = rows_of(_up_to(row, cursor.x + 1), columns) - 1
    return Point(x=columns, y=above + before)


def rows_of(widths: Iterable[int], columns: int) -> int:
    """The rows that characters of these widths take; one that does not fit whole begins the next row."""
    rows, used = 1, 0
    for width in widths:
        if used + width > columns:
            rows, used = rows + 1, 0
        used += width
    return rows


def _drawn(row: dict[int, Char], columns: int) -> list[int]:
    """The widths of a row's characters. Blanks at its end are not drawn, but those of a coloured menu are."""
    last = max((x for x, cell in row.items() if x < columns and (cell.char != " " or "menu" in cell.style)), default=-1)
    widths, x = list[int](), 0
    while x <= last:
        widths.append(row[x].width or 1)
        x += widths[-1]
    return widths


def _up_to(widths: list[int], cells: int) -> Iterable[int]:
    """The characters that begin within the first ``cells``."""
    x = 0
    for width in widths:
        if x >= cells:
            return
        yield width
        x += width
