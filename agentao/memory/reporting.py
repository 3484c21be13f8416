"""What there is to know about the memory as a whole, and about one save beyond its being done."""

from __future__ import annotations

from agentao.memory.models import (
    MEMORY_TYPES,
    SCOPES,
    STABLE_BLOCK_MAX_CHARS,
    MemoryRecord,
    MemoryType,
    SaveOutcome,
    Scope,
)
from agentao.memory.outcomes import MemoryStatus, StoreStatus
from agentao.memory.selection import StableSelection
from agentao.memory.sessions import SessionSummaries
from agentao.memory.stores import StoreSet


def status_of(
    stores: StoreSet,
    selection: StableSelection,
    summaries: SessionSummaries,
    *,
    pending: int,
    session_id: str,
    project_trusted: bool,
    enabled: bool,
) -> MemoryStatus:
    """Everything ``/memory status`` says about memory."""
    plan = selection.plan(STABLE_BLOCK_MAX_CHARS)
    counts: dict[Scope, dict[MemoryType, int]] = {
        scope: dict(sorted(stores.of(scope).type_counts(scope).items(), key=lambda item: MEMORY_TYPES.index(item[0])))
        for scope in SCOPES
    }
    last = summaries.newest()
    return MemoryStatus(
        counts=counts,
        totals={scope: sum(counts[scope].values()) for scope in SCOPES},
        pending=pending,
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
        session_id=session_id,
        block_chars=len(plan.text),
        block_limit_chars=STABLE_BLOCK_MAX_CHARS,
        block_shown=len(plan.shown_ids),
        block_dropped=selection.count() - len(plan.shown_ids),
        plan=plan,
        project_trusted=project_trusted,
        enabled=enabled,
    )


def note_of(
    outcome: SaveOutcome, stores: StoreSet, selection: StableSelection, project_trusted: bool, enabled: bool
) -> str:
    """Whether the record lasts, what else has its key, whether the prompt has room for it; empty when all is well."""
    record = outcome.record
    notes = []
    if not outcome.persistent:
        why = stores.of(record.scope).problem or "this store has no file"
        notes.append(f"It is kept for this run only: {why.rstrip('.')}.")
    other: Scope = "user" if record.scope == "project" else "project"
    for rival in stores.of(other).find_by_key(record.key_normalized, other):
        wins = "the project's one wins here" if record.scope == "user" else "in this project the new one wins"
        notes.append(f'The {other} memory "{rival.title}" has the same key and stays; {wins}.')
    if record.scope == "project" and not project_trusted:
        notes.append("This project's memory is not trusted yet, so it stays out of the prompt; see /memory trust.")
    elif enabled and outcome.change != "unchanged" and (room := _room(record, selection)):
        notes.append(room)
    return " ".join(notes)


def _room(record: MemoryRecord, selection: StableSelection) -> str:
    plan = selection.plan(STABLE_BLOCK_MAX_CHARS)
    if not plan.dropped_ids:
        return ""
    if record.id in plan.dropped_ids:
        return (
            f"It does not fit into the memory block of the prompt ({len(plan.text):,} of"
            f" {STABLE_BLOCK_MAX_CHARS:,} characters used) and is recalled when a question touches it."
        )
    others = selection.count() - len(plan.shown_ids)
    facts = "1 older fact does" if others == 1 else f"{others:,} older facts do"
    return f"The memory block of the prompt is full: {facts} not fit and come by recall only."
