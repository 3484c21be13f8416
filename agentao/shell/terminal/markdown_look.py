"""How the parts of an answer look: headings, lists, quotations, tables, code; nothing in them spoils a copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from markdown_it.token import Token
from pygments.token import Comment, Keyword, Name, Number, Operator, String
from pygments.token import Token as AnyToken
from rich.console import Console, ConsoleOptions, RenderResult
from rich.containers import Renderables
from rich.markdown import (
    BlockQuote,
    CodeBlock,
    Heading,
    ListItem,
    Markdown,
    MarkdownContext,
    MarkdownElement,
    Paragraph,
    TableDataElement,
    TableElement,
)
from rich.segment import Segment
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax
from rich.text import Text
from rich.theme import Theme

from agentao.shell.views.cells import cells, wrap
from agentao.shell.views.colors import CYAN, GREEN, MAGENTA
from agentao.shell.views.grid import GAP, Align, Cell, Column, Grid

CODE_INDENT = "  "
QUOTE, BULLET = "▌ ", " • "
NUMBER_DIGITS = 2
"""Room for the number of an item: how long the list will get is not known when its first item is drawn."""

INSIDE_CELLS = 8
"""What is nested deep keeps this many, beyond the margin if need be: nothing is left out."""

COLUMN_CELLS = 6
"""A column of a table keeps this many; where there is no room for it, each row is drawn as lines of its own."""
CELL_LINES = 10_000
"""No cell of an answer's table is cut."""

ANSWER_THEME = Theme(
    {
        "markdown.code": CYAN,
        "markdown.h1": "bold underline",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "markdown.h4": "bold",
        "markdown.block_quote": "dim",
        "markdown.hr": "dim",
        "markdown.item.bullet": "bold",
        "markdown.item.number": "bold",
        "markdown.link": "underline",
        "markdown.link_url": "underline",
    }
)
CODE_THEME = ANSISyntaxTheme(
    {
        AnyToken: Style(),
        Comment: Style(dim=True),
        Keyword: Style(color=MAGENTA),
        String: Style(color=GREEN),
        Number: Style(color=CYAN),
        Operator.Word: Style(color=MAGENTA),
        Name.Function: Style(bold=True),
        Name.Class: Style(bold=True),
        Name.Builtin: Style(color=CYAN),
    }
)


class _LeftHeading(Heading):
    LEVEL_ALIGN: ClassVar = dict.fromkeys(Heading.LEVEL_ALIGN, "left")


class _PlainCode(CodeBlock):
    """Code inside a list or a quotation: indented, on the terminal's own ground, its lines never broken."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = highlight(str(self.text).rstrip(), self.lexer_name)
        shown = Text("\n", no_wrap=True, overflow="ignore")
        yield shown.join(Text(CODE_INDENT).append_text(line) for line in code.split(allow_blank=True))


class _Parted:
    """Something with blocks inside; a paragraph stands apart from the block before it."""

    elements: Renderables
    style: Style
    _filled = False

    def on_child_close(self, context: MarkdownContext, child: MarkdownElement) -> bool:
        if self._filled and isinstance(child, Paragraph):
            self.elements.append(Text(""))
        self.elements.append(child)
        self._filled = True
        return False

    def led(self, console: Console, options: ConsoleOptions, lead: Segment, indent: str) -> RenderResult:
        """The blocks behind ``lead``, from the second line on behind ``indent``."""
        inside = console.render(self.elements, options.update(width=max(INSIDE_CELLS, options.max_width - len(indent))))
        for line in Segment.split_lines(Segment.apply_style(inside, self.style)):
            yield lead
            yield from line
            yield Segment.line()
            lead = Segment(indent, lead.style)


class _Quote(_Parted, BlockQuote):
    """A quotation."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.led(console, options, Segment(QUOTE, self.style), QUOTE)


class _Item(_Parted, ListItem):
    """An item of a list, whose number keeps its dot."""

    def render_bullet(self, console: Console, options: ConsoleOptions) -> RenderResult:
        style = console.get_style("markdown.item.bullet")
        yield from self.led(console, options, Segment(BULLET, style), " " * len(BULLET))

    def render_number(self, console: Console, options: ConsoleOptions, number: int, last_number: int) -> RenderResult:
        """``last_number`` is one more than the list's last."""
        digits = max(NUMBER_DIGITS, len(str(last_number - 1)))
        lead = Segment(f"{number:>{digits}}. ", console.get_style("markdown.item.number"))
        yield from self.led(console, options, lead, " " * (digits + 2))


class _Table(TableElement):
    """A table that loses nothing, however narrow the window is."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads = self.header.row.cells if self.header is not None and self.header.row is not None else []
        rows = [[cell.content for cell in row.cells] for row in (self.body.rows if self.body is not None else [])]
        columns = [Column(head.content.plain, COLUMN_CELLS, 1, lines=CELL_LINES, align=_align(head)) for head in heads]
        needed = [
            min(COLUMN_CELLS, max(cells(text.plain) for text in (head.content, *(row[at] for row in rows))))
            for at, head in enumerate(heads)
        ]
        if sum(needed) + GAP * (len(heads) - 1) > options.max_width:
            yield from self._as_lines(heads, rows, options.max_width)
            return
        # A cursor can be told its column only where the table begins at the margin.
        place = console.is_terminal and options.max_width == console.width
        yield Grid(columns, ([Cell(text) for text in row] for row in rows), width=options.max_width, place=place)

    def _as_lines(self, heads: list[TableDataElement], rows: list[list[Text]], width: int) -> Iterator[Text]:
        for number, row in enumerate(rows):
            if number:
                yield Text("")
            for head, text in zip(heads, row, strict=True):
                name = (f"{head.content.plain}: ", "bold") if head.content.plain else ""
                yield from wrap(Text.assemble(name, text), width)


def _align(head: TableDataElement) -> Align:
    return "right" if head.justify == "right" else "center" if head.justify == "center" else "left"


class Answer(Markdown):
    """Parsed Markdown as an answer shows it."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = Markdown.elements | {
        "heading_open": _LeftHeading,
        "fence": _PlainCode,
        "code_block": _PlainCode,
        "blockquote_open": _Quote,
        "list_item_open": _Item,
        "table_open": _Table,
    }

    def __init__(self, parsed: list[Token]) -> None:
        super().__init__("", justify="default", hyperlinks=False)
        self.parsed = parsed

    def _flatten_tokens(self, tokens: Iterable[Token]) -> Iterable[Token]:
        """The tokens one after the other; an address that is its own text stands once."""
        flat = list(super()._flatten_tokens(tokens))
        bare = {
            place
            for at, token in enumerate(flat[:-2])
            if token.type == "link_open" and flat[at + 2].type == "link_close" and _is_bare(token, flat[at + 1])
            for place in (at, at + 2)
        }
        return [token for at, token in enumerate(flat) if at not in bare]


def _is_bare(link: Token, words: Token) -> bool:
    return link.markup == "autolink" or words.content == link.attrs.get("href")


def highlight(code: str, language: str) -> Text:
    """Code in colours, one line for each line of ``code``."""
    if not language:
        return Text(code)
    text = Syntax("", language, theme=CODE_THEME).highlight(code)
    if not text.plain.startswith(code):  # a lexer that changed the text has put its colours elsewhere
        return Text(code)
    text.right_crop(len(text.plain) - len(code))
    return text
