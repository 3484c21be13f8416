"""Which documents could be among the best, told by set operations before any of them is scored.

A *cell* holds the documents that share about equally much with the question, have equally many of its words in the
title, and equally many of its tags. No document of a cell can have more points than its ``most``, so that cells are
scored best first until no other can matter: of thousands that share a common word, a few hundred are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import NamedTuple

STEPS = 24
TITLE_STEPS = 3
TAG_STEPS = 4
"""In so many steps it is told what a document shares with the question, in its title, and in its tags."""


class Cell(NamedTuple):
    """Documents as bits (document o is bit o), and the most points that one of them may have."""

    most: float
    documents: int


class Level(NamedTuple):
    """Documents as bits, and the most points that they may have."""

    documents: int
    most: float


def nested(sets: Iterable[tuple[int, float]], total: float, steps: int) -> list[int]:
    """The documents that come to at least 0, 1, … ``steps`` steps of ``total``; in the first are all.

    ``sets``: documents and what being in this set gives them; a rest of a step counts as a whole one.
    """
    levels = [-1] + [0] * steps
    top = 0
    for documents, gain in sets:
        if documents:
            step = max(1, ceil(gain / total * steps - 1e-9))
            top = min(top + step, steps)
            for k in range(top, 0, -1):
                levels[k] |= levels[max(0, k - step)] & documents
    return levels[: top + 1]


def cells(levels: Iterable[Level], titles: Sequence[Level], tags: Sequence[Level]) -> Iterator[Cell]:
    """``levels`` have no document twice, ``titles`` and ``tags`` are nested."""
    for level in levels:
        for titled in exactly(level.documents, titles):
            for tagged in exactly(titled.documents, tags):
                yield Cell(level.most + titled.most + tagged.most, tagged.documents)


def exactly(base: int, levels: Sequence[Level]) -> Iterator[Level]:
    """Those of ``base`` in each level but in none after it; each lies within the one before, the first holds all."""
    rest = base
    for documents, most in reversed(levels):
        if not rest:
            return
        if found := rest & documents:
            yield Level(found, most)
            rest ^= found
