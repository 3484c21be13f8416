"""Looking at memories: list, search, tags, one whole."""

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

from agentao.errors import NotFound, UsageError
from agentao.shell.command import Arg, command
from agentao.shell.commands.complete import memory_titles, tag_names
from agentao.shell.commands.words import joined
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agentao.memory.models import MemoryRecord, MemoryType, Scope
    from agentao.memory.store import Order, SQLiteMemoryStore
    from agentao.shell.results import Memories, MemoryShown, Tags

LIST_LIMIT = 50
"""A list shows this many unless told otherwise; the newest fit on a screen or two."""

NEAR_MAX = 3
"""How many memories an error names in which the words occur."""

HISTORY_SHOWN = 10
"""``show`` gives this many of a record's newest events; ``history`` has the rest."""

Limit = Annotated[int | None, Arg("Show at most this many.", minimum=1)]
Everything = Annotated[bool, Arg("Show all of them.")]
Sort = Annotated[
    Literal["updated", "created", "title", "type"],
    Arg(
        "What comes first.",
        metavar="ORDER",
        about_choices=("the newest change", "the newest memory", "the first by name", "one type after the other"),
    ),
]
OfType = Annotated[
    Literal["preference", "profile", "project_fact", "workflow", "decision", "constraint", "note"] | None,
    Arg(
        "Only memories of this type.",
        metavar="TYPE",
        about_choices=(
            "what the user likes",
            "who the user is",
            "what is so in this project",
            "how work is done",
            "what was decided",
            "what must be or must not",
            "anything else",
        ),
    ),
]


def lists(scope: "Scope | None", about: str) -> "Callable[..., Memories]":
    """A handler that lists the records of one or both scopes; ``about`` is its help."""

    def handle(
        ctx: CommandContext,
        *,
        limit: Limit = None,
        all: Everything = False,
        sort: Sort = "updated",
        type: OfType = None,
    ) -> "Memories":
        return listed(ctx, scope, limit, all, sort, type)

    handle.__doc__ = about
    return handle


memory_list = command(
    "memory list",
    aliases=("memory ls", "memory 列表"),
    pager=True,
    examples=("/memory", "/memory list --type decision", "/memory list --all --sort title"),
)(
    lists(
        None,
        """List what is remembered, newest first.

        The newest 50 are shown; --limit and --all show more. Age counts from the last change.
        """,
    )
)
memory_user = command("memory user", pager=True, examples=("/memory user",))(
    lists("user", "List what holds in every project.")
)
memory_project = command("memory project", pager=True, examples=("/memory project",))(
    lists("project", "List what holds in this project only.")
)


@command(
    "memory search",
    aliases=("memory find", "memory 搜索", "memory 查找"),
    pager=True,
    examples=("/memory search editor", '/memory search "package manager" uv', "/memory search 编辑器"),
)
def memory_search(
    ctx: CommandContext,
    query: Annotated[str, Arg('Words that all must occur; "quoted words" count as one.', rest=True, text=True)],
    *,
    limit: Limit = None,
    all: Everything = False,
) -> "Memories":
    """Search titles, values, tags and keywords.

    Every word must occur somewhere, in any case; no character has a special meaning. Best matches come first.
    """
    from agentao.memory.recall.search import terms

    records = ctx.manager.search(query)
    late = not records and any(word.startswith("--") for word in query.split())
    hint = "Options stand before the words: /memory search --limit N QUERY" if late else ""
    return limited(ctx, records, limit, all, asked=f"matching {query}", terms=tuple(terms(query)), hint=hint)


@command("memory tag", pager=True, examples=("/memory tag tooling", "/memory tag 后端"))
def memory_tag(
    ctx: CommandContext,
    tag: Annotated[str, Arg("The whole tag, in any case.", rest=True, complete=tag_names)],
    *,
    limit: Limit = None,
    all: Everything = False,
) -> "Memories":
    """List the memories that carry a tag."""
    wanted = unquoted(tag)
    records = ctx.manager.filter_by_tag(wanted)
    return limited(ctx, records, limit, all, asked=f"tagged {wanted}")


@command("memory tags", examples=("/memory tags",))
def memory_tags(ctx: CommandContext) -> "Tags":
    """Count the tags in use."""
    from agentao.shell.results import Tags

    return Tags(tuple(ctx.manager.tag_counts()))


@command(
    "memory show",
    aliases=("memory 查看",),
    pager=True,
    examples=("/memory show Package manager", "/memory show preferred_editor"),
)
def memory_show(
    ctx: CommandContext,
    target: Annotated[str, Arg("Title, key or id (a unique beginning will do).", rest=True, complete=memory_titles)],
) -> "MemoryShown":
    """Show one memory whole, with its history."""
    from agentao.shell.results import MemoryShown

    with or_near(ctx, target):
        found = ctx.manager.resolve(unquoted(target))
    return MemoryShown(tuple((record, tuple(ctx.manager.history(record.id, limit=HISTORY_SHOWN))) for record in found))


def listed(
    ctx: CommandContext,
    scope: "Scope | None",
    limit: int | None,
    everything: bool,
    sort: str,
    type: "MemoryType | None",
) -> "Memories":
    """The records of one or both scopes in the order asked for, only as many as will be shown."""
    from agentao.shell.results import Memories

    manager = ctx.manager
    wanted = shown_limit(ctx, limit, everything)
    types = None if type is None else [type]
    total = sum(store.count(part, types=types) for store, part in _parts(ctx, scope))
    if sort in ("updated", "created"):
        order: Order = "created" if sort == "created" else "updated"
        records: Sequence[MemoryRecord] = manager.get_all_entries(scope, types=types, order=order, newest=wanted)[::-1]
    else:
        records = _by_title(_parts(ctx, scope), types, by_type=sort == "type")
    shown = records if wanted is None else records[:wanted]
    return Memories(
        tuple(shown),
        total,
        asked=f"of type {type}" if type else "",
        scope=scope,
        more=f"--all shows all {total:,}, --limit N so many." if len(shown) < total else "",
        hint="" if total else "/memory add KEY VALUE saves something; so does telling the assistant.",
    )


def limited(
    ctx: CommandContext,
    records: "Sequence[MemoryRecord]",
    limit: int | None,
    everything: bool,
    *,
    asked: str,
    terms: tuple[str, ...] = (),
    hint: str = "",
) -> "Memories":
    """As many of the records as will be shown, and how to see the rest."""
    from agentao.shell.results import Memories

    wanted = shown_limit(ctx, limit, everything)
    shown = records if wanted is None else records[:wanted]
    more = f"--all in front of the words shows all {len(records):,}." if len(shown) < len(records) else ""
    return Memories(tuple(shown), len(records), asked=asked, terms=terms, more=more, hint=hint)


def unquoted(text: str) -> str:
    """The text without a pair of quotes around the whole of it."""
    text = text.strip()
    if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'" and text.count(text[0]) == 2:
        return text[1:-1].strip()
    return text


@contextmanager
def or_near(ctx: CommandContext, target: str) -> "Iterator[None]":
    """What is not found by its name ends in an error that tells where its words occur."""
    try:
        yield
    except NotFound as exc:
        from agentao.memory.usecases.targets import LIST_HINT

        found = ctx.manager.search(unquoted(target), limit=NEAR_MAX + 1)
        titles = [f'"{record.title}"' for record in found]
        if not titles:
            raise
        tail = joined(titles if len(titles) <= NEAR_MAX else [*titles[:NEAR_MAX], "others"])
        raise NotFound(f"{str(exc).removesuffix(LIST_HINT)}; it occurs in {tail}.") from None


def shown_limit(ctx: CommandContext, limit: int | None, everything: bool, usual: int = LIST_LIMIT) -> int | None:
    """How many of a list are shown, None for all: JSON has all of them unless --limit says otherwise.

    Raises:
        UsageError: --limit and --all were both given.
    """
    if limit is not None and everything:
        raise UsageError("--limit and --all cannot go together; give one of them.")
    if limit is not None:
        return limit
    return None if everything or ctx.json else usual


def _by_title(
    parts: "list[tuple[SQLiteMemoryStore, Scope | None]]", types: "list[MemoryType] | None", *, by_type: bool
) -> "Sequence[MemoryRecord]":
    """All records by title, or by type and title; only those that are looked at are read."""
    from agentao.memory.storage.recordview import RecordView

    keys = [
        (f"{kind if by_type else ''}\0{title.casefold()}", memory_id, at)
        for at, (store, part) in enumerate(parts)
        for kind, title, memory_id in store.titles(part, types=types)
    ]
    return RecordView(sorted(keys), [store for store, _ in parts])


def _parts(ctx: CommandContext, scope: "Scope | None") -> "list[tuple[SQLiteMemoryStore, Scope | None]]":
    """The stores that hold a scope, each with the scope to ask it for."""
    stores = ctx.manager.stores
    if len(stores) == 1 or scope is None:
        return [(store, scope) for store in stores]
    return [(ctx.manager.store_for(scope), None)]
