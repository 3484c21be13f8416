"""Words that are asked in one way and written down in another.

A word may stand in several groups. A synonym counts less than the word itself. Chinese words of any length are found
inside sentences.
"""

from __future__ import annotations

from functools import cache, lru_cache

from agentao.memory.recall import synonyms_everyday, synonyms_near, synonyms_work
from agentao.memory.recall.stemmer import stem
from agentao.memory.recall.wordtable import WordTable, unpaired_chinese

_GROUPS = synonyms_everyday.GROUPS + synonyms_near.GROUPS + synonyms_work.GROUPS


def phrases() -> set[str]:
    """The Chinese entries that the tokenizer would not find by itself."""
    return unpaired_chinese(_GROUPS.split())


@lru_cache(maxsize=20_000)
def of(term: str) -> tuple[str, ...]:
    """The terms that mean about the same."""
    found: dict[str, None] = {}
    for group in _table().values(term):
        found.update(dict.fromkeys(map(stem, group)))
    found.pop(term, None)
    return tuple(found)


@cache
def _table() -> WordTable[list[str]]:
    groups = [line.split() for line in _GROUPS.strip().splitlines()]
    return WordTable((entry, group) for group in groups for entry in group)
