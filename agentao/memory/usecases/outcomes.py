"""What the manager's use cases answer: plain data for whoever shows it, never text of a stored secret."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from agentao.memory.models import MemoryRecord, MemoryType, ReviewStatus, Scope
from agentao.memory.renderer import StableBlockPlan


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """One database as it stands. ``scopes`` has two entries when one file serves both."""

    scopes: tuple[Scope, ...]
    path: Path | None
    persistent: bool
    writable: bool
    problem: str | None
    journal_mode: str
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """Everything ``/memory status`` says about memory; recall's own counts are the retriever's.

    ``block_shown`` and ``block_dropped`` count the facts that the policy puts up for the stable block, ``block_others``
    those that only recall brings up, the older occasional ones of a trusted project;
    ``last_summary_chars`` is the length of the newest session summary of any session, 0 without one.
    """

    counts: dict[Scope, dict[MemoryType, int]]
    totals: dict[Scope, int]
    pending: int
    summaries: int
    last_summary_chars: int
    stores: tuple[StoreStatus, ...]
    session_id: str
    block_chars: int
    block_limit_chars: int
    block_shown: int
    block_dropped: int
    block_others: int
    plan: StableBlockPlan
    project_trusted: bool
    enabled: bool


@dataclass(frozen=True, slots=True)
class ClearPreview:
    """What ``/memory clear`` would remove."""

    user: int
    project: int
    summaries: int
    pending: int

    @property
    def total(self) -> int:
        """All rows together."""
        return self.user + self.project + self.summaries + self.pending


@dataclass(frozen=True, slots=True)
class ClearOutcome:
    """What was removed, and one sentence for each part that was not."""

    user: int = 0
    project: int = 0
    summaries: int = 0
    pending: int = 0
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UndoStep:
    """One record (or review item) that an undo touches; ``before`` and ``after`` are its state around the undo."""

    scope: Scope
    title: str
    event_type: str
    before: MemoryRecord | None
    after: MemoryRecord | None


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """The change that ``undo()`` would take back. ``own_session`` is False when it belongs to another session.

    ``passed`` has one sentence for each newer change that cannot be taken back any more.
    """

    event_type: str
    timestamp: str
    actor: str
    own_session: bool
    steps: tuple[UndoStep, ...]
    passed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UndoOutcome:
    """What was taken back, and one sentence for each record, of it or of a newer change, that could not be."""

    event_type: str
    steps: tuple[UndoStep, ...]
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PurgeOutcome:
    """Deleted rows really removed, per scope, and the bytes that the files shrank by.

    ``held`` are the files that still hold some of the text, because another program is reading them.
    """

    user: int
    project: int
    freed_bytes: int
    held: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """One line of an import that was not taken, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What an import did, or would do (``dry_run``). Kept: the stored record is as new or newer than the line."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    kept: int = 0
    refused: tuple[Refusal, ...] = field(default=())
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """One review item after approve or reject; ``record`` is the memory that an approval wrote."""

    item_id: str
    status: ReviewStatus
    record: MemoryRecord | None = None
