"""Words that are asked in one way and written down in another.

A word may stand in several groups. A synonym counts less than the word itself. Chinese words of any length are found
inside sentences.
"""

from __future__ import annotations

from functools import cache, lru_cache

from agentao.memory.recall import synonyms_everyday, synonyms_work
from agentao.memory.recall.lexicon import IRREGULAR
from agentao.memory.recall.stemmer import stem

BEGINNING_CHARS = 2
"""A stem keeps at least so many letters of its word."""


def phrases() -> list[str]:
    """The Chinese entries of more than two characters, longest first; shorter ones are pairs of characters already."""
    entries = {
        entry
        for entry in (synonyms_everyday.GROUPS + synonyms_work.GROUPS).split()
        if len(entry) > 2 and any("\u3400" <= character <= "\u9fff" for character in entry)
    }
    return sorted(entries, key=lambda entry: (-len(entry), entry))


@lru_cache(maxsize=20_000)
def of(term: str) -> tuple[str, ...]:
    """The terms that mean about the same. Only entries that begin as the term does are stemmed: all take 10 ms."""
    found: dict[str, None] = {}
    for entry, group in _beginnings().get(term[:BEGINNING_CHARS], ()):
        if stem(entry) == term:
            found.update(dict.fromkeys(map(stem, group)))
    found.pop(term, None)
    return tuple(found)


@cache
def _beginnings() -> dict[str, list[tuple[str, list[str]]]]:
    """Each entry with its group, under the beginning of its stem: its own, or that of its regular form."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for line in (synonyms_everyday.GROUPS + synonyms_work.GROUPS).strip().splitlines():
        group = line.split()
        for entry in group:
            for beginning in {entry[:BEGINNING_CHARS], IRREGULAR.get(entry, entry)[:BEGINNING_CHARS]}:
                found.setdefault(beginning, []).append((entry, group))
    return found
