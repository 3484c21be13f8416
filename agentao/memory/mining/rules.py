"""What a mining rule is, and the table of all of them.

A rule is one row: ``name, effect, weight, pattern, example, counter-example``. Cues (effects in ``CUES``) add their
weight to a type; a statement is proposed when a type reaches ``THRESHOLD``. Blockers cancel the cues in their reach.
Patterns are matched against small letters with straight quotes, traditional trigger characters made simple, and
everything quoted or named blanked with ``x``. To add a rule, add a row: its example and counter-example run as tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from operator import add
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
ANCHOR = 0.6
"""A type needs one cue of its own that weighs this much; small ones alone never add up to a proposal."""

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
        return re.compile(self.pattern, re.ASCII)


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, English before Chinese."""
    from agentao.memory.mining import rules_en, rules_en_blockers, rules_zh, rules_zh_blockers

    english = (*rules_en.ROWS, *rules_en_blockers.ROWS)
    chinese = (*rules_zh.ROWS, *rules_zh_blockers.ROWS)
    return (*(Rule("en", *row) for row in english), *(Rule("zh", *row) for row in chinese))


Kind = Literal["idiom", "strong cue", "weak cue", "blocker"]


class Shelf:
    """The rules of one kind and language, and which of them a text may match at all."""

    def __init__(self, kind: Kind, language: Language) -> None:
        from agentao.memory.mining.index import PIECES

        self._rules = tuple(rule for rule in rules() if rule.language == language and _kind(rule) == kind)
        self._patterns: list[re.Pattern[str] | None] = [None] * len(self._rules)
        self._always = 0
        self._by_start: dict[str, list[tuple[str, int]]] = {}
        by_piece: dict[str, int] = {}
        for i, rule in enumerate(self._rules):
            pieces = PIECES[language].get(rule.name, "").split()
            self._always |= 0 if pieces else 1 << i
            for piece in pieces:
                by_piece[piece] = by_piece.get(piece, 0) | 1 << i
        self._short: list[tuple[str, int]] = []
        start_chars = START_CHARS[language]
        for piece, bits in by_piece.items():
            if len(piece) < start_chars:
                self._short.append((piece, bits))
            else:
                self._by_start.setdefault(piece[:start_chars], []).append((piece, bits))
        self._starts = frozenset(self._by_start)

    def candidates(self, text: str, starts: frozenset[str]) -> Iterator[tuple[Rule, re.Pattern[str]]]:
        """The rules that may match ``text``, in table order, each with its pattern; the others certainly do not.

        ``starts`` is ``starts_in(text, language)``. A pattern compiles when it is first tried.
        """
        bits = self._always
        for piece, rule_bits in self._short:
            if piece in text:
                bits |= rule_bits
        for start in self._starts & starts:
            for piece, rule_bits in self._by_start[start]:
                if rule_bits & ~bits and piece in text:
                    bits |= rule_bits
        while bits:
            lowest = bits & -bits
            at = lowest.bit_length() - 1
            pattern = self._patterns[at]
            if pattern is None:
                pattern = self._patterns[at] = self._rules[at].compiled()
            yield self._rules[at], pattern
            bits ^= lowest


START_CHARS: dict[Language, int] = {"en": 3, "zh": 2}
"""By so many of their first characters the pieces of a language are looked up."""


def starts_in(text: str, language: Language) -> frozenset[str]:
    """Every stretch of ``START_CHARS`` characters of a text."""
    if language == "zh":
        return frozenset(map(add, text, text[1:]))
    return frozenset(map(add, map(add, text, text[1:]), text[2:]))


def _kind(rule: Rule) -> Kind:
    if rule.effect == "idiom":
        return "idiom"
    if rule.effect not in CUES:
        return "blocker"
    is_strong = rule.effect == "lasting" or (rule.effect in TYPES and rule.weight >= ANCHOR)
    return "strong cue" if is_strong else "weak cue"


@cache
def shelf(kind: Kind, language: Language) -> Shelf:
    """Made once for each kind and language."""
    return Shelf(kind, language)
