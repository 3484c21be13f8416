"""Where the cursor is after a terminal has wrapped the drawn rows to another width."""

from __future__ import annotations

import pytest
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.screen import Char, Screen
from prompt_toolkit.utils import get_cwidth

from agentao.shell.terminal.reflow import cursor_after, rows_of


def drawn(*rows: str) -> Screen:
    """A screen with these rows."""
    screen = Screen()
    for y, row in enumerate(rows):
        x = 0
        for char in row:
            screen.data_buffer[y][x] = Char(char)
            x += get_cwidth(char)
    return screen


@pytest.mark.parametrize(
    ("row", "columns", "rows"),
    [("", 5, 1), ("abcde", 5, 1), ("abcdef", 5, 2), ("你好你好", 5, 2), ("a你好你好", 5, 2), ("你好你好你", 5, 3)],
)
def test_a_wide_character_is_never_cut_in_two(row: str, columns: int, rows: int) -> None:
    """A row takes as many rows as its characters need when one that does not fit whole begins the next."""
    assert rows_of(map(get_cwidth, row), columns) == rows


@pytest.mark.parametrize(
    ("cursor", "columns", "row"),
    [
        (Point(x=4, y=0), 5, 0),  # within the first row
        (Point(x=7, y=0), 5, 1),  # behind its fifth column
        (Point(x=0, y=1), 5, 2),  # below a row that became two
        (Point(x=6, y=1), 5, 3),  # wide characters fill four of five columns
        (Point(x=10, y=1), 10, 1),  # behind the last character, which the window still holds
        (Point(x=0, y=2), 5, 5),  # a row of blanks is one
        (Point(x=6, y=1), 40, 1),  # a wider window joins nothing
    ],
)
def test_the_cursor_moves_with_what_was_drawn_above_it(cursor: Point, columns: int, row: int) -> None:
    """The rows from the first to the cursor's are counted at the new width."""
    screen = drawn("abcdefgh", "你好你好你", "   ")
    assert cursor_after(screen, cursor, drawn_columns=20, columns=columns).y == row
