"""Whether a statement is worth proposing, and as what: cues added up, blockers applied within their reach."""

# ruff: noqa: E501 - a pattern is one line
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from agentao.memory.mining import text as mining_text
from agentao.memory.mining.clauses import Heading, Statement
from agentao.memory.mining.rules import (
    ANCHOR,
    REACH,
    THRESHOLD,
    TYPES,
    Kind,
    Language,
    Reach,
    Rule,
    shelf,
    starts_in,
)
from agentao.memory.models import MemoryType

HITS_PER_RULE_MAX = 6
_BETWEEN = frozenset(" ,，、;；:：.。(（—–-!！\n")
"""What a pattern may begin with and still belong to the clause behind it."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One rule that matched, and where in the reading it matched."""

    rule: Rule
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The type of a statement, or none; the cues that are left, and what stopped the others."""

    type: MemoryType | None = None
    cues: tuple[Hit, ...] = ()
    stopped_by: tuple[Hit, ...] = ()
    is_forbidden: bool = False

    @property
    def weight(self) -> float:
        return sum(cue.rule.weight for cue in self.cues)

    @property
    def is_own_or_lasting(self) -> bool:
        """Said of the project or for ever, and so no condition of the task it stands beside."""
        return self.type in ("preference", "decision") or any(
            cue.rule.effect == "lasting" or cue.rule.name in _PROJECT for cue in self.cues
        )


_PROMISED: dict[Heading, MemoryType] = {"rules": "constraint", "choices": "decision", "tastes": "preference"}
"""What an entry is when its heading says so and nothing in it says otherwise."""

_ORDER: dict[MemoryType, int] = {"preference": 0, "decision": 1, "constraint": 2, "workflow": 3}
"""Which type wins when the strongest cues weigh the same."""

_PROJECT = frozenset(
    {
        "standing-place",
        "项目范围",
        "we-always",
        "we-never",
        "we-use",
        "我们用",
        "我们一般",
        "process-label",
        "流程",
        "only",
    }
)
_OVERRIDES = frozenset(
    {"from-now-on", "every-time", "trailing-always", "standing", "all-you-write", "same-order", "以后", "照做", "规矩"}
)
"""Behind or before a task, these make it a standing order."""
_OPENERS = frozenset({"以后", "一律", "喜好", "习惯", "我平时", "讲的时候", "回答方式"})
"""Behind these a question word is part of an order (``以后先说为什么``)."""
_KILLS_PROCESS = frozenset({"question", "hypothetical", "undecided", "past", "secret", "others", "withdrawn"})


def judge(statement: Statement, found: list[Reading] | None = None) -> Verdict:
    """What the rules alone say of one statement; ``found`` are its readings, when they were made before."""
    plain = mining_text.corrected(statement.matching)
    promised = _PROMISED.get(statement.heading) if statement.is_entry else None
    if statement.is_process:
        head = plain.partition("\n")[0]
        blockers = [hit for reading in readings(head) for hit in reading.hits("blocker")]
        stopped = tuple(hit for hit in blockers if hit.rule.effect in _KILLS_PROCESS)
        return Verdict(None if stopped else "workflow", (), stopped)
    is_order = plain.endswith(("?", "？")) and _is_order(plain)
    if plain.endswith(("?", "？")) and not is_order:
        return Verdict()
    found = found or readings(plain)
    cues = [reading.cues(promised is not None) for reading in found]
    if all(_type_of(some, promised) is None for some in cues):
        return Verdict(cues=tuple(cue for some in cues for cue in some))
    verdicts = []
    for reading, some in zip(found, cues, strict=True):
        verdict = _weigh(reading, some, promised, is_order)
        if verdict.is_forbidden:
            return verdict
        verdicts.append(verdict)
    return max(verdicts, key=lambda verdict: (verdict.type is not None, verdict.weight))


class Reading:
    """One form of a statement that the rules look at: as Chinese or as English, idioms blanked."""

    def __init__(self, language: Language, text: str) -> None:
        self.language = language
        self._starts = starts_in(text, language)
        for _, pattern in shelf("idiom", language).candidates(text, self._starts):
            text = pattern.sub(_blank, text)
        self.text = text
        self._hits: dict[Kind, list[Hit]] = {}

    def hits(self, kind: Kind) -> list[Hit]:
        """Where the rules of one kind match, in table order; looked for once."""
        if kind not in self._hits:
            self._hits[kind] = list(self._found(kind))
        return self._hits[kind]

    def _found(self, kind: Kind) -> Iterator[Hit]:
        text = self.text
        for rule, pattern in shelf(kind, self.language).candidates(text, self._starts):
            for count, match in enumerate(pattern.finditer(text)):
                if count == HITS_PER_RULE_MAX:
                    break
                start = match.start()
                while start < match.end() - 1 and text[start] in _BETWEEN:
                    start += 1
                yield Hit(rule, start, max(match.end(), start + 1))

    def cues(self, is_promised: bool) -> list[Hit]:
        """All cues; none when no strong one is there, for the weak ones alone never make a proposal."""
        strong = self.hits("strong cue")
        return [*strong, *self.hits("weak cue")] if strong or is_promised else []


def readings(plain: str) -> list[Reading]:
    """A sentence with Chinese in it is read as Chinese, and as English too when it has some words of that."""
    if plain.isascii() or not mining_text.chinese().search(plain):
        return [Reading("en", plain)]
    english = Reading("en", plain)
    chinese = Reading("zh", mining_text.as_chinese(english.text))
    return [chinese, english] if re.search(r"[a-z]{2}.*[^a-z][a-z]{2}", plain) else [chinese]


def _weigh(reading: Reading, cues: list[Hit], promised: MemoryType | None, is_order: bool) -> Verdict:
    kind = _type_of(cues, promised)
    text = reading.text
    left = cues
    stopped_by: list[Hit] = []
    clauses = [0, *(m.end() for m in _clause_break().finditer(text)), len(text) + 1]
    for blocker in reading.hits("blocker"):
        effect = blocker.rule.effect
        reach = blocker.rule.reach or REACH[effect]
        if (is_order and effect in ("question", "task")) or not _applies(blocker, cues, kind):
            continue
        if reach == "sentence":
            return Verdict(None, (), (blocker,), is_forbidden=True)
        if not promised or effect not in ("task", "dated"):
            kept = [cue for cue in left if not _reaches(blocker, cue, reach, clauses, text)]
            if len(kept) < len(left) or promised:
                stopped_by.append(blocker)
                promised = None
            left = kept
    verdict = _type_of(left, promised)
    return Verdict(verdict, tuple(left), tuple(stopped_by), is_forbidden=kind is not None and verdict is None)


def _blank(match: re.Match[str]) -> str:
    return " " * (match.end() - match.start())


def _type_of(cues: Iterable[Hit], promised: MemoryType | None) -> MemoryType | None:
    """The type whose strongest cue is strongest, when it and what supports it reach the threshold."""
    strongest = dict.fromkeys(TYPES, 0.0)
    total = dict.fromkeys(TYPES, 0.0)
    lasting = shared = 0.0
    names: set[str] = set()
    talk = False
    for cue in cues:
        rule = cue.rule
        if rule.name in names:
            continue
        names.add(rule.name)
        if rule.effect in total:
            total[rule.effect] += rule.weight
            strongest[rule.effect] = max(strongest[rule.effect], rule.weight)
        else:
            talk = talk or rule.effect == "talk"
            shared += rule.weight
            lasting += rule.weight if rule.effect == "lasting" else 0
    if promised is not None:
        total[promised] += THRESHOLD
        strongest[promised] = max(strongest[promised], THRESHOLD)
    for kind in sorted(TYPES, key=lambda kind: (-strongest[kind], _ORDER[kind])):
        if lasting >= THRESHOLD > max(strongest[kind], total[kind] if kind == "workflow" else 0):
            continue
        if strongest[kind] >= ANCHOR and total[kind] + shared >= THRESHOLD:
            if talk and kind in ("constraint", "workflow") and not names & _PROJECT:
                return "preference"
            return kind
    if lasting >= THRESHOLD:
        return "preference" if talk or total["preference"] else "constraint"
    return None


@cache
def _clause_break() -> re.Pattern[str]:
    return re.compile(
        r"[,，、;；:：()（）\n。]|\s[-–—]+\s|[—–]{1,2}|\b(?:but|because|since|so that|so|although|though|however|otherwise|unless|and then)\b|但是?|不过|因为|所以|而且|否则|不然"
    )


@cache
def _but() -> re.Pattern[str]:
    return re.compile(r"\b(?:but|however|yet we|still we|our rule)\b|但是?|不过|可是|然而|；|;|\n")


@cache
def _own_voice() -> re.Pattern[str]:
    return re.compile(
        r"[,，;；:：.] ?(?:and |so |but |also )*(?:we |our |i (?!need|want|think)|btw|from now|going forward|remember|in this (?:repo|project|codebase)|by the way|我们|我(?!要|想|需)|咱们|以后|今后|团队|组里|另外|记住|顺便|本项目)"
    )


@cache
def _for_all_time() -> re.Pattern[str]:
    return re.compile(r"\b(?:from now on|going forward|in (?:the )?future|from here on|henceforth)\b|以后|今后|从现在")


@cache
def _polite() -> re.Pattern[str]:
    return re.compile(
        r"^(?:can|could|would|will) you\b|^(?:能|可以|能不能)|(?:\b(?:ok|okay|please|alright|deal|yeah)|好吗|好么|可以吗|行吗) ?[?？]{1,3}$"
    )


def _is_order(plain: str) -> bool:
    """A question in form only: a polite order for all time (``以后用中文，好吗？``)."""
    return bool(_for_all_time().search(plain) and _polite().search(plain))


def _applies(blocker: Hit, cues: Iterable[Hit], kind: MemoryType | None) -> bool:
    effect = blocker.rule.effect
    if effect == "dated":
        return kind != "decision"
    if effect == "task":
        return not any(cue.rule.name in _OVERRIDES for cue in cues)
    if blocker.rule.name == "不必":
        return kind != "preference"
    if blocker.rule.name == "问号词":
        return not any(cue.rule.name in _OPENERS and cue.start <= blocker.start for cue in cues)
    return True


def _reaches(blocker: Hit, cue: Hit, reach: Reach, clauses: list[int], reading: str) -> bool:
    if reach == "after":
        if cue.end <= blocker.start:
            return False
        until = (_own_voice() if blocker.rule.effect == "task" else _but()).search(reading, blocker.end)
        return until is None or cue.start < until.start()
    return any(
        blocker.start < end and blocker.end > start and cue.start < end and cue.end > start
        for start, end in pairwise(clauses)
    )
