"""The records of the memory core: plain data, the vocabularies they use, and every limit with its unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from agentao.memory.passing import Factors as Factors
    from agentao.memory.passing import MemoryProposal as MemoryProposal
    from agentao.memory.passing import RecallCandidate as RecallCandidate
    from agentao.memory.passing import SaveMemoryRequest as SaveMemoryRequest
    from agentao.memory.passing import SaveOutcome as SaveOutcome
    from agentao.memory.passing import ToolAnswer as ToolAnswer

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


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One stored memory. Times are UTC, ISO 8601, to the microsecond, with ``+00:00``."""

    id: str
    scope: Scope
    type: MemoryType
    key_normalized: str
    title: str
    content: str
    tags: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    source: Source = "explicit"
    confidence: Confidence = "explicit_user"
    sensitivity: str = "normal"
    created_at: str = ""
    updated_at: str = ""
    deleted_at: str | None = None


@dataclass(frozen=True, slots=True)
class SessionSummaryRecord:
    """One compacted stretch of a conversation."""

    id: str
    session_id: str
    summary_text: str
    tokens_before: int
    messages_summarized: int
    created_at: str


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """One row of the audit log; ``detail`` holds ``actor``, ``session_id``, ``before`` and ``after``."""

    id: int
    memory_id: str
    event_type: str
    timestamp: str
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class MemoryReviewItem:
    """A proposal that waits for the user's word (or had it)."""

    id: str
    scope: Scope
    type: MemoryType
    key_normalized: str
    title: str
    content: str
    tags: list[str]
    evidence: str
    source_session: str
    occurrences: int
    confidence: Confidence
    status: ReviewStatus
    created_at: str
    updated_at: str


PASSING = ("Factors", "MemoryProposal", "RecallCandidate", "SaveMemoryRequest", "SaveOutcome", "ToolAnswer")


def __getattr__(name: str) -> object:
    """Load the classes that no store needs at their first use: making them would be a tenth of each start."""
    if name not in PASSING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agentao.memory import passing

    return getattr(passing, name)
