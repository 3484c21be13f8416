"""Words that are asked in one way and written down in another.

A word may stand in several groups. A synonym counts less than the word itself. Chinese words of any length are found
inside sentences.
"""

from __future__ import annotations

import re
from functools import cache

from agentao.memory.recall import synonyms_everyday, synonyms_work
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


@cache
def table() -> dict[str, tuple[str, ...]]:
    """Term to the terms that mean about the same. Made at the first question, whole: stems are slow one by one."""
    found: dict[str, dict[str, None]] = {}
    for line in (synonyms_everyday.GROUPS + synonyms_work.GROUPS).strip().splitlines():
        group = dict.fromkeys(stem(entry) for entry in line.split())
        for term in group:
            found.setdefault(term, {}).update(group)
    return {term: tuple(other for other in others if other != term) for term, others in found.items()}
