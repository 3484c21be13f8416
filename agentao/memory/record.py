"""What the memory core is about: one memory. ``models`` gives this name, too."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentao.memory.models import Confidence, MemoryType, Scope, Source


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
