"""The records of the memory core: plain data, the vocabularies they use, and every limit with its unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

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
class SaveMemoryRequest:
    """What a caller wants saved, as typed; the guard normalises it.

    ``tags=None`` on an existing key keeps the stored tags, type and scope; any list, an empty one too, replaces them.
    """

    key: str
    value: str
    tags: list[str] | None = None
    scope: Scope | None = None
    type: MemoryType | None = None
    source: Source = "explicit"
    confidence: Confidence | None = None


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
class Factors:
    """The four recall factors of one record, each in [0, 1]."""

    tag: float
    title: float
    keyword: float
    recency: float

    @property
    def score(self) -> float:
        """(4·tag + 3·title + 2·keyword + 1·recency) / 10, in [0, 1]. Source: the memory design, section 3."""
        return (4 * self.tag + 3 * self.title + 2 * self.keyword + self.recency) / 10


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


@dataclass(frozen=True, slots=True)
class MemoryProposal:
    """What the crystallizer found in the user's own words; not stored yet."""

    type: MemoryType
    scope: Scope
    key_normalized: str
    title: str
    content: str
    tags: list[str]
    evidence: str
    source_session: str
    occurrences: int = 1
    confidence: Confidence = "auto_summary"


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


@dataclass(frozen=True, slots=True)
class SaveOutcome:
    """What one save did.

    ``note`` is one sentence or empty: the fact does not fit the stable block, the other scope has the same key, the
    record is kept for this run only and why.
    """

    record: MemoryRecord
    change: Literal["new", "changed", "unchanged"]
    before: MemoryRecord | None = None
    persistent: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer to one ``save_memory`` call: the words for the model, and what came of it."""

    text: str
    outcome: SaveOutcome | None = None
    """None when nothing was saved."""
    error: bool = False
    reason: str = ""
    """Why nothing was saved, in words for the user."""
