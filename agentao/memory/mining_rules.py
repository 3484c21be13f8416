"""What a mining rule is, and the table of all of them.

A rule is one row: ``name, effect, weight, pattern, example, counter-example``. Cues (effects in ``CUES``) add their
weight to a type; a statement is proposed when a type reaches ``THRESHOLD``. Blockers cancel the cues in their reach.
Patterns are matched against small letters with straight quotes, traditional trigger characters made simple, and
everything quoted or named blanked with ``x``. To add a rule, add a row: its example and counter-example run as tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from agentao.memory.models import MemoryType

Language = Literal["en", "zh"]
Effect = Literal[
    "preference",
    "constraint",
    "decision",
    "workflow",
    "lasting",  # holds from now on, whatever it is
    "general",  # about all, every, any: of a rule rather than of one thing
    "talk",  # about how the assistant talks to the user
    "idiom",  # blanked before anything else is looked for
    "question",
    "hypothetical",
    "undecided",
    "rejected",
    "withdrawn",
    "past",
    "temporary",
    "dated",  # a time that makes an order temporary and a decision no less a decision
    "others",
    "sarcasm",
    "fault",
    "task",
    "payload",
    "secret",
]
Reach = Literal["sentence", "clause", "after"]

TYPES: tuple[MemoryType, ...] = ("preference", "constraint", "decision", "workflow")
CUES = frozenset({*TYPES, "lasting", "general", "talk"})
THRESHOLD = 1.0

REACH: dict[str, Reach] = {
    "question": "sentence",
    "hypothetical": "sentence",
    "undecided": "sentence",
    "rejected": "sentence",
    "withdrawn": "sentence",
    "past": "clause",
    "temporary": "sentence",
    "dated": "clause",
    "others": "clause",
    "sarcasm": "sentence",
    "fault": "clause",
    "task": "after",
    "payload": "after",
    "secret": "sentence",
}
"""How far each blocker reaches: the whole sentence, the clause it stands in, or everything after it up to a "but"."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row. ``weight`` counts for cues only; a blocker always blocks."""

    language: Language
    name: str
    effect: Effect
    weight: float
    pattern: str
    example: str
    counter: str
    reach: Reach | None = None

    def compiled(self) -> re.Pattern[str]:
        return _compiled(self.pattern)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, English before Chinese."""
    from agentao.memory import mining_rules_en, mining_rules_en_blockers, mining_rules_zh, mining_rules_zh_blockers

    english = (*mining_rules_en.ROWS, *mining_rules_en_blockers.ROWS)
    chinese = (*mining_rules_zh.ROWS, *mining_rules_zh_blockers.ROWS)
    return (*(Rule("en", *row) for row in english), *(Rule("zh", *row) for row in chinese))


@cache
def rules_for(kind: Literal["idiom", "cue", "blocker"], language: Language) -> tuple[Rule, ...]:
    """The rules of one kind and language, in table order."""

    def kind_of(rule: Rule) -> str:
        return "idiom" if rule.effect == "idiom" else "cue" if rule.effect in CUES else "blocker"

    return tuple(rule for rule in rules() if rule.language == language and kind_of(rule) == kind)
