"""Looking back and going back: history, restore, undo, purge."""

from typing import TYPE_CHECKING, Annotated

from agentao.errors import NotFound
from agentao.shell.command import Arg, Question, command
from agentao.shell.commands.complete import deleted_titles, memory_titles
from agentao.shell.commands.memory import unquoted
from agentao.shell.commands.words import CHANGES, counted
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.memory.usecases.outcomes import UndoPreview
    from agentao.shell.results import MemoriesChanged, MemoryHistory, Notice, Undone

HISTORY_LIMIT = 50


@command(
    "memory history",
    topic="change",
    pager=True,
    examples=("/memory history", "/memory history Package manager"),
)
def memory_history(
    ctx: CommandContext,
    target: Annotated[str | None, Arg("Title, key or id; deleted ones too.", rest=True, complete=memory_titles)] = None,
    *,
    limit: Annotated[int, Arg("Show at most this many.", minimum=1)] = HISTORY_LIMIT,
) -> "MemoryHistory":
    """Show who changed what and when."""
    from agentao.shell.results import MemoryHistory

    named = None if target is None else unquoted(target)
    events = ctx.manager.history(named, limit=limit + 1)
    return MemoryHistory(tuple(events[:limit]), more=len(events) > limit, target=named or "")


@command("memory restore", aliases=("memory 恢复",), topic="change", examples=("/memory restore Package manager",))
def memory_restore(
    ctx: CommandContext,
    target: Annotated[str, Arg("Title, key or id of a deleted memory.", rest=True, complete=deleted_titles)],
) -> "MemoriesChanged":
    """Bring a deleted memory back."""
    from agentao.shell.results import MemoriesChanged

    return MemoriesChanged("restored", (ctx.manager.restore(unquoted(target)),))


def _undo_question(ctx: CommandContext) -> Question | None:
    said = []
    try:
        preview = ctx.manager.undo_preview()
    except NotFound:
        preview = ctx.manager.undo_preview(any_session=True)
        said.append("Nothing was changed in this session.")
    said += preview.passed[:3]
    if not said:
        return None
    return Question(" ".join([*said, f"The last change before: {undo_words(preview)}."]), "Undo it?")


@command("memory undo", aliases=("memory 撤销",), topic="change", confirm=_undo_question, examples=("/memory undo",))
def memory_undo(ctx: CommandContext) -> "Undone":
    """Take the last change back; can be repeated.

    A save, a change, a delete, a clear, an approval and an import can be taken back. When nothing was changed in this
    session, or somebody changed the same memory since, it shows the last change before that and asks.
    """
    from agentao.shell.results import Undone

    try:
        ctx.manager.undo_preview()
        own = True
    except NotFound:
        own = False
    return Undone(ctx.manager.undo(any_session=not own))


def undo_words(preview: "UndoPreview") -> str:
    """What the change was, in a few words."""
    titles = ", ".join(step.title for step in preview.steps[:3]) + (" …" if len(preview.steps) > 3 else "")
    what = CHANGES.get(preview.event_type, preview.event_type)
    return f"{what} of {counted(len(preview.steps), 'memory', 'memories')} ({titles}) by {preview.actor}"


def _purge_question(ctx: CommandContext) -> Question | None:
    deleted = sum(len(store.records(deleted=True)) for store in ctx.manager.stores)
    if not deleted:
        return None
    return Question(
        f"This really removes {counted(deleted, 'deleted memory', 'deleted memories')} with their history. "
        "It cannot be undone.",
        "Remove them for good?",
    )


@command("memory purge", topic="change", confirm=_purge_question, examples=("/memory purge",))
def memory_purge(ctx: CommandContext) -> "Notice":
    """Really remove what was deleted; asks first."""
    from agentao.shell.results import Notice

    gone = ctx.manager.purge()
    held = [
        f"{path} or its log (-wal) still holds removed text, as another program is reading the file. "
        "Close that program, then run /memory purge again."
        for path in gone.held
    ]
    data = {
        "change": "purged",
        "user": gone.user,
        "project": gone.project,
        "freed_bytes": gone.freed_bytes,
        "held": held,
    }
    if not gone.user + gone.project:
        return Notice(("There is nothing to remove: no deleted memory is kept.", *held), data)
    return Notice(
        (
            f"Removed {counted(gone.user + gone.project, 'deleted memory', 'deleted memories')} for good "
            f"({gone.user} user, {gone.project} project); {gone.freed_bytes:,} bytes are free again.",
            *held,
        ),
        data,
    )
