"""What passes between the parts of the core and is stored nowhere; ``models`` gives these names, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentao.memory.models import Confidence, MemoryRecord, MemoryType, Scope, Source


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
