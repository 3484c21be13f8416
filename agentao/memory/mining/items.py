"""From one message to its lasting statements: each statement weighed, then seen beside its neighbours.

A condition right after a task is part of that task; a sentence that only goes on about the one before it is no second
item; a list with a task in it is a task list; what is taken back is gone; one sentence may hold two statements.
"""

# ruff: noqa: E501 - a pattern is one line
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from agentao.memory.mining.clauses import Statement, elaborates, statements, takes_back
from agentao.memory.mining.judge import Verdict
from agentao.memory.mining.reading import paragraphs
from agentao.memory.mining.scale import weighed
from agentao.memory.models import MemoryType


def lasting_statements(text: str) -> list[tuple[Statement, MemoryType]]:
    """Every lasting statement of one user message, in order, each with its type."""
    found: list[tuple[Statement, MemoryType]] = []
    before = _Before()
    is_task_list = False
    said = list(statements(paragraphs(text)))
    for i, statement in enumerate(said):
        last = said[i - 1] if i else None
        following = said[i + 1] if i + 1 < len(said) else None
        if statement.starts_paragraph:
            before = _Before()
        in_loose_list = statement.is_entry and statement.heading == "none"
        if takes_back(statement.text):
            del found[-1:]
            continue
        if in_loose_list and _patterns()["hands_over"].search(text.lower()):
            continue
        for part, verdict in _parts(statement, last, following):
            if verdict.type is None:
                is_task_list = is_task_list or in_loose_list
            elif statement.is_entry or not (
                (found and elaborates(part.text)) or (not _stands_alone(part, verdict) and before.builds())
            ):
                found.append((part, verdict.type))
        before.add(statement)
    if is_task_list:
        return [(s, kind) for s, kind in found if not s.is_entry or s.heading != "none"]
    return found


class _Before:
    """What stood before a statement in its paragraph; looked at once, and only when asked."""

    def __init__(self) -> None:
        self._unseen: list[Statement] = []
        self._builds = False

    def add(self, statement: Statement) -> None:
        self._unseen.append(statement)

    def builds(self) -> bool:
        """Whether something new was asked for, so that conditions behind it are part of that task."""
        pattern = _patterns()["builds"]
        self._builds = self._builds or any(pattern.search(statement.matching) for statement in self._unseen)
        self._unseen.clear()
        return self._builds


def _parts(
    statement: Statement, before: Statement | None, after: Statement | None
) -> Iterator[tuple[Statement, Verdict]]:
    """The statement, or the two statements that it joins."""
    whole = weighed(statement, before, after)
    if whole.type is not None and not statement.is_process:
        for joint in _patterns()["joint"].finditer(statement.matching):
            start = joint.start()
            end = joint.start("kept") if joint.group("kept") else joint.end()
            left = replace(statement, text=statement.text[:start], matching=statement.matching[:start])
            right = replace(statement, text=statement.text[end:], matching=statement.matching[end:])
            first, second = weighed(left, before, right), weighed(right, left, after)
            if first.type is None or second.type is None:
                continue
            if first.type == second.type and not joint.group("more"):
                continue
            yield left, first
            yield right, second
            return
    yield statement, whole


def _stands_alone(statement: Statement, verdict: Verdict) -> bool:
    return verdict.is_own_or_lasting or bool(_patterns()["aside"].search(statement.matching))


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern, re.ASCII) for name, pattern in _PATTERNS.items()}


_PATTERNS = {
    # asks for something new to be made; what follows describes it
    "builds": (
        r"(?:^|[.,:;] ?|\b(?:please|then|and|now|to|you) )(?:build|implement|create|write|design|make (?:a|an|the|it|this)|add|draft|generate|develop|code|scaffold|prototype|set up|introduce|task:)\b(?! (?:them|it|these|those|this)\b)"
        r"|做(?:一|个)|写(?:一|个|段|篇)|实现|开发(?:一|个)|新增|新建|加(?:一|个|上)|设计(?:一|个|下)|生成|画(?:一|个)|搭(?:一|个)|需求[：:]"
    ),
    # leads away from the task at hand
    "aside": (
        r"^(?:and |but )?(?:also|btw|by the way|note|another|one more|separately|in general|and so you know|so you know|fyi|heads[- ]up|reminder|remember|again|and again|besides|unrelated|otherwise|everywhere|in this (?:repo|project|codebase)|for the record|keep in mind|rule|our|we)\b"
        r"|^(?:另外|顺便|对了|还有|注意|记住|记得|切记|提醒|补充|再说|说个|再强调|强调|备注|说明|以后|我们|团队|项目|本项目|这个项目|咱们)"
    ),
    # the words that follow or precede a list of things to do now
    "hands_over": (
        r"\b(?:when (?:you are |you're |it is |it's |that is )?(?:done|ready|finished)|once (?:you are |you're )?(?:done|finished)|ping me|let me know|then (?:open|commit|push|show|send)|open a (?:draft )?pr|send me|thanks in advance|in that order|asap)\b"
        r"|(?:改|做|弄|写|搞|处理|修|完成|加)(?:好|完)(?:了|后|之后|以后)?(?:就|再|请|都)?(?:发|给|告诉|通知|提|截|叫|合|喊|说)|完成后|弄好了|搞定后|做完|改完|改好"
    ),
    # where one sentence may hold two statements; words in ``kept`` belong to the second
    "joint": (
        r"[;；,，] ?(?P<more>(?:(?:and )?also|plus|secondly|second),? |(?:另外|还有|此外|同时|并且|其次|第二)[，,]?)(?=.{6})"
        r"|[;；] ?(?:and )?(?=.{6})"
        r"|, and (?P<kept>(?:all|every|each|any|no|nothing|never|always|i|we|the|our|my) )"
    ),
}
