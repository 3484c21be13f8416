"""What a store keeps beside the memories; ``models`` gives these names, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentao.memory.models import Confidence, MemoryType, ReviewStatus, Scope


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
