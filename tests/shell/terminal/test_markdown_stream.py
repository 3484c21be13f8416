"""How answers are drawn: once, at the width of the moment, with nothing added that spoils a copy."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from agentao.shell.terminal.markdown_stream import MarkdownPainter

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
    1 inner

  def f(x):
      return "text"

▌ quoted

 name  名字
 ──────────
 a     甲

Last line.
"""


def drawn(text: str, *, width: int = 40, step: int = 3, color: bool = False) -> str:
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
    painter = MarkdownPainter(console)
    for at in range(0, len(text), step):
        painter.feed(text[at : at + step])
    painter.finish()
    return buffer.getvalue()


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
    """Code is not broken into lines, so that a copied line is whole."""
    line = "x = " + "1 + " * 50 + "1"
    assert f"  {line}\n" in drawn(f"```\n{line}\n```\n", width=40)


def test_lines_end_where_their_text_ends() -> None:
    """No blanks up to the margin."""
    assert all(line == line.rstrip() for line in drawn("- item\n\n> quote\n\nwords\n").split("\n"))


def test_code_is_coloured_and_its_colours_span_lines() -> None:
    """A string over two lines is a string in the second, too."""
    text = drawn('```python\nx = """one\ntwo"""\n```\n', color=True)
    second = text.split("\n")[1]
    assert "\x1b[32m" in second


def test_an_unknown_language_is_plain_code() -> None:
    """A language that nothing is known of does no harm."""
    assert drawn("```nonsense\nx\n```\n") == "  x\n"


def test_html_and_definitions_stay_readable() -> None:
    """What other Markdown hides is shown as text: tags, link definitions, pictures."""
    text = drawn("Use List<T> here.\n\n[1]: https://x.example\n\n![alt](https://p.example)\n", width=80)
    assert "List<T>" in text
    assert "https://x.example" in text
    assert "https://p.example" in text
