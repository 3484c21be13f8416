"""Which part of a growing text is finished: the same pieces however it is cut, and nothing lost or doubled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentao.shell.terminal.markdown_blocks import MarkdownBlocks, Piece

DOCUMENT = """# Title
Hello **bold text here** and `code with space` then [a link](http://x.y/z "t t") more
second line, 2 * 3 and snake_case_name.

- one
- two **x**
  - nested
- three

4. a
4. b
   para

   more
4. c

```python
def f():
    return 1

```
After code.

| a | b |
|---|---|
| 1 | 2 |

> quote me
> more

你好世界，这是一个很长的段落。没有空格的**粗体**文字。

<details> stays, ![so](pic.png) does this
"""


ROW_CELLS = 12


def new_blocks() -> MarkdownBlocks:
    return MarkdownBlocks(lambda: ROW_CELLS)


def pieces(*parts: str) -> list[Piece]:
    blocks = new_blocks()
    found = [piece for part in parts for piece in blocks.feed(part)]
    return found + blocks.finish()


def shapes(found: list[Piece]) -> list[tuple[str, str]]:
    """Kind and source, with the words of a paragraph put together again."""
    shaped: list[tuple[str, str]] = []
    for piece in found:
        kind = "paragraph" if piece.kind in ("words", "block") else piece.kind
        if kind == "paragraph" and not piece.first:
            shaped[-1] = (kind, shaped[-1][1] + piece.source)
        else:
            shaped.append((kind, piece.source))
    return [(kind, source.strip("\n")) for kind, source in shaped]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60))
def test_pieces_do_not_depend_on_how_the_text_is_cut(sizes: list[int]) -> None:
    """Letter by letter, at once, or cut anywhere: the same blocks, items and lines of code come out."""
    parts, at = [], 0
    for size in sizes:
        parts.append(DOCUMENT[at : at + size])
        at += size
    assert shapes(pieces(*parts, DOCUMENT[at:])) == shapes(pieces(DOCUMENT))


@given(st.text(alphabet="ab *_#->1.)|[]()\n你好<!\\", max_size=120), st.integers(1, 7))
def test_no_letter_is_lost_or_doubled(text: str, size: int) -> None:
    """Whatever the markup, the letters of all pieces are the letters of the text, in order."""
    found = pieces(*(text[at : at + size] for at in range(0, len(text), size)))
    assert [char for piece in found for char in piece.source if char in "ab你好"] == [c for c in text if c in "ab你好"]


def test_a_paragraph_is_given_word_by_word() -> None:
    """Words come when a row is full and nothing that follows can change them; inside emphasis they wait for its end."""
    blocks = new_blocks()
    assert blocks.feed("one two thre") == []
    assert [piece.source for piece in blocks.feed("e and")] == ["one two three "]
    assert blocks.feed(" **bold") == [Piece("words", "and ", first=False)]
    assert blocks.feed(" and more") == []
    assert [piece.source for piece in blocks.feed("** end ")] == ["**bold and more** "]


def test_an_underlined_title_is_a_heading_unless_its_words_were_given() -> None:
    """A title in one row waits for its line; behind a longer one the line is drawn as a rule, never swallowed."""
    assert pieces("A title\n", "===\n", "b") == [Piece("block", "A title\n===\n"), Piece("words", "b\n", last=True)]
    long = pieces("A title of two rows\n", "---\n")
    assert shapes(long) == [("paragraph", "A title of two rows"), ("paragraph", "---")]
    assert shapes(long) == shapes(pieces("A title of two rows\n---\n"))


def test_items_are_given_one_by_one_with_their_numbers() -> None:
    """An item of a list is finished when the next one begins; numbers go up from the first, as drawn lists do."""
    blocks = new_blocks()
    assert blocks.feed("7. a\n") == []
    assert blocks.feed("7. b\n") == [Piece("item", "7. a\n", number=7)]
    assert blocks.finish() == [Piece("item", "7. b\n", first=False, number=8)]


def test_code_is_given_line_by_line() -> None:
    """A line between fences is finished at its end, long before the closing fence."""
    blocks = new_blocks()
    assert blocks.feed("```py\nx = 1\ny") == [Piece("code", "x = 1", language="py")]
    assert blocks.feed(" = 2\n```\n") == [Piece("code", "y = 2", first=False, language="py")]
    assert blocks.finish() == []


def test_code_keeps_no_blank_lines_at_its_ends_and_no_indent_of_its_fence() -> None:
    """As Markdown has it: what stands between the fences, moved to the left as far as the fence was indented."""
    found = pieces("  ```\n\n  a\n\n    b\n\n  ```\n")
    assert [piece.source for piece in found] == ["a", "", "  b"]


@pytest.mark.parametrize(("rest", "kind"), [("|---|---|\n| 1 | 2 |\n\n", "block"), ("\n", "words")])
def test_what_may_become_a_table_waits(rest: str, kind: str) -> None:
    """A line with bars is drawn only when it is clear whether a table begins."""
    blocks = new_blocks()
    assert blocks.feed("| a | b |\n") == []
    assert [piece.kind for piece in blocks.feed(rest)] == [kind]


def test_work_stays_linear() -> None:
    """A table of thousands of rows, streamed in small parts, is not read anew for each of them."""
    table = "| a | b |\n|---|---|\n" + "| 123 | 456 |\n" * 2_000
    found = pieces(*(table[at : at + 200] for at in range(0, len(table), 200)))
    assert [piece.kind for piece in found] == ["block"]
