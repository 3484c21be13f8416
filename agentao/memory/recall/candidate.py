"""What recall finds; ``models`` gives these names, too."""

from __future__ import annotations

from dataclasses import dataclass

from agentao.memory.models import MemoryType, Scope


def weighted(tag: float, title: float, keyword: float, recency: float) -> float:
    """(4·tag + 3·title + 2·keyword + 1·recency) / 10, in [0, 1]. Source: the memory design, section 3."""
    return (4 * tag + 3 * title + 2 * keyword + recency) / 10


@dataclass(frozen=True, slots=True)
class Factors:
    """The four recall factors of one record, each in [0, 1]."""

    tag: float
    title: float
    keyword: float
    recency: float

    @property
    def score(self) -> float:
        """In [0, 1]."""
        return weighted(self.tag, self.title, self.keyword, self.recency)


@dataclass(frozen=True, slots=True)
class RecallCandidate:
    """One record that recall found for a question; lives in memory only."""

    memory_id: str
    scope: Scope
    type: MemoryType
    title: str
    excerpt: str
    score: float
    reasons: tuple[str, ...]
    factors: Factors = Factors(0, 0, 0, 0)
    matched: tuple[str, ...] = ()
    content: str = ""
