"""Which part of a growing Markdown text is finished: later words can change nothing in it any more.

The block structure is the Markdown parser's own: every block on the top level but the last is finished, of a list every
item but the last. Code between fences is finished line by line. A paragraph that fills no row of the window waits, for
nothing of it could be seen yet, and it may become a heading or the head of a table; from then on it is finished word by
word, wherever no emphasis, code or link is open. Pure: no terminal, no colours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace

from agentao.shell.views.cells import cells

PieceKind = Literal["block", "item", "code", "words"]

PARSER = (
    MarkdownIt("commonmark", {"html": False, "maxNesting": 100})
    .enable(["strikethrough", "table"])
    .disable(["reference", "image"])
)
"""The dialect of the answers. HTML, link definitions and pictures stay readable as text, for nothing may vanish.

What is nested deeper than the limit would; the parser's own, twenty, is reached by ten levels of lists.
"""

BIG_BLOCK_CHARS = 2_000
"""An open block beyond this is looked at again only when it has grown by an eighth, so that work stays linear."""

_CLOSED_BY_BLANK = ("paragraph_open", "blockquote_open", "table_open")
_CLOSED_BY_ITSELF = ("heading_open", "hr")
_UNDERLINES = ("=", "-")
RULE = "---\n"
"""Stands for the line under words that were given before it was seen to make a heading of them."""
_MARKUP = re.compile(r"\\.|`+|\*+|_+|~~|\[|\]\(|\]|\)", re.DOTALL)
_WIDE = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff01-\uff60]")
_NO_WORDS = re.compile(r" {0,3}(?:[#>~`=|]|[-+*_](?=[\s*_+-]|$)|\d{1,9}(?:[.)]|$))|\s*(?:\n|$)| {4}|\t")
"""The start of a line that is, or may become, something else than words of a paragraph."""
_BAR_FIRST = re.compile(r" {0,3}\|")
_UNDER_HEAD = re.compile(r"[ |:-]*\n?")
"""The line under the head of a table, or its start."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A finished part of the source.

    ``first`` opens a new block on the screen. ``item`` is one item of a list, numbered ``number`` unless that is None.
    ``code`` is one line between fences, and ``language`` what the fence says. ``words`` are part of a paragraph, and
    ``last`` says that the paragraph ends with them.
    """

    kind: PieceKind
    source: str
    first: bool = True
    last: bool = False
    number: int | None = None
    language: str = ""


@dataclass(slots=True)
class _Block:
    """A block of the top level: its lines, and for a list the line at which each item begins.

    ``markup`` is the fence of code, and of a heading what makes it one.
    """

    kind: str
    begin: int
    end: int
    number: int | None
    language: str
    markup: str
    items: list[int] = field(default_factory=list)


class MarkdownBlocks:
    """Takes text as it streams in; gives each finished piece once, in order."""

    def __init__(self, row_cells: Callable[[], int]) -> None:
        """``row_cells`` says how many cells a row of the window has at the moment."""
        self._row_cells = row_cells
        self._open = ""
        self._mode: Literal["blocks", "code", "words"] = "blocks"
        self._begun = False  # a part of the open list, code or paragraph was given already
        self._number: int | None = None
        self._fence = self._language = ""
        self._fence_indent = 0
        self._blank_lines = 0  # of code, given only when more code follows
        self._look_at_chars = 0

    def feed(self, text: str) -> list[Piece]:
        """The pieces that ``text`` finishes."""
        self._open += text
        if len(self._open) < self._look_at_chars:
            return []
        pieces = self._read()
        big = len(self._open) if self._mode != "code" and len(self._open) > BIG_BLOCK_CHARS else 0
        self._look_at_chars = big + big // 8
        return pieces

    def _read(self) -> list[Piece]:
        pieces: list[Piece] = []
        while True:
            before = (self._mode, len(self._open))
            match self._mode:
                case "blocks":
                    pieces += self._read_blocks()
                case "code":
                    pieces += self._read_code()
                case "words":
                    pieces += self._read_words()
            if before == (self._mode, len(self._open)):
                return pieces

    def finish(self) -> list[Piece]:
        """The rest, as it stands."""
        self._open += "" if self._open.endswith("\n") or not self._open else "\n"
        pieces = self._read()
        if self._mode == "words" and (self._open.strip() or self._begun):
            pieces.append(Piece("words", self._open, not self._begun, last=True))
        elif self._mode == "blocks":
            lines = _lines(self._open)
            for block in _blocks(lines, self._row_cells()):
                pieces += self._pieces(block, block.end, lines)
        self._open, self._mode, self._begun, self._look_at_chars = "", "blocks", False, 0
        return pieces

    # -- blocks ----------------------------------------------------------------------------------------------------

    def _read_blocks(self) -> list[Piece]:
        if not self._begun:
            self._open = self._open.lstrip("\n")
        lines = _lines(self._open)
        partial = self._open[sum(map(len, lines)) :]
        blocks = _blocks(lines, self._row_cells())
        pieces: list[Piece] = []
        for block, following in pairwise(blocks):
            pieces += self._pieces(block, following.begin, lines)
        last = blocks[-1] if blocks else None
        rest = lines
        paragraph = last is None or last.kind == "paragraph_open"
        if last is not None:
            if _is_closed(last, lines):
                pieces += self._pieces(last, len(lines), lines)
                rest = []
            elif last.kind == "fence":
                self._enter_code(last, lines)
                rest = lines[last.begin + 1 :]
            elif last.items:
                pieces += self._items(last, [*last.items[:-1]], last.items[-1], lines)
                rest = lines[last.items[-1] :]
            else:
                rest = lines[last.begin :]
        self._open = "".join(rest) + partial
        if self._mode == "blocks" and not self._begun and paragraph and not _NO_WORDS.match(self._open):
            row = self._row_cells()
            if cells(self._open[: _sure(self._open, row, begun=False)]) > row:
                self._mode = "words"
        return pieces

    def _pieces(self, block: _Block, end: int, lines: list[str]) -> list[Piece]:
        """A finished block that reaches to the line ``end``."""
        if block.items:
            pieces = self._items(block, block.items, end, lines)
            self._begun = False
            return pieces
        if block.kind == "fence":
            self._enter_code(block, lines)
            inside = lines[block.begin + 1 : block.end]
            pieces = [piece for line in inside for piece in self._code(line) or ()]
            self._mode, self._begun = "blocks", False
            return pieces
        if block.kind == "paragraph_open":
            return [Piece("words", "".join(lines[block.begin : block.end]), last=True)]
        if block.kind == "heading_open" and block.markup in _UNDERLINES:
            title = "".join(lines[block.begin : block.end - 1])
            if cells(title) > self._row_cells():
                return [Piece("words", title, last=True), Piece("block", RULE)]
        return [Piece("block", "".join(lines[block.begin : end]))]

    def _items(self, block: _Block, begins: list[int], end: int, lines: list[str]) -> list[Piece]:
        pieces = []
        for begin, stop in pairwise([*begins, end]):
            if not self._begun:
                self._number = block.number
            elif self._number is not None:
                self._number += 1
            pieces.append(Piece("item", "".join(lines[begin:stop]), not self._begun, number=self._number))
            self._begun = True
        return pieces

    # -- code between fences ---------------------------------------------------------------------------------------

    def _enter_code(self, block: _Block, lines: Sequence[str]) -> None:
        self._mode, self._begun, self._blank_lines = "code", False, 0
        self._fence, self._language = block.markup, block.language
        self._fence_indent = lines[block.begin].index(block.markup)

    def _read_code(self) -> list[Piece]:
        pieces: list[Piece] = []
        while "\n" in self._open and self._mode == "code":
            line, _, self._open = self._open.partition("\n")
            found = self._code(line)
            if found is None:
                self._mode, self._begun = "blocks", False
            else:
                pieces += found
        return pieces

    def _code(self, line: str) -> list[Piece] | None:
        """One line of code, and the blank ones before it; None when the line is the closing fence."""
        if _closes(line, self._fence):
            return None
        if not line.strip():
            self._blank_lines += self._begun
            return []
        blank = [Piece("code", "", first=False, language=self._language)] * self._blank_lines
        first, self._begun, self._blank_lines = not self._begun, True, 0
        indent = min(self._fence_indent, len(line) - len(line.lstrip(" ")))
        return [*blank, Piece("code", line[indent:].rstrip("\n"), first, language=self._language)]

    # -- words of a paragraph --------------------------------------------------------------------------------------

    def _read_words(self) -> list[Piece]:
        end, skip = self._end_of_paragraph()
        if end:
            piece = Piece("words", self._open[:end], not self._begun, last=True)
            self._open = self._open[end + skip :]
            self._mode, self._begun = "blocks", False
            return [piece, Piece("block", RULE)] if skip else [piece]
        cut = _safe_cut(self._open, _sure(self._open, self._row_cells(), begun=self._begun))
        if not cut:
            return []
        piece = Piece("words", self._open[:cut], not self._begun)
        self._open, self._begun = self._open[cut:], True
        return [piece]

    def _end_of_paragraph(self) -> tuple[int, int]:
        """Where the paragraph ends, 0 while it goes on; and how many characters behind it underline it."""
        lines = _lines(self._open)
        if not lines:
            return 0, 0
        # The rest of a line that was given in part may look like the start of something else.
        first = "x\n" if self._begun else lines[0]
        block = _blocks([first, *lines[1:]], self._row_cells())[0]
        if block.kind == "heading_open":
            return len("".join(lines[: block.end - 1])), len(lines[block.end - 1])
        return (0, 0) if block.end == len(lines) else (len("".join(lines[: block.end])), 0)


def _lines(text: str) -> list[str]:
    """The complete lines, with their line ends."""
    return [line + "\n" for line in text.split("\n")[:-1]]


def _blocks(lines: Sequence[str], row_cells: int) -> list[_Block]:
    found: list[_Block] = []
    for token in PARSER.parse(
        "".join(line if _may_head(line, row_cells) else line.replace("|", "/") for line in lines)
    ):
        if token.map is None or token.nesting < 0:
            continue
        if token.level == 0:
            begin, end = token.map
            number = int(token.attrs.get("start", 1)) if token.type == "ordered_list_open" else None
            language = token.info.strip().partition(" ")[0]
            found.append(_Block(token.type, begin, end, number, language, token.markup))
        elif token.level == 1 and token.type == "list_item_open":
            found[-1].items.append(token.map[0])
    return found


def _may_head(line: str, row_cells: int) -> bool:
    """False for a line too long to wait for what would make it the head of a table: its words were given."""
    return bool(_BAR_FIRST.match(line) or _UNDER_HEAD.fullmatch(line)) or cells(line) <= row_cells


def _is_closed(block: _Block, lines: list[str]) -> bool:
    """True when no later line can belong to the block, which is the last one."""
    if block.kind in _CLOSED_BY_ITSELF:
        return True
    if block.kind == "fence":
        return block.end - block.begin > 1 and _closes(lines[block.end - 1], block.markup)
    return block.kind in _CLOSED_BY_BLANK and not lines[-1].strip()


def _closes(line: str, fence: str) -> bool:
    inside = line.strip()
    return len(inside) >= len(fence) and set(inside) == set(fence) and not line.startswith("    ")


def _sure(text: str, row_cells: int, *, begun: bool) -> int:
    """How much of an open paragraph belongs to it for sure: no mark and no table can begin there any more.

    ``begun`` when its first line is the rest of one.
    """
    begin = text.rfind("\n") + 1
    line = text[begin:]
    if not begin:
        return 0 if _BAR_FIRST.match(line) and not begun else len(text)
    above = text.rfind("\n", 0, begin - 1) + 1
    head = text[above:begin]
    if "|" in head and (above or not begun) and _may_head(head, row_cells) and _UNDER_HEAD.fullmatch(line):
        return max(0, above - 1)
    waits = _NO_WORDS.match(line) or _BAR_FIRST.match(line) or cells(line) <= row_cells
    return begin - 1 if waits else len(text)


def _safe_cut(text: str, limit: int) -> int:
    """How many characters from the start, of ``limit``, stay as they are, whatever follows."""
    opened: dict[str, list[int]] = {}
    brackets, in_address = 0, False
    cut = at = 0
    while at + 1 < limit:
        mark = _MARKUP.match(text, at)
        if mark is None:
            if not any(opened.values()) and not brackets and _is_boundary(text, at):
                cut = at + 1
            at += 1
            continue
        word, end = mark.group(), mark.end()
        if end >= limit:
            break
        if word[0] == "`":
            close = re.compile(rf"(?<!`){word}(?!`)").search(text, end, limit)
            if close is None or close.end() >= limit:
                break
            end = close.end()
        elif word == "[":
            brackets += 1
        elif word == "](":
            in_address = brackets > 0
        elif word == "]" or (word == ")" and in_address):
            brackets, in_address = max(0, brackets - 1), False
        elif word[0] in "*_~":
            _emphasis(opened.setdefault(word[0], []), word, text[at - 1] if at else " ", text[end])
        at = end
    return cut


def _emphasis(opened: list[int], run: str, before: str, after: str) -> None:
    """Keep count of the runs that are open. In doubt a run stays open: then words wait, and nothing is drawn wrong."""
    opens = not _is_blank(after) and (not _is_sign(after) or _is_blank(before) or _is_sign(before))
    closes = not _is_blank(before) and (not _is_sign(before) or _is_blank(after) or _is_sign(after))
    if run[0] == "_":
        opens, closes = opens and (not closes or _is_sign(before)), closes and (not opens or _is_sign(after))
    if closes and opened and opened[-1] == len(run):
        opened.pop()
    elif opens or (closes and opened):
        opened.append(len(run))


def _is_blank(char: str) -> bool:
    return isWhiteSpace(ord(char))


def _is_sign(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)


def _is_boundary(text: str, at: int) -> bool:
    sign, after = text[at], text[at + 1]
    if sign in " \n":
        return after not in " \t\n" and (at == 0 or text[at - 1] not in " \n\\")
    return bool(_WIDE.match(sign) and _WIDE.match(after))
