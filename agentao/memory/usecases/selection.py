"""Which facts are put up for the stable block, and the block that they make."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from agentao.memory.models import MEMORY_TYPES, RECENT_PROJECT_LIMIT, STRUCTURAL_TYPES, MemoryRecord
from agentao.memory.usecases.sessions import SessionSummaries
from agentao.memory.usecases.trust import ProjectTrust
from agentao.memory.usecases.writing import MemoryWriter, oldest_first

if TYPE_CHECKING:
    from agentao.memory.renderer import MemoryPromptRenderer, StableBlockPlan

STABLE_LOAD_MAX = 1_000
"""Most records read for each rule of the selection, the newest. A fact takes at least 80 characters of a block, so that
a block of 2,000 shows 24 at most; the rest of a larger store is only counted."""

OCCASIONAL_TYPES = frozenset(MEMORY_TYPES) - STRUCTURAL_TYPES
"""Project records of these types stand in the block only while they are among the newest."""


class StableSelection:
    """The document's policy: all user facts, the project's structural ones, and the newest few of its others."""

    def __init__(
        self,
        writer: MemoryWriter,
        renderer: MemoryPromptRenderer | None,
        trust: ProjectTrust,
        summaries: SessionSummaries,
    ) -> None:
        """``renderer=None``: the usual one, made when a block is first asked for."""
        self._stores = writer.stores
        self._writer = writer
        self._renderer = renderer
        self._trust = trust
        self._summaries = summaries
        self._tail: tuple[Hashable, str] = (None, "")
        self._plans: dict[int, tuple[Hashable, StableBlockPlan]] = {}

    def entries(self, recent_project_limit: int = RECENT_PROJECT_LIMIT) -> list[MemoryRecord]:
        """Oldest first; at most ``STABLE_LOAD_MAX`` by each rule."""
        stores = self._stores
        user, project = stores.user, stores.project
        found = user.newest("user", limit=STABLE_LOAD_MAX)
        if self._trust.trusted:
            found += project.newest("project", types=STRUCTURAL_TYPES, limit=STABLE_LOAD_MAX)
            found += project.newest("project", types=OCCASIONAL_TYPES, order="updated", limit=recent_project_limit)
        return oldest_first(found)

    def count(self) -> int:
        """How many facts the policy puts up, loaded or not."""
        total = self._stores.user.count("user")
        if self._trust.trusted:
            counts = self._stores.project.type_counts("project")
            total += sum(counts.get(kind, 0) for kind in STRUCTURAL_TYPES)
            total += min(RECENT_PROJECT_LIMIT, sum(counts.get(kind, 0) for kind in OCCASIONAL_TYPES))
        return total

    def session_tail(self) -> str:
        """The past sessions' tail as this session has it: read once, and anew only when summaries were cleared."""
        if not self._trust.trusted:
            return ""
        key = (self._writer.session_id, self._summaries.generation())
        if self._tail[0] != key:
            self._tail = (key, self._summaries.tail())
        return self._tail[1]

    def plan(self, budget: int) -> StableBlockPlan:
        """The stable block as it stands now; worked out anew only when a store has changed."""
        state = (self._stores.state_token(), self._trust.trusted, self._writer.session_id)
        kept = self._plans.get(budget)
        if kept is None or kept[0] != state:
            if self._renderer is None:
                from agentao.memory.renderer import MemoryPromptRenderer

                self._renderer = MemoryPromptRenderer()
            kept = (state, self._renderer.plan_stable_block(self.entries(), self.session_tail(), budget))
            self._plans[budget] = kept
        return kept[1]
