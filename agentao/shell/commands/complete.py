"""What the arguments of the memory commands can be, for completion: titles, tags, ids, models."""

import logging
import threading
from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

from agentao.errors import AgentaoError
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.memory.models import MemoryRecord

log = logging.getLogger(__name__)

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
        counts = ctx.manager.tag_counts()
    except AgentaoError:
        return
    for tag, count in islice((each for each in counts if each[0].startswith(folded)), SUGGESTIONS_MAX):
        yield tag, f"{count:,} memories" if count != 1 else "1 memory"


def tag_lists(ctx: CommandContext, typed: str) -> Iterator[tuple[str, str]]:
    """The same for tags with commas between: the last one is completed."""
    before, comma, last = typed.rpartition(",")
    for tag, about in tag_names(ctx, last.lstrip()):
        if tag not in before.split(","):
            yield before + comma + tag, about


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
    """The models that are known by now; the first call has the server asked for all, while the user types on."""
    if ctx.settings.offline:
        return
    if not ctx.state.models_asked:
        ctx.state.models_asked = True
        threading.Thread(target=_ask_for_models, args=(ctx,), name="models", daemon=True).start()
    in_use, chosen = ctx.services.model_name, ctx.settings.model
    known = dict.fromkeys((in_use, chosen.name, chosen.summary_name, *ctx.state.models))
    found = (name for name in known if name and typed.casefold() in name.casefold())
    for name in islice(found, SUGGESTIONS_MAX):
        yield name, "in use" if name == in_use else ""


def _ask_for_models(ctx: CommandContext) -> None:
    """``/model`` asks again, and says what went wrong."""
    try:
        names = ctx.services.list_models()
    except AgentaoError as exc:
        log.info("completion of models: %s", exc)
        return
    ctx.state.models = ctx.state.models or tuple(names)
    ctx.state.suggest_again()


def command_names(ctx: CommandContext, typed: str) -> Iterator[tuple[str, str]]:
    """The names of all commands."""
    from agentao.shell.commands import TABLE

    folded = typed.casefold().lstrip("/／、")
    for entry in TABLE:
        if entry.name.startswith(folded):
            yield entry.name, entry.summary
    if "keys".startswith(folded):
        yield "keys", "What the keys do at the prompt."


def _one_line(text: str) -> str:
    return " ".join(text.split())[:60]
