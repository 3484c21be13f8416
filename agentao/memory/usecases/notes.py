"""What there is to know about one save beyond its being done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentao.memory.models import STABLE_BLOCK_MAX_CHARS
from agentao.memory.usecases.selection import STABLE_LOAD_MAX, StableSelection
from agentao.memory.usecases.stores import StoreSet

if TYPE_CHECKING:
    from agentao.memory.models import MemoryRecord, SaveOutcome, Scope


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
    others = len(plan.dropped_ids)
    # Of a larger store the rest is not counted for one sentence.
    more = " or more" if others >= STABLE_LOAD_MAX // 2 else ""
    facts = "1 older fact does" if others == 1 else f"{others:,}{more} older facts do"
    return f"The memory block of the prompt is full: {facts} not fit and come by recall only."
