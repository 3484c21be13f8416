"""What there is to know about the memory as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentao.memory.models import MEMORY_TYPES, SCOPES, STABLE_BLOCK_MAX_CHARS, MemoryType, Scope
from agentao.memory.usecases.outcomes import MemoryStatus, StoreStatus
from agentao.memory.usecases.selection import StableSelection
from agentao.memory.usecases.sessions import SessionSummaries
from agentao.memory.usecases.stores import StoreSet

if TYPE_CHECKING:
    from agentao.memory.manager import MemoryManager


def status_of(
    manager: MemoryManager, stores: StoreSet, selection: StableSelection, summaries: SessionSummaries
) -> MemoryStatus:
    """Everything ``/memory status`` says about memory."""
    plan = selection.plan(STABLE_BLOCK_MAX_CHARS)
    counts: dict[Scope, dict[MemoryType, int]] = {
        scope: dict(sorted(stores.of(scope).type_counts(scope).items(), key=lambda item: MEMORY_TYPES.index(item[0])))
        for scope in SCOPES
    }
    totals = {scope: sum(kinds.values()) for scope, kinds in counts.items()}
    put_up = selection.count()
    told = totals["user"] + (totals["project"] if manager.project_trusted else 0)
    last = summaries.newest()
    return MemoryStatus(
        counts=counts,
        totals=totals,
        pending=manager.pending_count(),
        summaries=summaries.count(),
        last_summary_chars=len(last.summary_text) if last else 0,
        stores=tuple(
            StoreStatus(
                scopes=stores.scopes(store),
                path=store.path,
                persistent=store.persistent,
                writable=store.writable,
                problem=store.problem,
                journal_mode=store.journal_mode,
                notices=tuple(store.notices),
            )
            for store in stores.all
        ),
        session_id=manager.session_id,
        block_chars=len(plan.text),
        block_limit_chars=STABLE_BLOCK_MAX_CHARS,
        block_shown=len(plan.shown_ids),
        block_dropped=put_up - len(plan.shown_ids),
        block_others=told - put_up,
        plan=plan,
        project_trusted=manager.project_trusted,
        enabled=manager.enabled,
    )
