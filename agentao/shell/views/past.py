"""Views of what was done: history, undo, export and import, candidates and the user's word on them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from agentao.memory.models import MemoryReviewItem
from agentao.memory.usecases.outcomes import UndoStep
from agentao.shell import results
from agentao.shell.commands.words import CHANGES
from agentao.shell.views.colors import BAD, GOOD, NOTE, SCOPE_STYLE, STRONG
from agentao.shell.views.memory import event_line, shortened
from agentao.shell.views.render import Flow, Page, View, age, clean, count, inline, lines, local, text, tip
from agentao.shell.views.render import note as quiet

STEPS_MAX = 10
"""An undo of more names these and counts the rest: a clear takes hundreds of records along."""

REFUSALS_SHOWN = 20


def _history(result: results.MemoryHistory, page: Page) -> RenderableType:
    if not result.events:
        return Text("Nothing was changed yet.")
    titles = {
        event.memory_id: str(state["title"])
        for event in result.events
        for side in ("before", "after")
        if (state := event.detail.get(side)) and state.get("title")
    }
    named = {} if result.target else titles
    more = "There is more: --limit N shows it." if result.more else ""
    return lines(
        *(event_line(event, page, title=named.get(event.memory_id, "")) for event in result.events), quiet(more)
    )


def _undone(result: results.Undone, page: Page) -> RenderableType:
    outcome = result.outcome
    hidden = len(outcome.steps) - STEPS_MAX
    return lines(
        Text(f"Taken back: the {CHANGES.get(outcome.event_type, outcome.event_type)}", style=GOOD),
        *(_step(step) for step in outcome.steps[:STEPS_MAX]),
        quiet(f"  and {hidden:,} more") if hidden > 0 else None,
        *(text(f"  {sentence}", BAD) for sentence in outcome.left),
        _way_back(outcome.steps, page),
    )


def _way_back(steps: Sequence[UndoStep], page: Page) -> RenderableType | None:
    gone = [step.title for step in steps if step.before and (step.after is None or step.after.deleted_at is not None)]
    if not gone:
        return None
    title = inline(gone[0]) if len(gone) == 1 else "TITLE"
    return quiet(page.named(f"/memory restore {title} brings it back."))


def _step(step: UndoStep) -> Text:
    line = Text.assemble("  ", (step.scope, SCOPE_STYLE.get(step.scope, "")), " ", (inline(step.title), STRONG))
    after = step.after
    if after is None or after.deleted_at is not None:
        return line.append(" is gone again" if step.before else " waits for review again", style=NOTE)
    return line.append(f" is again: {shortened(after.content)}", style=NOTE)


def _exported(result: results.Exported, page: Page) -> RenderableType:
    if result.path is None:
        return lines(*(Text(clean(line), no_wrap=True, overflow="ignore") for line in result.lines))
    return text(f"Wrote {count(len(result.lines), 'memory', 'memories')} to {result.path}")


def _imported(result: results.Imported, page: Page) -> RenderableType:
    outcome = result.outcome
    word = "Would be: " if outcome.dry_run else ""
    kept = f", {outcome.kept:,} kept because the stored one is newer" if outcome.kept else ""
    refused = outcome.refused
    undo = page.named("/memory undo takes the import back.")
    return lines(
        Text(
            f"{word}{outcome.added:,} added, {outcome.updated:,} updated, {outcome.unchanged:,} unchanged{kept}, "
            f"{len(refused):,} refused.",
            style="" if refused else GOOD,
        ),
        *(text(f"  line {each.line}: {each.reason}", BAD) for each in refused[:REFUSALS_SHOWN]),
        quiet(f"  and {len(refused) - REFUSALS_SHOWN:,} more" if len(refused) > REFUSALS_SHOWN else ""),
        quiet(undo if outcome.added + outcome.updated and not outcome.dry_run else ""),
    )


def _crystallized(result: results.Crystallized, page: Page) -> RenderableType:
    read = f"Read {count(result.messages, 'message')} of yours"
    if not result.items:
        where = page.named("/memory review")
        waiting = f"; {count(result.pending, 'candidate')} from before wait: {where}" if result.pending else ""
        return Text(f"{read}; found nothing new worth keeping{waiting}.")
    hidden = result.total - len(result.items)
    return lines(
        Text(f"{read}; {count(result.total, 'candidate')}:"),
        *(_item(item, page) for item in result.items),
        quiet(f"and {hidden:,} more; {page.named('/memory review --all')} shows all.") if hidden else None,
        tip("/memory review approve ID keeps one, /memory review reject ID turns it down for good.", page),
    )


def _review(result: results.ReviewList, page: Page) -> RenderableType:
    if not result.items:
        return lines(
            Text("No candidate waits for review."),
            tip("/memory crystallize looks for some in this talk.", page),
        )
    both = "/memory review approve ID|all, /memory review reject ID|all"
    cut = len(result.items) < result.total
    of = f"{len(result.items):,} of " if cut else ""
    more = f" --all shows all {result.total:,}, --limit N so many." if cut else ""
    return lines(
        *(_item(item, page) for item in result.items),
        quiet(f"{of}{count(result.total, 'candidate')}.{more} {page.named(both)}"),
    )


def _item(item: MemoryReviewItem, page: Page) -> RenderableType:
    head = Text.assemble(
        (clean(item.id), STRONG),
        "  ",
        (item.scope, SCOPE_STYLE.get(item.scope, "")),
        f" {clean(item.type)}  ",
        (inline(item.title), STRONG),
    )
    said = f"said {count(item.occurrences, 'time')}, {local(item.updated_at)} ({age(item.updated_at, page.now)})"
    source = f"{said}, session {clean(item.source_session)}, {item.confidence.replace('_', ' ')}"
    evidence = (
        text(f"evidence: {inline(item.evidence)}", NOTE) if item.evidence.strip() != item.content.strip() else None
    )
    tags = text("tags: " + " ".join("#" + tag for tag in item.tags), NOTE) if item.tags else None
    return lines(
        head,
        *(Flow(part, indent=2) for part in (text(item.content), tags, evidence, Text(source, style=NOTE)) if part),
    )


def _reviewed(result: results.Reviewed, page: Page) -> RenderableType:
    kept = [
        Text.assemble(
            ("Remembered", GOOD),
            " in ",
            (record.scope, SCOPE_STYLE.get(record.scope, "")),
            ": ",
            (inline(record.title), STRONG),
            (f"  {shortened(record.content)}", NOTE),
        )
        for record in result.memories
    ]
    refused = [
        Text.assemble("Turned down for good: ", (inline(item.title), STRONG), (f"  {shortened(item.content)}", NOTE))
        for item in result.items
    ]
    return lines(
        *kept,
        *refused,
        *(text(failure, BAD) for failure in result.failures),
        quiet(page.named("/memory undo takes it back.") if result.memories else ""),
    )


VIEWS: dict[type, View] = {
    results.MemoryHistory: _history,
    results.Undone: _undone,
    results.Exported: _exported,
    results.Imported: _imported,
    results.Crystallized: _crystallized,
    results.ReviewList: _review,
    results.Reviewed: _reviewed,
}
