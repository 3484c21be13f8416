"""The memory core: records, stores, recall, prompt blocks and mining. Standard library and ``agentao.errors`` only.

The names are loaded at first use, so that whoever needs a few of them does not wait for all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentao.errors import SensitiveMemoryError
    from agentao.memory.crystallizer import MemoryCrystallizer
    from agentao.memory.guard import MemoryGuard
    from agentao.memory.manager import MemoryManager
    from agentao.memory.models import (
        SESSION_TAIL_CHARS,
        STABLE_BLOCK_MAX_CHARS,
        MemoryRecord,
        MemoryReviewItem,
        RecallCandidate,
        SaveMemoryRequest,
        SessionSummaryRecord,
    )
    from agentao.memory.renderer import MemoryPromptRenderer
    from agentao.memory.retriever import MemoryRetriever
    from agentao.memory.store import SQLiteMemoryStore

__all__ = [
    "SESSION_TAIL_CHARS",
    "STABLE_BLOCK_MAX_CHARS",
    "MemoryCrystallizer",
    "MemoryGuard",
    "MemoryManager",
    "MemoryPromptRenderer",
    "MemoryRecord",
    "MemoryRetriever",
    "MemoryReviewItem",
    "RecallCandidate",
    "SQLiteMemoryStore",
    "SaveMemoryRequest",
    "SensitiveMemoryError",
    "SessionSummaryRecord",
]

_HOMES = {
    "MemoryCrystallizer": "agentao.memory.crystallizer",
    "MemoryGuard": "agentao.memory.guard",
    "MemoryManager": "agentao.memory.manager",
    "MemoryPromptRenderer": "agentao.memory.renderer",
    "MemoryRetriever": "agentao.memory.retriever",
    "SQLiteMemoryStore": "agentao.memory.store",
    "SensitiveMemoryError": "agentao.errors",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES.get(name, "agentao.memory.models")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
