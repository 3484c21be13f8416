"""How many cells text takes on a terminal, and where it may be broken.

Terminals disagree on some signs: joined families, signs with a variation selector, flags, skin tones. Here a flag and a
skin tone take the most that a terminal may give them, so that no column is ever too narrow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

_PLACE_AFTER = re.compile("[\ufe0e\ufe0f\u20e3\u200d]")
_MORE = re.compile("[\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]")
_CLUSTER = re.compile(
    "[\U0001f1e6-\U0001f1ff]{2}"
    "|.[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef]*"
    "(?:\u200d.[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]*)*",
    re.DOTALL,
)
_PIECE = re.compile(r"\s+|#\S+|[^\s\u2e80-\uffef\U00020000-\U000323af]+|.", re.DOTALL)
_NOT_AT_START = frozenset("，。、；：？！）》」』”’】〕…,.;:?!)]}%")


def cells(text: str) -> int:
    """The cells of one line of text."""
    if text.isascii():
        return len(text)
    extra = sum(1 if match.group() < "\U0001f200" else 2 for match in _MORE.finditer(text))
    return cell_len(text) + extra


def clusters(text: str) -> Iterator[str]:
    """The text in parts that stay together: a sign with what changes or joins it."""
    return (match.group() for match in _CLUSTER.finditer(text))


def unsure(text: str) -> bool:
    """True when terminals disagree on where the cursor stands behind this text."""
    return not text.isascii() and (_PLACE_AFTER.search(text) or _MORE.search(text)) is not None


def misplaces(cluster: str) -> bool:
    """True when what follows this sign on the line should be put at its column by name."""
    return _PLACE_AFTER.search(cluster) is not None


def wrap(text: Text, width: int) -> list[Text]:
    """The text in lines of at most ``width`` cells, broken at blanks and between signs without them; no empty lines."""
    found = []
    for line in text.split("\n"):
        plain = line.plain
        parts = line.divide(_breaks(plain, width)) if cells(plain) > width else [line]
        for part in parts:
            part.rstrip()
            if part.plain:
                found.append(part)
    return found


def cut(text: Text, width: int) -> None:
    """Shorten one line, in place, to at most ``width`` cells."""
    used, end = 0, 0
    for cluster in clusters(text.plain):
        used += cells(cluster)
        if used > width:
            break
        end += len(cluster)
    text.right_crop(len(text.plain) - end)
    text.rstrip()


def _breaks(plain: str, width: int) -> list[int]:
    breaks: list[int] = []
    used = at = 0
    for piece in _pieces(plain):
        size = cells(piece)
        if used + size > width and not piece.isspace():
            if used and size <= width:
                breaks.append(at)
                used = 0
            elif size > width:
                if used > width // 2:
                    breaks.append(at)
                    used = 0
                inner = at
                for cluster in clusters(piece):
                    each = cells(cluster)
                    if used + each > width and used:
                        breaks.append(inner)
                        used = 0
                    used += each
                    inner += len(cluster)
                at += len(piece)
                continue
        used += size
        at += len(piece)
    return breaks


def _pieces(plain: str) -> Iterator[str]:
    """Words, runs of blanks, and the signs of scripts without blanks one by one, closing marks with what they close."""
    held = ""
    for match in _PIECE.finditer(plain):
        piece = match.group()
        joins = piece[0] in _NOT_AT_START or piece[0] in "\u200d\ufe0e\ufe0f" or held.endswith("\u200d")
        if held and not held.isspace() and joins and not piece.isspace() and cells(held + piece) <= 8:
            held += piece
            continue
        if held:
            yield held
        held = piece
    if held:
        yield held
