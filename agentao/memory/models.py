"""The records of the memory core: plain data, the vocabularies they use, and every limit with its unit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from agentao.memory.beside import MemoryEvent as MemoryEvent
    from agentao.memory.beside import MemoryReviewItem as MemoryReviewItem
    from agentao.memory.beside import SessionSummaryRecord as SessionSummaryRecord
    from agentao.memory.passing import MemoryProposal as MemoryProposal
    from agentao.memory.passing import SaveMemoryRequest as SaveMemoryRequest
    from agentao.memory.passing import SaveOutcome as SaveOutcome
    from agentao.memory.passing import ToolAnswer as ToolAnswer
    from agentao.memory.recall.candidate import Factors as Factors
    from agentao.memory.recall.candidate import RecallCandidate as RecallCandidate
    from agentao.memory.record import MemoryRecord as MemoryRecord

Scope = Literal["user", "project"]
MemoryType = Literal["preference", "profile", "project_fact", "workflow", "decision", "constraint", "note"]
Source = Literal["explicit", "auto", "crystallized"]
Confidence = Literal["explicit_user", "inferred", "auto_summary"]
ReviewStatus = Literal["pending", "approved", "rejected"]
EventType = Literal[
    "create", "update", "delete", "restore", "clear", "purge", "approve", "reject", "import", "unchanged"
]

SCOPES: tuple[Scope, ...] = get_args(Scope)
MEMORY_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)

STRUCTURAL_TYPES: frozenset[MemoryType] = frozenset({"decision", "constraint", "workflow", "profile", "preference"})
"""Project records of these types always compete for the stable block; the others only when recent."""

KEY_MAX_CHARS = 80
CONTENT_MAX_CHARS = 8_000
TAG_MAX_CHARS = 50
TAGS_MAX = 20

STABLE_BLOCK_MAX_CHARS = 2_000
DYNAMIC_BLOCK_MAX_CHARS = 1_200
SESSION_TAIL_CHARS = 800
SESSION_TAIL_SUMMARIES = 3
VALUE_MAX_CHARS = 240
EXCERPT_MAX_CHARS = 200
RECENT_PROJECT_LIMIT = 3
TOP_K = 5

Clock = Callable[[], datetime]
"""Returns the present time with a zone."""

NewId = Callable[[], str]
"""Returns a new record id; later ids sort behind earlier ones."""


_HOMES = {
    "beside": ("MemoryEvent", "MemoryReviewItem", "SessionSummaryRecord"),
    "passing": ("MemoryProposal", "SaveMemoryRequest", "SaveOutcome", "ToolAnswer"),
    "recall.candidate": ("Factors", "RecallCandidate"),
    "record": ("MemoryRecord",),
}


def __getattr__(name: str) -> object:
    """Load the records' classes at their first use: opening a store needs none, and making them delays every start."""
    for module, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(f"agentao.memory.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
