"""Draws an answer while it streams: each finished part is printed once and never repainted.

So scroll-back holds every line once, at any height and width of the window, whatever is resized meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from markdown_it.token import Token
from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.text import Text

from agentao.shell.terminal.markdown_blocks import PARSER, MarkdownBlocks, Piece
from agentao.shell.terminal.markdown_look import ANSWER_THEME, CODE_INDENT, Answer, highlight

HIGHLIGHT_LINES_MAX = 400
"""The lines before a line of code that are read again to colour it; strings and comments may span lines."""


class MarkdownPainter:
    """Prints the finished parts of a Markdown text as they come."""

    def __init__(self, console: Console, hidden: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        """``hidden`` is entered around everything printed; whoever draws something provisional hides it there."""
        self._console = console
        self._hidden = hidden
        self._blocks = MarkdownBlocks(lambda: console.width)
        self._printed = False
        self._line = Text()  # the last, still growing line of the open paragraph
        self._blank_before_words = False
        self._code: list[str] = []

    def feed(self, text: str) -> None:
        """Take a clean piece of the answer; print what it finishes."""
        self._paint(self._blocks.feed(text))

    def finish(self) -> None:
        """Print the rest."""
        self._paint(self._blocks.finish())

    def _paint(self, pieces: list[Piece]) -> None:
        if pieces:
            with self._hidden(), self._console.use_theme(ANSWER_THEME):
                for piece in pieces:
                    self._paint_piece(piece)

    def _paint_piece(self, piece: Piece) -> None:
        if piece.first and self._printed:
            self._console.print()
        if piece.kind == "words":
            self._paint_words(piece)
        elif piece.kind == "code":
            self._paint_code(piece)
        else:
            tokens = PARSER.parse(piece.source)
            if piece.number is not None:
                tokens[0].attrs["start"] = piece.number
            self._print(Answer(tokens))
        self._printed = True

    def _paint_words(self, piece: Piece) -> None:
        if self._blank_before_words and piece.source.strip():
            self._line.append(" ")
        self._line.append_text(self._inline(piece.source))
        self._blank_before_words = not piece.last and piece.source[-1:].isspace()
        lines = self._line.wrap(self._console, self._console.width)
        self._line = Text() if piece.last else lines.pop()
        for line in lines:
            line.rstrip()
            self._console.print(line, no_wrap=True, crop=False, overflow="ignore")

    def _inline(self, source: str) -> Text:
        paragraph = [
            Token("paragraph_open", "p", 1),
            *PARSER.parseInline(source.replace("\t", " ")),
            Token("paragraph_close", "p", -1),
        ]
        options = self._console.options.update(width=2 * len(source) + len(CODE_INDENT), no_wrap=True)
        text = Text()
        for segment in self._console.render(Answer(paragraph), options):
            text.append(segment.text, segment.style)
        text.rstrip()
        return text

    def _paint_code(self, piece: Piece) -> None:
        if piece.first:
            self._code.clear()
        self._code.append(piece.source)
        del self._code[:-HIGHLIGHT_LINES_MAX]
        line = highlight("\n".join(self._code), piece.language).split(allow_blank=True)[-1] if piece.source else Text()
        # The terminal wraps what is too long, so that a copied line is whole.
        self._console.print(Text(CODE_INDENT if piece.source else "").append_text(line), soft_wrap=True)

    def _print(self, renderable: RenderableType) -> None:
        """Print without the blanks that fill lines up to the margin: they spoil what is copied."""
        lines = list(Segment.split_lines(self._console.render(renderable)))
        for line in lines:
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                line[-1] = line[-1]._replace(text=line[-1].text.rstrip())
        while lines and not lines[-1]:
            lines.pop()
        while lines and not lines[0]:
            lines.pop(0)
        segments = [segment for line in lines for segment in (*line, Segment.line())]
        self._console.print(Segments(segments), end="", crop=False)
