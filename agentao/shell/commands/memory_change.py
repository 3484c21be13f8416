"""Changing memories by hand, and taking changes back."""

from typing import TYPE_CHECKING, Annotated, Literal

from agentao.shell.command import Arg, Draft, Question, command
from agentao.shell.commands.complete import memory_titles
from agentao.shell.commands.memory import unquoted
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.shell.results import MemoriesChanged, MemorySaved, Notice


def _add_draft(ctx: CommandContext, key: str, value: str | None, **_: object) -> Draft | None:
    return Draft("", fills="value") if value is None else None


@command(
    "memory add",
    draft=_add_draft,
    examples=("/memory add package_manager uv", "/memory add --tags user,editor preferred_editor nvim"),
)
def memory_add(
    ctx: CommandContext,
    key: Annotated[str, Arg("A short name; quotes hold several words together.")],
    value: Annotated[str | None, Arg("What to remember; without it your editor opens.", rest=True)] = None,
    *,
    tags: Annotated[str | None, Arg("Tags with commas between; the tag user means: in every project.")] = None,
    scope: Annotated[Literal["user", "project"] | None, Arg("Where it holds.")] = None,
) -> "MemorySaved":
    """Remember something by hand.

    A key that is there already gets the new value. A key that starts with user_, or the tag user, makes it hold in
    every project.
    """
    from agentao.errors import UsageError
    from agentao.memory.models import SaveMemoryRequest
    from agentao.shell.results import MemorySaved

    if value is None:
        raise UsageError("VALUE is missing. Usage: /memory add [--tags a,b] KEY VALUE…")
    return MemorySaved(ctx.manager.save(SaveMemoryRequest(key, value, split_tags(tags), scope), actor="user"))


def split_tags(typed: str | None) -> list[str] | None:
    """Tags as typed, with commas of either width between; None when none were given."""
    if typed is None:
        return None
    return [tag for part in typed.replace("，", ",").split(",") if (tag := part.strip())]


@command("memory delete", aliases=("memory rm", "memory remove"), examples=("/memory delete Package manager",))
def memory_delete(
    ctx: CommandContext,
    target: Annotated[str, Arg("Title, key or id.", rest=True, complete=memory_titles)],
) -> "MemoriesChanged":
    """Delete one memory; it can be restored."""
    from agentao.shell.results import MemoriesChanged

    gone = ctx.manager.delete_matching(unquoted(target), actor="user")
    return MemoriesChanged("deleted", tuple(gone), hint="/memory undo brings it back.")


def _clear_question(ctx: CommandContext) -> Question | None:
    counts = ctx.manager.clear_preview()
    parts = (
        _counted(counts.user, "user memory", "user memories"),
        _counted(counts.project, "project memory", "project memories"),
        _counted(counts.summaries, "session summary", "session summaries"),
        _counted(counts.pending, "candidate waiting for review", "candidates waiting for review"),
    )
    if not any((counts.user, counts.project, counts.summaries, counts.pending)):
        return None
    return Question(
        f"This removes {', '.join(parts[:-1])} and {parts[-1]}. Memories can be brought back with /memory undo; "
        "summaries and candidates cannot.",
        "Remove all of it?",
    )


@command("memory clear", confirm=_clear_question, examples=("/memory clear", "/memory clear --yes"))
def memory_clear(ctx: CommandContext) -> "Notice":
    """Delete all memories of both scopes and all session summaries; asks first.

    The memories can be brought back with /memory undo. Session summaries and what waits for review are really gone.
    To clear only the conversation, use /clear.
    """
    from agentao.shell.results import Notice

    counts = ctx.manager.clear_preview()
    cleared = ctx.manager.clear()
    summaries = ctx.manager.clear_all_session_summaries()
    return Notice(
        (
            f"Removed {_counted(cleared, 'memory', 'memories')} ({counts.user} user, {counts.project} project) and "
            f"{_counted(summaries, 'session summary', 'session summaries')}.",
            *(("/memory undo brings the memories back.",) if cleared else ()),
        ),
        {
            "cleared": cleared,
            "user": counts.user,
            "project": counts.project,
            "summaries": summaries,
            "pending": counts.pending,
        },
    )


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
