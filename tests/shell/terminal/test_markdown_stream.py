"""How answers are drawn: once, at the width of the moment, with nothing added that spoils a copy."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from agentao.shell.terminal.markdown_blocks import PARSER
from agentao.shell.terminal.markdown_look import ANSWER_THEME, Answer
from agentao.shell.terminal.markdown_stream import MarkdownPainter
from tests.support.markdown_documents import DOCUMENTS, LINES, PARTS

ANSWER = """# Title

Some **bold** words and `code`, see [the docs](https://docs.example) for more of it, and so on and on.

- one
- two
  1. inner

```python
def f(x):
    return "text"
```

> quoted

| name | 名字 |
|---|---|
| a | 甲 |

Last line.
"""

DRAWN = """Title

Some bold words and code, see the docs
(https://docs.example) for more of it,
and so on and on.

 • one
 • two
    1. inner

  def f(x):
      return "text"

▌ quoted

name │ 名字
─────┼─────
a    │ 甲

Last line.
"""


def paper(width: int, *, color: bool = False) -> tuple[io.StringIO, Console]:
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    return buffer, console


def drawn(text: str, *, width: int = 40, step: int = 3, color: bool = False) -> str:
    return painted([text[at : at + step] for at in range(0, len(text), step)], width, color=color)


def painted(parts: Iterable[str], width: int, *, color: bool = False) -> str:
    buffer, console = paper(width, color=color)
    painter = MarkdownPainter(console)
    for part in parts:
        painter.feed(part)
    painter.finish()
    return buffer.getvalue()


def whole(text: str, width: int) -> str:
    """The document rendered at once, with no thought of streaming."""
    buffer, console = paper(width)
    with console.use_theme(ANSWER_THEME):
        console.print(Answer(PARSER.parse(text)))
    return buffer.getvalue()


def rows(text: str) -> list[str]:
    """The rows that hold something, without the blanks at their ends."""
    return [row.strip() for row in text.split("\n") if row.strip()]


@pytest.mark.parametrize("width", [20, 40, 200])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_kind_of_block_looks_as_in_a_whole_document(name: str, width: int) -> None:
    """Streamed letter by letter, each block has the rows that it has when the whole text is rendered at once."""
    assert rows(drawn(DOCUMENTS[name], width=width, step=1)) == rows(whole(DOCUMENTS[name], width))


@given(
    st.lists(st.sampled_from(LINES).map("{}\n".format) | st.sampled_from(PARTS), max_size=14).map("".join),
    st.lists(st.integers(1, 20), max_size=80),
    st.sampled_from([20, 40, 80]),
)
def test_any_cutting_of_any_answer_draws_the_same(text: str, sizes: list[int], width: int) -> None:
    """However a text is cut into deltas, what is drawn, colours and all, is what one delta draws."""
    parts, at = [], 0
    for size in sizes:
        parts.append(text[at : at + size])
        at += size
    assert painted([*parts, text[at:]], width, color=True) == painted([text], width, color=True)


@pytest.mark.parametrize("step", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_kind_of_block_streams_the_same(name: str, step: int) -> None:
    """The documents with every kind of block, in steps that cut them everywhere."""
    text = DOCUMENTS[name]
    assert drawn(text, step=step, color=True) == drawn(text, step=len(text), color=True)


@pytest.mark.parametrize("width", [20, 40])
@pytest.mark.parametrize("name", ["a wide table", "many columns", "a table", "emoji"])
def test_a_table_loses_nothing_in_a_narrow_window(name: str, width: int) -> None:
    """Every letter of every cell is there, and no row is wider than the window."""
    text = drawn(DOCUMENTS[name], width=width)
    letters = Counter(char for char in text if char.isalnum())
    assert not Counter(char for char in DOCUMENTS[name] if char.isalnum()) - letters
    assert max(map(cell_len, text.split("\n"))) <= width


def test_columns_of_a_table_are_aligned_as_their_head_says() -> None:
    """Left, right and centre, in cells."""
    text = drawn("| left | right | centre |\n|:--|--:|:-:|\n| a | 1 | x |\n| 一二三 | 二 | 中 |\n")
    assert [row.rstrip() for row in text.rstrip().split("\n")[2:]] == ["a      │     1 │   x", "一二三 │    二 │   中"]


@pytest.mark.parametrize("step", [1, 3, 50, 10_000])
def test_an_answer_looks_the_same_however_it_streams(step: int) -> None:
    """Headings, paragraphs, lists, code, quotations and tables, letter by letter or at once."""
    assert "\n".join(line.rstrip() for line in drawn(ANSWER, step=step).split("\n")) == DRAWN


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_no_line_is_wider_than_the_window(width: int) -> None:
    """Text of wide characters is wrapped by cells."""
    text = "你好世界，" * 30 + " and words of more than one script " * 5 + "\n\n- 列表项" + "很长" * 40 + "\n"
    assert max(cell_len(line) for line in drawn(text, width=width).split("\n")) <= width


def test_a_long_line_of_code_is_left_to_the_terminal() -> None:
    """Code is not broken into lines, so that a copied line is whole; in lists and quotations neither."""
    line = "x = " + "1 + " * 50 + "1"
    assert f"  {line}\n" in drawn(f"```\n{line}\n```\n", width=40)
    assert f"  {line}\n" in drawn(f"words\n\n    {line}\n", width=40)
    for lead in (" 1. ", " • ", "▌ "):
        mark = {" 1. ": "1. ", " • ": "- ", "▌ ": "> "}[lead]
        inside = mark if mark == "> " else " " * len(mark)
        assert f"  {line}\n" in drawn(f"{mark}do\n{inside}\n{inside}```\n{inside}{line}\n{inside}```\n", width=40)


def test_what_is_nested_deep_in_a_narrow_window_is_all_there() -> None:
    """Twenty levels in twenty columns: where no room is left, the terminal wraps."""
    text = drawn("".join(f"{'  ' * level}- item {level}\n" for level in range(20)), width=20)
    assert re.findall(r"\d+", text) == [f"{level}" for level in range(20)]


def test_lines_end_where_their_text_ends() -> None:
    """No blanks up to the margin."""
    assert all(line == line.rstrip() for line in drawn("- item\n\n> quote\n\nwords\n").split("\n"))


def test_code_is_coloured_and_its_colours_span_lines() -> None:
    """A string over two lines is a string in the second, too."""
    text = drawn('```python\nx = """one\ntwo"""\n```\n', color=True)
    second = text.split("\n")[1]
    assert "\x1b[32m" in second


@pytest.mark.parametrize("name", DOCUMENTS)
def test_answers_are_drawn_in_the_colours_of_the_program(name: str) -> None:
    """Code and marks of every kind take the colours that read on light and on dark ground, and no background."""
    for codes in re.findall(r"\x1b\[([0-9;]*)m", drawn(DOCUMENTS[name], color=True)):
        assert set(codes.split(";")) <= {"", "0", "1", "2", "3", "4", "9", "32", "35", "36"}, codes


def test_an_unknown_language_is_plain_code() -> None:
    """A language that nothing is known of does no harm."""
    assert drawn("```nonsense\nx\n```\n") == "  x\n"


def test_code_that_a_lexer_changes_is_shown_as_it_came() -> None:
    """A carriage return, which lexers drop, moves no colours and stops nothing."""
    assert "x = 1" in drawn("```python\nx = 1\r\ny = 2\r\nz = 3\n```\n", color=True, step=1)


def test_html_and_definitions_stay_readable() -> None:
    """What other Markdown hides is shown as text: tags, link definitions, pictures."""
    text = drawn("Use List<T> here.\n\n[1]: https://x.example\n\n![alt](https://p.example)\n", width=80)
    assert "List<T>" in text
    assert "https://x.example" in text
    assert "https://p.example" in text
