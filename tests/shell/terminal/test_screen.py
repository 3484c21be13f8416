"""Answers are cleaned piece by piece as well as whole."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from agentao.memory.text import strip_controls, strip_invisible
from agentao.shell.terminal.screen import CleanText, wrapped

TEXT = st.text(alphabet="ab 你\r\n\t\x1b\x07\u200b\u200d\ufe0f👨👩\u202e\ud83d\ude00é\u0301", max_size=40)


@given(TEXT, st.integers(1, 5))
@example("\r\ud83d\n", 1)
def test_pieces_are_cleaned_as_the_whole(text: str, size: int) -> None:
    """However a text is cut, what is shown is the whole text without what steers or hides: emoji stay whole."""
    clean = CleanText()
    shown = "".join(clean.feed(text[at : at + size]) for at in range(0, len(text), size)) + clean.finish()
    assert shown == strip_invisible(strip_controls(text))


def test_lines_are_broken_between_words() -> None:
    """A line fits the window; a word that is longer, such as a path, stays whole; leading blanks of words stay out."""
    assert wrapped("one two three", 7) == "one two\nthree"
    assert wrapped("see /a/very/long/path here", 8) == "see\n/a/very/long/path\nhere"
    assert wrapped("a\n\nb", 8) == "a\n\nb"
