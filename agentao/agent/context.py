"""What memory puts into a request: the stable block, the facts recalled for the question, and what became of both."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from agentao.agent.prompt import instructions, join_prompt
from agentao.memory.models import DYNAMIC_BLOCK_MAX_CHARS, STABLE_BLOCK_MAX_CHARS, TOP_K, RecallCandidate
from agentao.memory.renderer import DynamicBlockPlan, MemoryPromptRenderer, StableBlockPlan

if TYPE_CHECKING:
    from agentao.memory.manager import MemoryManager

BLOCKS_SHARE = 1 / 4
"""The blocks together take at most this share of the window. Source: decisions, Prompt. A character counts as a token,
which is the worst case (Chinese in an old vocabulary)."""

CHANGES_NOTHING = frozenset({"unchanged", "reject"})
EVENTS_LOOKED_AT = 50
"""How far back the change is looked for: one answer of the model may save that many facts again unchanged."""


class Retriever(Protocol):
    """The part of the memory retriever that the agent needs."""

    def recall_candidates(
        self, query: str, top_k: int = TOP_K, exclude_ids: Collection[str] = frozenset()
    ) -> list[RecallCandidate]: ...

    def note_unsent(self, count: int) -> None: ...

    @property
    def unread(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Recall:
    """What one request carried, for ``/memory why``; ``sent`` is False when it reached no server that answered.

    ``unread``: how many records recall left out, because the index does not know them yet.
    """

    query: str
    stable: StableBlockPlan
    candidates: tuple[RecallCandidate, ...]
    dynamic: DynamicBlockPlan
    sent: bool = True
    unread: int = 0

    @property
    def shown(self) -> tuple[RecallCandidate, ...]:
        """The candidates that stood in ``<memory-context>``, best first."""
        return tuple(c for c in self.candidates if c.memory_id in self.dynamic.shown_ids)


@dataclass(frozen=True, slots=True)
class MemoryBlocks:
    """The parts of one system prompt; ``recall`` is None while memory is off."""

    fixed: str
    stable: str = ""
    dynamic: str = ""
    recall: Recall | None = None


class MemoryContext:
    """Gets the blocks together: recall runs once for a question, and again only when a memory changed meanwhile."""

    def __init__(self, manager: MemoryManager, retriever: Retriever, renderer: MemoryPromptRenderer) -> None:
        self._manager = manager
        self._retriever = retriever
        self._renderer = renderer
        self._stable_text: str | None = None
        self._recall_key: Hashable = None
        self._candidates: tuple[RecallCandidate, ...] = ()
        self._dynamic = DynamicBlockPlan("")
        self._unread = 0
        self._counted: set[str] = set()
        self._in_request: set[str] = set()
        self.last_prefix_change = ""
        """What changed the stable block last: kind and title of the change to a memory, or another cause, or empty."""

    def forget_question(self) -> None:
        """Recall anew, even for the same question: a new turn has begun."""
        self._recall_key = None
        self._counted.clear()
        self._in_request.clear()

    def note_sent(self, sent: bool) -> None:
        """Whether the request with the last blocks was sent; what it would have carried first is no hit if not."""
        if not sent:
            self._retriever.note_unsent(len(self._in_request))
            self._counted -= self._in_request
            self._recall_key = None
        self._in_request.clear()

    def blocks(self, query: str, *, window_tokens: int, can_save: bool) -> MemoryBlocks:
        """The three parts of the system prompt for this question (an empty one recalls nothing)."""
        fixed = instructions(memory_on=self._manager.enabled, can_save=can_save)
        if not self._manager.enabled:
            return MemoryBlocks(fixed)
        stable_budget, dynamic_budget = budgets(window_tokens)
        plan = self._manager.stable_plan(stable_budget)
        self._note_change(plan.text)
        if not query.strip():
            return MemoryBlocks(fixed, plan.text, "", Recall(query, plan, (), DynamicBlockPlan("")))
        key = (query, self._manager.state_token(), plan.shown_ids, dynamic_budget)
        if key != self._recall_key:
            self._recall(query, frozenset(plan.shown_ids), dynamic_budget)
            self._recall_key = key
        recall = Recall(query, plan, self._candidates, self._dynamic, unread=self._unread)
        return MemoryBlocks(fixed, plan.text, self._dynamic.text, recall)

    def _recall(self, query: str, exclude_ids: frozenset[str], budget: int) -> None:
        """Find the facts for the question; of one turn each fact that is sent counts as one hit."""
        found = self._retriever.recall_candidates(query, top_k=TOP_K, exclude_ids=exclude_ids)
        self._candidates, self._unread = tuple(found), self._retriever.unread
        self._dynamic = self._renderer.plan_dynamic_block(found, budget)
        fresh = set(self._dynamic.shown_ids) - self._counted
        self._counted |= fresh
        self._in_request |= fresh
        self._retriever.note_unsent(len(found) - len(fresh))

    def _note_change(self, text: str) -> None:
        before, self._stable_text = self._stable_text, text
        if before is not None and before != text:
            same_facts = _facts(before) == _facts(text)
            self.last_prefix_change = "notes of earlier sessions" if same_facts else self._newest_change()

    def _newest_change(self) -> str:
        changes = (e for e in self._manager.history(limit=EVENTS_LOOKED_AT) if e.event_type not in CHANGES_NOTHING)
        newest = next(changes, None)
        if newest is None:
            return "memories were removed"
        after = newest.detail.get("after") or newest.detail.get("before") or {}
        title = after.get("title") if isinstance(after, dict) else None
        return f"{newest.event_type} {title or newest.memory_id}"


def _facts(stable: str) -> str:
    """The stable block up to its last fact: what stands before the notes of earlier sessions."""
    return stable.rpartition("</fact>")[0]


def budgets(window_tokens: int) -> tuple[int, int]:
    """The characters allowed for the stable and the dynamic block in a window of this size."""
    both = int(window_tokens * BLOCKS_SHARE)
    whole = STABLE_BLOCK_MAX_CHARS + DYNAMIC_BLOCK_MAX_CHARS
    if both >= whole:
        return STABLE_BLOCK_MAX_CHARS, DYNAMIC_BLOCK_MAX_CHARS
    stable = both * STABLE_BLOCK_MAX_CHARS // whole
    return stable, both - stable


def join_blocks(blocks: MemoryBlocks, *, with_dynamic: bool) -> str:
    """The system prompt; without the dynamic block when that travels with the user's message."""
    return join_prompt(blocks.fixed, blocks.stable, blocks.dynamic if with_dynamic else "")
