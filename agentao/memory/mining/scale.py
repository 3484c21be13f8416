"""Whether a statement lasts, and as what: the weights of all its signs added up.

The rules name what a careful reader looks for; the weights say how much each of them, and each word beside it, tells.
A rule that the table does not know yet counts by its effect, so that a new row works at once.

How ``weights_en`` and ``weights_zh`` were made: 4,972 labelled messages gave 5,565 statements, of which 2,331 last.
Each is a set of its ``signs`` and of the rules that match it; words are kept apart by language, shapes, places and the
start value are shared. L2-regularised logistic regression (C = 1) over the signs that occur twice tells whether a
statement lasts; another one over the lasting ones, and the signs that occur three times, tells as what. Messages by
other authors than the rules' count three times; 400 sentences of technical prose count as passing. Weights below 0.05
(of types 0.12) are left out, no blocker speaks for a statement, and the rest is rounded to tenths. 2,932 messages
stand under ``tests/memory/mining/examples``; the others are no part of the project, so that it cannot make the tables
anew by itself. The same fit in ten-fold cross-validation over 4,572 messages found 0.82 of what lasts with a precision
of 0.92 (English 0.79 and 0.91, Chinese 0.85 and 0.92, mixed 0.86 and 0.94). So much is to be expected of wording that
is new to the tables, whatever the tests of the known examples show.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from agentao.memory.mining import text as mining_text
from agentao.memory.mining.clauses import Heading, Statement
from agentao.memory.mining.judge import Hit, Verdict, judge, readings
from agentao.memory.mining.rules import CUES, TYPES, Language
from agentao.memory.mining.signs import language_of, place_signs, statement_signs
from agentao.memory.models import MemoryType

LASTS_FROM = 1.2
"""So much has to be on the scale, in log odds, for a statement to be proposed."""
VERDICTS_KEPT = 4_096
"""A conversation is mined again at every compaction and at its end; what was weighed before is not weighed again."""
HOPELESS_BELOW = -1.5
"""With so little for it from its words and place, no rule makes a statement last."""
WEAK_CUES_MAX = 1.0
"""So much can weak cues add."""
NEW_CUE = 1.0
NEW_BLOCKER = -2.0
RULES_FOR = 1.4
"""What the consent of the rules, with the reach of each blocker, adds to the signs."""
RULES_SAY_SO = 1.0
"""What the verdict of the rules counts for the type."""
_FINAL = frozenset({"secret"})


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign counts for lasting, and for each type."""

    bias: float
    lasting: dict[str, float]
    type_bias: dict[MemoryType, float]
    types: dict[MemoryType, dict[str, float]]


@cache
def weights(language: Language) -> Weights:
    """Read once, when the first statement of that language is weighed."""
    if language == "zh":
        from agentao.memory.mining.weights_zh import BIAS, LASTING, TYPE_BIAS, TYPE_WEIGHTS
    else:
        from agentao.memory.mining.weights_en import BIAS, LASTING, TYPE_BIAS, TYPE_WEIGHTS
    return Weights(BIAS, _read(LASTING), TYPE_BIAS, {kind: _read(table) for kind, table in TYPE_WEIGHTS.items()})


def _read(table: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for line in table.strip().split("\n"):
        weight, _, signs = line.partition(": ")
        found.update(dict.fromkeys(signs.split(" | "), float(weight)))
    return found


def weighed(statement: Statement, before: Statement | None, after: Statement | None) -> Verdict:
    """The type of a statement, or none, with the statements around it in view."""
    place = frozenset(place_signs(statement, before, after))
    return _weighed(statement.matching, statement.heading, statement.is_entry, statement.is_process, place)


@lru_cache(maxsize=VERDICTS_KEPT)
def _weighed(matching: str, heading: Heading, is_entry: bool, is_process: bool, place: frozenset[str]) -> Verdict:
    statement = Statement(matching, matching, heading, is_entry, is_process)
    if is_process:
        return judge(statement)
    plain = mining_text.corrected(matching)
    language = language_of(plain)
    known = weights(language)
    signs = statement_signs(plain, language) | place
    total = known.bias + _sum(known.lasting, signs)
    if total < HOPELESS_BELOW:
        return Verdict()
    found = readings(plain)
    cues = [hit for reading in found for hit in reading.hits("strong cue")]
    strong = _sum_of_rules(known.lasting, _names(cues))
    if total + strong + WEAK_CUES_MAX + (RULES_FOR if cues or is_entry else 0) < LASTS_FROM:
        return Verdict(cues=tuple(cues))
    cues += [hit for reading in found for hit in reading.hits("weak cue")]
    names = _names(cues)
    total += _sum_of_rules(known.lasting, names)
    if total + RULES_FOR < LASTS_FROM:
        return Verdict(cues=tuple(cues))
    blockers = [hit for reading in found for hit in reading.hits("blocker")]
    if any(hit.rule.effect in _FINAL for hit in blockers):
        return Verdict(None, (), tuple(blockers), is_forbidden=True)
    stops = _names(blockers)
    total += _sum_of_rules(known.lasting, stops)
    by_rules = judge(statement, found)
    if by_rules.type is not None:
        total += RULES_FOR
    if total < LASTS_FROM:
        return Verdict(None, tuple(cues), tuple(blockers), is_forbidden=True)
    signs |= names.keys() | stops.keys()
    return Verdict(_type(known, signs, by_rules.type), tuple(cues), tuple(blockers))


def _sum(table: dict[str, float], signs: Iterable[str]) -> float:
    return sum([table[sign] for sign in signs if sign in table])


def _names(hits: Iterable[Hit]) -> dict[str, float]:
    return {f"@{hit.rule.name}": NEW_CUE * hit.rule.weight if hit.rule.effect in CUES else NEW_BLOCKER for hit in hits}


def _sum_of_rules(table: dict[str, float], names: dict[str, float]) -> float:
    return sum(table.get(name, new) for name, new in names.items())


def _type(known: Weights, signs: set[str], by_rules: MemoryType | None) -> MemoryType:
    def score(kind: MemoryType) -> float:
        said = RULES_SAY_SO if kind == by_rules else 0.0
        return known.type_bias[kind] + _sum(known.types[kind], signs) + said

    return max(TYPES, key=score)
