"""The part of a text around what was looked for."""

from __future__ import annotations

from collections.abc import Collection

from agentao.memory.models import EXCERPT_MAX_CHARS
from agentao.memory.tokenizer import words

ELLIPSIS = "…"
LEAD_CHARS = 40
"""About so much of the text before the first match is shown with it."""


def excerpt(text: str, terms: Collection[str], limit: int = EXCERPT_MAX_CHARS) -> str:
    """At most ``limit`` characters of ``text``: the stretch with most of ``terms``, cut at words, ``…`` where cut.

    A text that fits is given whole; one without any of the terms from its beginning.
    """
    if len(text) <= limit:
        return text
    wanted = set(terms)
    hits = [
        (word.start, word.end, found)
        for word in words(text)
        if (found := wanted.intersection((word.term, *word.also, *(word.surface if word.cjk else ()))))
    ]
    room = limit - 2 * len(ELLIPSIS)
    best, begin = 0, 0
    for at, (start, _, _) in enumerate(hits):
        inside: set[str] = set()
        for _, end, found in hits[at:]:
            if end - start > room - LEAD_CHARS:
                break
            inside |= found
        if len(inside) > best:
            best, begin = len(inside), start
    begin = min(max(0, begin - LEAD_CHARS), len(text) - room)
    if begin > 0:
        begin = _word_start(text, begin)
    end = min(len(text), begin + room)
    if end < len(text):
        end = _word_end(text, end)
    return (ELLIPSIS if begin else "") + text[begin:end].strip() + (ELLIPSIS if end < len(text) else "")


def _word_start(text: str, at: int) -> int:
    """The first beginning of a word from ``at`` on, where one is near."""
    for place in range(at, min(at + LEAD_CHARS // 2, len(text))):
        if not text[place - 1].isalnum() or not text[place - 1].isascii():
            return place
    return at


def _word_end(text: str, at: int) -> int:
    """The last end of a word up to ``at``, where one is near; never inside a surrogate pair's or mark's cluster."""
    for place in range(at, max(at - LEAD_CHARS // 2, 0), -1):
        if not text[place].isalnum() or not text[place].isascii():
            return place
    return at
