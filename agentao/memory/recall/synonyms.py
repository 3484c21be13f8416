"""Words that are asked in one way and written down in another.

A word may stand in several groups. A synonym counts less than the word itself. Chinese words of any length are found
inside sentences.
"""

from __future__ import annotations

import re
from functools import cache

from agentao.memory.recall import synonyms_everyday, synonyms_work
from agentao.memory.recall.lexicon import IRREGULAR
from agentao.memory.recall.stemmer import stem

_CHINESE = re.compile("[\u3400-\u9fff]")


def phrases() -> list[str]:
    """The Chinese entries of more than two characters, longest first; shorter ones are pairs of characters already."""
    entries = {
        entry
        for entry in (synonyms_everyday.GROUPS + synonyms_work.GROUPS).split()
        if _CHINESE.search(entry) and len(entry) > 2
    }
    return sorted(entries, key=lambda entry: (-len(entry), entry))


_START_CHARS = 3


@cache
def _groups() -> tuple[list[list[str]], dict[str, list[tuple[str, int]]]]:
    """The groups, and for each beginning of a term the entries that may have it: few need stemming."""
    groups = [line.split() for line in (synonyms_everyday.GROUPS + synonyms_work.GROUPS).strip().splitlines()]
    by_start: dict[str, list[tuple[str, int]]] = {}
    for number, group in enumerate(groups):
        for entry in group:
            # A stem begins as its word does, but for short words and irregular ones.
            start = stem(entry) if len(entry) <= _START_CHARS + 1 else IRREGULAR.get(entry, entry)
            by_start.setdefault(start[:_START_CHARS], []).append((entry, number))
    return groups, by_start


@cache
def of(term: str) -> tuple[str, ...]:
    """The terms that mean about the same as this one."""
    groups, by_start = _groups()
    found: dict[str, None] = {}
    for entry, number in by_start.get(term[:_START_CHARS], ()):
        if stem(entry) == term:
            found.update((stem(other), None) for other in groups[number])
    return tuple(other for other in found if other != term)
