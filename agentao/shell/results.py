"""What commands answer: frozen plain data, one class per kind of answer. ``views`` and ``json_view`` show them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from agentao.memory.models import MemoryEvent, MemoryRecord, SaveOutcome, Scope


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
