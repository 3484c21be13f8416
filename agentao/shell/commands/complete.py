"""What the arguments of the memory commands can be, for completion: titles, tags, ids, models."""

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from agentao.errors import AgentaoError
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.memory.models import MemoryRecord

SUGGESTIONS_MAX = 200
"""More than this nobody scrolls through, and a large store must not slow the typing."""


def memory_titles(ctx: CommandContext, typed: str) -> Iterator[tuple[str, str]]:
    """Titles of live memories that contain what was typed, newest first."""
    return _titles(ctx, typed, deleted=False)


def deleted_titles(ctx: CommandContext, typed: str) -> Iterator[tuple[str, str]]:
    """Titles of deleted memories."""
    return _titles(ctx, typed, deleted=True)


def _titles(ctx: CommandContext, typed: str, *, deleted: bool) -> Iterator[tuple[str, str]]:
    folded, seen = typed.casefold(), set[str]()
    try:
        newest = [
            record
            for store in ctx.manager.stores
            for record in store.records(order="updated", newest_first=True, limit=SUGGESTIONS_MAX, deleted=deleted)
        ]
        found = chain(newest, _searched(ctx, typed) if typed.strip() and not deleted else ())
        for record in found:
            if folded in record.title.casefold() and record.title not in seen:
                seen.add(record.title)
                yield record.title, f"{record.scope} {record.type}: {_one_line(record.content)}"
    except AgentaoError:
        return


def _searched(ctx: CommandContext, typed: str) -> "Iterator[MemoryRecord]":
    """Older ones, which stand behind the newest; only read when the list gets that far."""
    yield from ctx.manager.search(f'"{typed}"', limit=SUGGESTIONS_MAX)


def tag_names(ctx: CommandContext, typed: str) -> Iterator[tuple[str, str]]:
    """Tags in use that start with what was typed."""
    folded = typed.casefold().lstrip("#")
    try:
        for tag, count in ctx.manager.tag_counts()[:SUGGESTIONS_MAX]:
            if tag.startswith(folded):
                yield tag, f"{count} memories" if count != 1 else "1 memory"
    except AgentaoError:
        return


def review_ids(ctx: CommandContext, typed: str) -> Iterator[tuple[str, str]]:
    """The shortest unique beginnings of the ids that wait for review, and ``all``."""
    try:
        items = ctx.manager.list_review_items(status="pending")
    except AgentaoError:
        return
    for item in items:
        if item.id.startswith(typed):
            yield item.id, _one_line(item.content)
    if items and "all".startswith(typed):
        yield "all", f"all {len(items)} that wait"


def model_names(ctx: CommandContext, typed: str) -> Iterator[tuple[str, str]]:
    """The models that the server was last known to have; asking it would stop the typing."""
    for name in ctx.state.models:
        if typed.casefold() in name.casefold():
            yield name, ""


def command_names(ctx: CommandContext, typed: str) -> Iterator[tuple[str, str]]:
    """The names of all commands."""
    from agentao.shell.commands import TABLE

    folded = typed.casefold().lstrip("/／、")
    for entry in TABLE:
        if entry.name.startswith(folded):
            yield entry.name, entry.summary


def _one_line(text: str) -> str:
    return " ".join(text.split())[:60]
