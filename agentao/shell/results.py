"""What commands answer: frozen plain data, one class per kind of answer. ``views`` and ``json_view`` show them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agentao.memory.models import (
    MemoryEvent,
    MemoryRecord,
    MemoryReviewItem,
    MemoryType,
    RecallCandidate,
    SaveOutcome,
    Scope,
    SessionSummaryRecord,
)

if TYPE_CHECKING:
    from agentao.agent.agent import ContextUsage
    from agentao.agent.doctor import Check
    from agentao.memory.usecases.outcomes import ImportOutcome, MemoryStatus, UndoOutcome


class Result:
    """The base of all answers."""


@dataclass(frozen=True, slots=True)
class Memories(Result):
    """Records in the order to show them. ``total`` counts those that were left out too.

    ``terms`` are the words to mark, ``asked`` says in words what was asked for, ``more`` how to see the rest.
    """

    memories: tuple[MemoryRecord, ...]
    total: int
    asked: str = ""
    terms: tuple[str, ...] = ()
    scope: Scope | None = None
    more: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class MemoryShown(Result):
    """Whole records, each with its events, newest first."""

    memories: tuple[tuple[MemoryRecord, tuple[MemoryEvent, ...]], ...]


@dataclass(frozen=True, slots=True)
class MemorySaved(Result):
    """One record was saved by hand, or nothing changed because it already stood so."""

    outcome: SaveOutcome


@dataclass(frozen=True, slots=True)
class MemoriesChanged(Result):
    """What happened to these records, and how to take it back."""

    change: Literal["deleted", "restored"]
    memories: tuple[MemoryRecord, ...]
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Tags(Result):
    """Tags with the number of records that carry them, most used first."""

    tags: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Notice(Result):
    """A few plain lines, and the same as data for JSON."""

    lines: tuple[str, ...]
    data: dict[str, Any] = field(default_factory=dict)
    warning: bool = False


@dataclass(frozen=True, slots=True)
class MemoryHistory(Result):
    """Events, newest first; ``target`` is empty when all were asked for."""

    events: tuple[MemoryEvent, ...]
    more: bool = False
    target: str = ""


@dataclass(frozen=True, slots=True)
class Undone(Result):
    """A change was taken back."""

    outcome: UndoOutcome


@dataclass(frozen=True, slots=True)
class Exported(Result):
    """Lines of JSON; with ``path`` they were written there."""

    lines: tuple[str, ...]
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Imported(Result):
    """What an import did or would do."""

    outcome: ImportOutcome


@dataclass(frozen=True, slots=True)
class Crystallized(Result):
    """What the rules found in the conversation."""

    items: tuple[MemoryReviewItem, ...]
    """Those that are shown; ``total`` counts the rest, too."""
    messages: int
    pending: int
    total: int


@dataclass(frozen=True, slots=True)
class ReviewList(Result):
    """Candidates that wait, oldest first; of ``total`` those that are shown."""

    items: tuple[MemoryReviewItem, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Reviewed(Result):
    """Candidates after the user's word: the memories that approvals wrote, or the items that were turned down."""

    decision: Literal["approved", "rejected"]
    memories: tuple[MemoryRecord, ...] = ()
    items: tuple[MemoryReviewItem, ...] = ()
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summaries(Result):
    """Session summaries, newest first."""

    summaries: tuple[SessionSummaryRecord, ...]
    session_id: str
    every: bool = False


@dataclass(frozen=True, slots=True)
class BlockFact:
    """One fact and the characters it takes in the stable block; 0 when it did not fit."""

    title: str
    scope: Scope
    chars: int


@dataclass(frozen=True, slots=True)
class RecallCounts:
    """Recall in this session. ``unread``: how many memories its index does not know yet."""

    hits: int
    errors: int
    last_error: str = ""
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Status(Result):
    """The state of memory: what is stored where, what of it the prompt holds, how recall does."""

    memory: MemoryStatus
    recall: RecallCounts
    facts: tuple[BlockFact, ...]
    dropped: tuple[BlockFact, ...]
    block_tokens: int
    dynamic_chars: int
    dynamic_limit_chars: int


@dataclass(frozen=True, slots=True)
class StableFact:
    """One fact of the stable block, with the characters it takes there; 0 when it did not fit."""

    memory_id: str
    title: str
    scope: Scope
    type: MemoryType
    updated_at: str
    chars: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """One candidate of recall, which stood in its block or ``lacked`` something: one sentence."""

    candidate: RecallCandidate
    updated_at: str
    in_block: bool = False
    lacked: str = ""


@dataclass(frozen=True, slots=True)
class Why(Result):
    """What a question puts into the prompt and why; ``sent`` is False when the request reached no server that answered.

    ``query`` is empty before the first turn; ``unread`` memories were left out, because the index did not know them.
    ``as_json``: it is shown as JSON in the shell, too.
    """

    query: str
    stable: tuple[StableFact, ...] = ()
    dropped: tuple[StableFact, ...] = ()
    recalled: tuple[Recalled, ...] = ()
    near_misses: tuple[Recalled, ...] = ()
    error: str = ""
    memory_on: bool = True
    sent: bool = True
    unread: int = 0
    as_json: bool = False

    @property
    def message(self) -> str:
        """One sentence where there is less to show than was asked for, else empty."""
        if not self.memory_on:
            return "Memory is off, so nothing of it was in the prompt. /memory on switches it on."
        if not self.query:
            return "No question was asked yet in this session."
        if not self.sent:
            return "No server answered this request, so nothing of this was sent."
        if not (self.recalled or self.near_misses or self.error or self.unread):
            return "Each word of it stands in no memory, in more than half of the memories, or in any question."
        return ""


@dataclass(frozen=True, slots=True)
class ContextShown(Result):
    """The context window and what fills it, in tokens."""

    usage: ContextUsage
    model: str


@dataclass(frozen=True, slots=True)
class Models(Result):
    """The model in use and those on offer; ``problem`` says why there is no list."""

    current: str
    url: str
    names: tuple[str, ...] = ()
    problem: str = ""
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Diagnosis(Result):
    """What the doctor found, in the order of the checks."""

    checks: tuple[Check, ...]

    @property
    def failed(self) -> bool:
        """True when something does not work."""
        return any(check.status == "failed" for check in self.checks)


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """One setting and where its value stands."""

    key: str
    value: str | int | bool | None
    origin: str


@dataclass(frozen=True, slots=True)
class Config(Result):
    """All settings; the key of the model is never among them, only whether it is set."""

    values: tuple[ConfigValue, ...]
    file: Path
    exists: bool
    not_read: Path | None = None
    """A file of settings inside the project, which counts for nothing."""


@dataclass(frozen=True, slots=True)
class RawMode(Result):
    """Whether answers are shown as they come, without Markdown."""

    raw: bool


@dataclass(frozen=True, slots=True)
class Reasoning(Result):
    """What the model thought before its last answer; empty when it sent nothing of the kind."""

    text: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Leave(Result):
    """The shell ends."""


@dataclass(frozen=True, slots=True)
class EditDraft(Result):
    """The shell opens the line being typed in the user's editor."""


@dataclass(frozen=True, slots=True)
class HelpLine:
    """One command in an overview."""

    usage: str
    summary: str


@dataclass(frozen=True, slots=True)
class HelpTopics(Result):
    """Commands by topic."""

    topics: tuple[tuple[str, tuple[HelpLine, ...]], ...]
    footer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HelpCommand(Result):
    """One command whole."""

    usage: str
    summary: str
    description: str
    arguments: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]
    examples: tuple[str, ...]
    aliases: tuple[str, ...]
    under: tuple[HelpLine, ...] = ()
