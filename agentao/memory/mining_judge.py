"""Whether a statement is worth proposing, and as what: cues added up, blockers applied within their reach."""

# ruff: noqa: E501 - a pattern is one line
from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal

from agentao.memory import mining_text
from agentao.memory.mining_clauses import Statement
from agentao.memory.mining_rules import REACH, THRESHOLD, TYPES, Language, Reach, Rule, rules_for
from agentao.memory.models import MemoryType


@dataclass(frozen=True, slots=True)
class Hit:
    """One rule that matched, and where."""

    rule: Rule
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The type of a statement, or why it is none (``blocked_by``)."""

    type: MemoryType | None
    hits: tuple[Hit, ...] = ()
    blocked_by: tuple[Hit, ...] = ()
    is_task: bool = False


@cache
def _clause_break() -> re.Pattern[str]:
    return re.compile(
        r"[,，、;；:：()（）\n。]|\s[-–—]+\s|[—–]{1,2}|\b(?:but|because|since|so that|so|although|though|however|otherwise|unless|and then)\b|但是?|不过|因为|所以|而且|否则|不然"
    )


@cache
def _but() -> re.Pattern[str]:
    return re.compile(r"\b(?:but|however|yet we|still we|our rule|we decided)\b|但是?|不过|可是|然而|；|;|\n")


def judge(statement: Statement) -> Verdict:
    """Weigh one statement. The same statement always gets the same verdict."""
    matching = mining_text.corrected(statement.matching)
    languages = _languages(matching)
    for language in languages:
        for rule in rules_for("idiom", language):
            matching = rule.compiled().sub(lambda m: " " * (m.end() - m.start()), matching)
    cues = _hits(matching, "cue", languages)
    promised = _PROMISED.get(statement.heading)
    if not cues and promised is None:
        return Verdict(None, is_task=_is_task(matching, languages))
    kind = _type_of(cues, promised, statement)
    if kind is None and not statement.is_process:
        return Verdict(None, tuple(cues), is_task=_is_task(matching, languages))
    blockers = _hits(matching, "blocker", languages)
    is_task = any(hit.rule.effect == "task" for hit in blockers)
    if matching.rstrip(" \"')）🙏").endswith(("?", "？")) and not _is_standing_request(cues, matching):
        return Verdict(None, tuple(cues), is_task=is_task)
    if statement.is_process:
        stopped = tuple(
            hit for hit in blockers if hit.rule.effect in ("question", "hypothetical", "undecided", "past", "secret")
        )
        return Verdict(None if stopped else "workflow", tuple(cues), stopped)
    left = cues
    stopped_by: list[Hit] = []
    clauses = _clauses(matching)
    for blocker in blockers:
        if not _applies(blocker, cues, kind):
            continue
        reach = blocker.rule.reach or REACH[blocker.rule.effect]
        kept = [cue for cue in left if not _reaches(blocker, cue, reach, clauses, matching)]
        if len(kept) < len(left) or (reach == "sentence"):
            stopped_by.append(blocker)
        left = [] if reach == "sentence" else kept
        if reach == "sentence":
            promised = None
    kind = _type_of(left, promised if not any(_kills_entry(b) for b in stopped_by) else None, statement)
    return Verdict(kind, tuple(left), tuple(stopped_by), is_task)


_PROMISED: dict[str, MemoryType] = {"rules": "constraint", "choices": "decision", "tastes": "preference"}
"""What an entry is when its heading says so and nothing in it says otherwise."""


def _languages(matching: str) -> tuple[Language, ...]:
    found: list[Language] = []
    if re.search(r"[a-z]{2}|[🙃🙄]|\bi\b", matching):
        found.append("en")
    if not matching.isascii() and re.search(r"[\u4e00-\u9fff🙃🙄]", matching):
        found.append("zh")
    return tuple(found)


def _hits(matching: str, kind: Literal["cue", "blocker"], languages: tuple[Language, ...]) -> list[Hit]:
    found = []
    for language in languages:
        for rule in rules_for(kind, language):
            match = rule.compiled().search(matching)
            if match:
                found.append(Hit(rule, match.start(), max(match.end(), match.start() + 1)))
    return found


def _is_task(matching: str, languages: tuple[Language, ...]) -> bool:
    return any(hit.rule.effect == "task" for hit in _hits(matching, "blocker", languages))


def _type_of(cues: list[Hit], promised: MemoryType | None, statement: Statement) -> MemoryType | None:
    """The type whose strongest cue is strongest, when it and what supports it reach the threshold."""
    strongest = dict.fromkeys(TYPES, 0.0)
    total = dict.fromkeys(TYPES, 0.0)
    lasting = shared = 0.0
    for cue in cues:
        effect, weight = cue.rule.effect, cue.rule.weight
        if effect in total:
            total[effect] += weight
            strongest[effect] = max(strongest[effect], weight)
        else:
            shared += weight
            lasting += weight if effect == "lasting" else 0
    if promised is not None:
        total[promised] += THRESHOLD
        strongest[promised] = max(strongest[promised], THRESHOLD)
    talk = any(cue.rule.effect == "talk" for cue in cues)
    names = {cue.rule.name for cue in cues}
    for kind in sorted(TYPES, key=lambda kind: (-min(strongest[kind], THRESHOLD), _ORDER[kind])):
        if strongest[kind] >= ANCHOR and total[kind] + shared >= THRESHOLD:
            if talk and kind in ("constraint", "workflow") and not _about_the_project(names):
                return "preference"
            return kind
    if lasting >= THRESHOLD:
        return "preference" if talk else "constraint"
    return None


ANCHOR = 0.6
"""A type needs one cue of its own that weighs this much; small ones alone never add up to a proposal."""

_ORDER = {"preference": 0, "decision": 1, "constraint": 2, "workflow": 3}
"""Which type wins when several weigh the same."""


def _about_the_project(names: set[str]) -> bool:
    return bool(
        names & {"standing-place", "项目范围", "we-always", "we-never", "we-use", "我们用", "process-label", "流程"}
    )


def _is_standing_request(cues: list[Hit], matching: str) -> bool:
    lasting = any(cue.rule.name in ("from-now-on", "以后") for cue in cues)
    return lasting and bool(
        re.search(
            r"(?:\b(?:ok|okay|please|alright|deal|yeah)|好吗|好么|可以吗|行吗|ok吗)\s*[?？]+$|^(?:can|could|would|will) you\b|^(?:能|可以|能不能)",
            matching,
        )
    )


def _applies(blocker: Hit, cues: list[Hit], kind: MemoryType | None) -> bool:
    effect = blocker.rule.effect
    if effect == "dated":
        return kind != "decision"
    if effect == "task":
        return not any(cue.rule.effect == "lasting" and cue.rule.weight >= THRESHOLD for cue in cues)
    if effect == "question" and blocker.rule.language == "zh":
        return not any(cue.rule.name in _OPENERS and cue.start <= blocker.start for cue in cues)
    return True


_OPENERS = frozenset({"from-now-on", "every-time", "以后", "一律"})
"""Behind these a question word is part of an order (``以后先说为什么``)."""


def _kills_entry(blocker: Hit) -> bool:
    return blocker.rule.effect in (
        "question",
        "hypothetical",
        "undecided",
        "withdrawn",
        "others",
        "past",
        "temporary",
        "secret",
        "payload",
    )


def _clauses(matching: str) -> list[int]:
    return [0, *(m.end() for m in _clause_break().finditer(matching)), len(matching) + 1]


def _reaches(blocker: Hit, cue: Hit, reach: Reach, clauses: list[int], matching: str) -> bool:
    if reach == "sentence":
        return True
    if reach == "after":
        if cue.start < blocker.start:
            return False
        but = _but().search(matching, blocker.end)
        return but is None or cue.start < but.start()
    if reach == "before":
        return cue.end <= blocker.end
    for start, end in pairwise(clauses):
        if blocker.start < end and blocker.end > start and cue.start < end and cue.end > start:
            return True
    return False
