"""Changing memories by hand."""

from typing import TYPE_CHECKING, Annotated, Literal

from agentao.errors import NotFound, StoreError, UsageError
from agentao.shell.command import Arg, Draft, Question, command
from agentao.shell.commands.complete import memory_titles, tag_lists
from agentao.shell.commands.memory import or_near, unquoted
from agentao.shell.commands.words import ABOUT_SCOPES, counted, joined
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.memory.models import MemoryRecord
    from agentao.shell.results import MemoriesChanged, MemorySaved, Notice


def _add_draft(ctx: CommandContext, value: str | None, **_: object) -> Draft | None:
    return Draft("", fills="value") if value is None else None


@command(
    "memory add",
    topic="change",
    aliases=("memory save", "memory remember", "memory 添加", "memory 保存", "memory 记住"),
    draft=_add_draft,
    examples=("/memory add package_manager uv", "/memory add --tags user,editor preferred_editor nvim"),
)
def memory_add(
    ctx: CommandContext,
    key: Annotated[str, Arg("A short name; quotes hold several words together.")],
    value: Annotated[str | None, Arg("What to remember; without it your editor opens.", rest=True, text=True)] = None,
    *,
    tags: Annotated[
        str | None, Arg("Tags with commas between; the tag user means: in every project.", complete=tag_lists)
    ] = None,
    scope: Annotated[Literal["user", "project"] | None, Arg("Where it holds.", about_choices=ABOUT_SCOPES)] = None,
) -> "MemorySaved":
    """Remember something by hand.

    A key that is there already gets the new value. A key that starts with user_, or the tag user, makes it hold in
    every project.
    """
    from agentao.memory.models import SaveMemoryRequest
    from agentao.shell.results import MemorySaved

    if value is None or not value.strip():
        raise UsageError(f"VALUE is missing. Usage: {memory_add.usage()}")
    return MemorySaved(ctx.manager.save(SaveMemoryRequest(key, value, split_tags(tags), scope), actor="user"))


def _edit_draft(ctx: CommandContext, target: str, value: str | None, tags: str | None, **_: object) -> Draft | None:
    if value is not None or tags is not None:
        return None
    return Draft(_to_edit(ctx, target).content, fills="value")


def _to_edit(ctx: CommandContext, target: str) -> "MemoryRecord":
    try:
        return the_one(ctx, target)
    except NotFound as exc:
        if len(unquoted(target).split()) < 2:
            raise
        raise NotFound(f'{exc} A new value goes behind --value: /memory edit --value "NEW VALUE" TITLE.') from None


@command(
    "memory edit",
    aliases=("memory 修改",),
    topic="change",
    draft=_edit_draft,
    examples=("/memory edit Package manager", '/memory edit --value "uv 0.9" Package manager'),
)
def memory_edit(
    ctx: CommandContext,
    target: Annotated[str, Arg("Title, key or id.", rest=True, complete=memory_titles)],
    *,
    value: Annotated[str | None, Arg("The new value; without it your editor opens.")] = None,
    tags: Annotated[str | None, Arg("The new tags, with commas between.", complete=tag_lists)] = None,
) -> "MemorySaved":
    """Change the value or the tags of one memory.

    Without options the value opens in your editor; an empty file changes nothing.
    """
    from agentao.memory.models import SaveMemoryRequest
    from agentao.shell.results import MemorySaved

    record = _to_edit(ctx, target) if value is None else the_one(ctx, target)
    if value is None and tags is None:
        raise UsageError(f"--value or --tags is missing. Usage: {memory_edit.usage()}")
    if value is not None and not value.strip():
        raise UsageError("The value is empty; nothing was changed. /memory delete removes a memory.")
    wanted = split_tags(tags)
    request = SaveMemoryRequest(
        key=record.title
        if ctx.manager.guard.normalize_key(record.title) == record.key_normalized
        else record.key_normalized,
        value=record.content if value is None else value,
        tags=record.tags if wanted is None else wanted,
        scope=record.scope,
        type=record.type if wanted is None else None,
    )
    return MemorySaved(ctx.manager.save(request, actor="user"))


@command(
    "memory delete",
    topic="change",
    aliases=("memory rm", "memory remove", "memory forget", "memory 删除", "memory 忘记"),
    examples=("/memory delete Package manager", "/memory delete package_manager"),
)
def memory_delete(
    ctx: CommandContext,
    target: Annotated[str, Arg("Title, key or id.", rest=True, complete=memory_titles)],
) -> "MemoriesChanged":
    """Delete one memory; it can be restored.

    The title is tried first, then the key, then the id.
    """
    from agentao.shell.results import MemoriesChanged

    with or_near(ctx, target):
        gone = ctx.manager.delete_matching(unquoted(target), actor="user")
    return MemoriesChanged("deleted", tuple(gone), hint="/memory undo brings it back.")


def _clear_question(ctx: CommandContext) -> Question | None:
    preview = ctx.manager.clear_preview()
    if not preview.total:
        return None
    parts = [
        counted(preview.user, "user memory", "user memories"),
        counted(preview.project, "project memory", "project memories"),
        counted(preview.summaries, "session summary", "session summaries"),
        counted(preview.pending, "candidate waiting for review", "candidates waiting for review"),
    ]
    return Question(
        f"This removes {joined(parts)}. /memory undo brings memories back, but no summaries and no candidates.",
        "Remove all of it?",
    )


@command(
    "memory clear",
    aliases=("memory 清空",),
    topic="change",
    confirm=_clear_question,
    examples=("/memory clear", "/memory clear --yes"),
)
def memory_clear(ctx: CommandContext) -> "Notice":
    """Delete all memories and summaries; asks first.

    The memories can be brought back with /memory undo. Session summaries and what waits for review are really gone.
    To clear only the conversation, use /clear.
    """
    from agentao.shell.results import Notice

    cleared = ctx.manager.clear_everything()
    data = {
        "change": "cleared",
        "user": cleared.user,
        "project": cleared.project,
        "summaries": cleared.summaries,
        "pending": cleared.pending,
    }
    if not (cleared.user or cleared.project or cleared.summaries or cleared.pending or cleared.failures):
        return Notice(("There is nothing to remove.",), data)
    done = joined(
        [
            counted(cleared.user, "user memory", "user memories"),
            counted(cleared.project, "project memory", "project memories"),
            counted(cleared.summaries, "session summary", "session summaries"),
            counted(cleared.pending, "candidate", "candidates"),
        ]
    )
    if cleared.failures:
        raise StoreError(" ".join([*cleared.failures, f"Removed {done}."]))
    undo = ("/memory undo brings the memories back.",) if cleared.user or cleared.project else ()
    return Notice((f"Removed {done}.", *undo), data)


@command("memory off", topic="change", examples=("/memory off",))
def memory_off(ctx: CommandContext) -> "Notice":
    """Leave memory out until /memory on.

    Nothing is injected, recalled, mined or saved; the /memory commands work.
    """
    return _switch(ctx, on=False)


@command("memory on", topic="change", examples=("/memory on",))
def memory_on(ctx: CommandContext) -> "Notice":
    """Use memory again."""
    return _switch(ctx, on=True)


def _switch(ctx: CommandContext, *, on: bool) -> "Notice":
    from agentao.shell.results import Notice

    if on and ctx.in_shell and not ctx.manager.enabled:
        ctx.manager.pass_over(ctx.agent.messages)
    ctx.manager.enabled = on
    if not ctx.in_shell:
        words = "on" if on else "off"
        line = f"Memory is {words} for this one command only. To start the shell without memory: agentao --no-memory"
    elif on:
        line = "Memory is on: facts are injected, recalled and saved again."
    else:
        line = (
            "Memory is off: nothing is injected, recalled, mined or saved until /memory on. The /memory commands work."
        )
    return Notice((line,), {"memory": "on" if on else "off"})


@command("memory trust", topic="change", examples=("/memory trust",))
def memory_trust(ctx: CommandContext) -> "Notice":
    """Let this project's memories into the prompt.

    Memories that came from elsewhere (a clone, an archive, another machine) stay out of it until you say so.
    """
    from agentao.shell.results import Notice

    before = ctx.manager.project_trusted
    ctx.manager.trust_project()
    line = (
        "This project's memories are trusted already."
        if before
        else "Trusted: this project's memories are told to the model from now on."
    )
    return Notice((line,), {"trusted": True, "changed": not before})


def split_tags(typed: str | None) -> list[str] | None:
    """Tags as typed, with commas of either width between; None when none were given."""
    if typed is None:
        return None
    return [tag for part in typed.replace("，", ",").split(",") if (tag := part.strip())]


def the_one(ctx: CommandContext, target: str) -> "MemoryRecord":
    """The one memory that is meant.

    Raises:
        NotFound: none is.
        UsageError: several are; names their ids.
    """
    with or_near(ctx, target):
        found = ctx.manager.resolve(unquoted(target))
    if len(found) > 1:
        ids = ", ".join(f"{record.id} ({record.scope})" for record in found)
        raise UsageError(f"{len(found)} memories are called {unquoted(target)!r}: {ids}. Give the id of one of them.")
    return found[0]
