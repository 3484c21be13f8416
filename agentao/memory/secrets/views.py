"""A text as it is searched for secrets: as a person reads it, and once more with its wrapped lines joined. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from agentao.memory.text import compiled, strip_hidden

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−－"), "-")
_PART = r"[A-Za-z0-9+/=_.-]"
_JOINT = (
    r"[\n\"'](?:(?<=\n)[ \t>|#*]{0,12}"
    rf"|(?<={_PART}[\"'])[ \t]{{0,4}}[+.&\\]?[ \t]{{0,4}}\\?\n?[ \t]{{0,12}}(?:\+[ \t]{{0,4}})?[\"'])(?={_PART})"
)
"""A wrapped line from its end on, and ``"…" + "…"``. It begins with a sign that is rare, so that the search is fast."""
_LINE_END = rf"(?<={_PART})[ \t]{{0,4}}\\?\Z"
_LINE_END_CHARS = 5


class View(NamedTuple):
    """A text as it reads, and for each of its characters the place in the original (``None``: the same)."""

    text: str
    places: list[int] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where this stretch of the view stands in the original."""
        if self.places is None:
            return start, end
        return self.places[start], self.places[end - 1] + 1 if end > start else self.places[start]


def read(text: str) -> View:
    """The view with wide letters and signs as plain ones, every dash as ``-``, and nothing invisible."""
    if text.isascii():
        return View(text, None)
    plain = {char: _plain(char) for char in set(text)}
    changed = {char: read for char, read in plain.items() if read != char}
    if all(len(read) == 1 for read in changed.values()):
        for char, read in changed.items():
            text = text.replace(char, read)
        return View(text, None)
    parts = [plain[char] for char in text]
    return View("".join(parts), [place for place, part in enumerate(parts) for _ in part])


@lru_cache(maxsize=4_096)
def _plain(char: str) -> str:
    return char if char < "\x80" else strip_hidden(unicodedata.normalize("NFKC", char)).translate(_DASHES)


def lowered(text: str) -> str:
    """The text in small letters, each character still in its place."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def joined(view: View) -> View | None:
    """The view with wrapped lines and concatenated strings joined; None when nothing was joined."""
    text = view.text
    if "\n" not in text and '"' not in text and "'" not in text:
        return None
    joints = list(_joints(text))
    if not joints:
        return None
    out: list[str] = []
    places: list[int] = []
    at = 0
    for start, end in [*joints, (len(text), len(text))]:
        out.append(text[at:start])
        places += range(at, start) if view.places is None else view.places[at:start]
        at = end
    return View("".join(out), places)


def _joints(text: str) -> Iterator[tuple[int, int]]:
    for match in compiled(_JOINT).finditer(text):
        start, end = match.span()
        if text[start] != "\n":
            yield start, end
        elif before := compiled(_LINE_END).search(text, max(0, start - _LINE_END_CHARS), start):
            yield before.start(), end
