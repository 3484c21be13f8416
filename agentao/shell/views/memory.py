"""Views of memories: the list, one whole, what changed, the tags."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from agentao.memory.models import MemoryEvent, MemoryRecord
from agentao.memory.text import fold
from agentao.shell import results
from agentao.shell.views.colors import GOOD, MARK, NOTE, SCOPE_STYLE, STRONG
from agentao.shell.views.grid import Cell, Column, Grid
from agentao.shell.views.render import Flow, Page, View, age, clean, count, inline, lines, local, note, text, tip

STACKED_BELOW = 70
"""Narrower than this, the six columns of the list stand in two."""

LONG_CHARS = 160
"""A value longer than this is cut with its length beside it."""

VALUE_SHOWN = 40
"""How much of a value stands in the line that tells of a save."""

EXCERPT_BEFORE_CHARS = 30
"""How much of a value stands before the first match of a search."""

EXCERPT_CHARS = 10_000
"""More of a value than stands in a row of any list; what is longer is not laid out."""


def _memories(result: results.Memories, page: Page) -> RenderableType:
    kind = f"{result.scope} " if result.scope else ""
    asked = f" {result.asked}" if result.asked else ""
    if not result.memories:
        found = f"No {kind}memories{asked}." if kind or asked else "Nothing is remembered yet."
        return lines(text(found), tip(result.hint, page))
    if page.width is None:
        shown: RenderableType = lines(*(_plain_row(record, result.terms, page) for record in result.memories))
    elif page.width < STACKED_BELOW:
        shown = Grid(
            [Column("Age, scope\ntype", 12, 0, 12, lines=3), Column("Title, value, tags", 10, 1, lines=7)],
            [_stacked(record, result.terms, page) for record in result.memories],
            width=page.width,
            place=page.place,
            ruled=True,
        )
    else:
        shown = Grid(
            [
                Column("Age", 6, 1, 6),
                Column("Scope", 7, 1, 7),
                Column("Type", 12, 1, 12),
                Column("Title", 12, 3, 40),
                Column("Value", 14, 6),
                Column("Tags", 10, 2, 40),
            ],
            [_row(record, result.terms, page) for record in result.memories],
            width=page.width,
            place=page.place,
        )
    of = f"{len(result.memories):,} of " if len(result.memories) < result.total else ""
    total = of + count(result.total, f"{kind}memory", f"{kind}memories") + clean(asked)
    return lines(shown, Text(f"{total}. {result.more}".rstrip(), style=NOTE), tip(result.hint, page))


def _row(record: MemoryRecord, terms: Sequence[str], page: Page) -> list[Cell]:
    return [
        Cell(Text(age(record.updated_at, page.now), style=NOTE)),
        Cell(_scope(record)),
        Cell(text(record.type)),
        Cell(marked(inline(record.title), terms, STRONG)),
        _value(record, terms),
        Cell(_tags(record, terms)),
    ]


def _stacked(record: MemoryRecord, terms: Sequence[str], page: Page) -> list[Cell]:
    left = Text.assemble((age(record.updated_at, page.now), NOTE), "\n", _scope(record), "\n", text(record.type))
    value = _value(record, terms)
    right = Text.assemble(marked(inline(record.title), terms, STRONG), "\n", value.text)
    if record.tags:
        right = Text.assemble(right, "\n", _tags(record, terms))
    return [Cell(left), Cell(right, value.tail)]


def _plain_row(record: MemoryRecord, terms: Sequence[str], page: Page) -> Text:
    """One line whatever its length, for pipes: what varies most stands last."""
    head = f"{age(record.updated_at, page.now):>6}  {record.scope:<7}  {record.type:<12}  "
    tags = f"  [{', '.join(inline(tag) for tag in record.tags)}]" if record.tags else ""
    return Text(f"{head}{inline(record.title)}{clean(tags)}: {inline(record.content)}")


def _value(record: MemoryRecord, terms: Sequence[str]) -> Cell:
    content = inline(record.content)
    tail = f"… ({len(record.content):,} chars)" if len(record.content) > LONG_CHARS else "…"
    return Cell(marked(excerpt(content, terms), terms), tail)


def _tags(record: MemoryRecord, terms: Sequence[str]) -> Text:
    return marked(" ".join("#" + inline(tag) for tag in record.tags), terms)


def _scope(record: MemoryRecord) -> Text:
    return Text(record.scope, style=SCOPE_STYLE.get(record.scope, ""))


def excerpt(content: str, terms: Sequence[str]) -> str:
    """The text from shortly before its first match on, as much of it as may be shown."""
    begin = _first_match(content, terms) - EXCERPT_BEFORE_CHARS
    if begin <= EXCERPT_BEFORE_CHARS:
        return content[:EXCERPT_CHARS]
    return "…" + content[begin : begin + EXCERPT_CHARS].lstrip()


def _first_match(content: str, terms: Sequence[str]) -> int:
    """Where the first match begins; 0 where there is none. A long text is looked through part by part."""
    both = 2 * max(map(len, terms), default=0)
    for begin in range(0, len(content), EXCERPT_CHARS):
        if found := matches(content[begin : begin + EXCERPT_CHARS + both], terms):
            return begin + min(found)[0]
    return 0


def marked(content: str, terms: Sequence[str], style: str = "") -> Text:
    """Clean text with every match of the terms marked."""
    shown = Text(content, style=style)
    for start, end in matches(content, terms):
        shown.stylize(MARK, start, end)
    return shown


def matches(content: str, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Where the terms occur, compared as the search compares: folded, in places of the text as it stands."""
    wanted = [folded for folded in map(fold, terms) if folded]
    whole = fold(content)
    if not any(term in whole for term in wanted):
        return []
    pieces = [fold(char) for char in content]
    folded = "".join(pieces)
    places = [at for at, piece in enumerate(pieces) for _ in piece]
    found = []
    for term in wanted:
        at = -1
        while (at := folded.find(term, at + 1)) >= 0:
            found.append((places[at], places[at + len(term) - 1] + 1))
    return found


def _shown(result: results.MemoryShown, page: Page) -> RenderableType:
    return lines(*(_whole(record, events, page) for record, events in result.memories))


def _whole(record: MemoryRecord, events: Sequence[MemoryEvent], page: Page) -> RenderableType:
    title = Text.assemble((inline(record.title), STRONG), "  ", _scope(record), f" {clean(record.type)}")
    facts = [
        ("key", record.key_normalized),
        ("id", record.id),
        ("tags", " ".join("#" + tag for tag in record.tags) or "none"),
        ("source", f"{record.source}, {record.confidence.replace('_', ' ')}"),
        ("saved", f"{local(record.created_at)} ({age(record.created_at, page.now)})"),
        ("changed", f"{local(record.updated_at)} ({age(record.updated_at, page.now)})"),
    ]
    if record.deleted_at:
        facts.append(("deleted", f"{local(record.deleted_at)} ({age(record.deleted_at, page.now)})"))
    return lines(
        title,
        Flow(text(record.content), indent=2),
        *(Text.assemble((f"{name:<8} ", NOTE), inline(value)) for name, value in facts),
        Text("history", style=NOTE) if events else None,
        *(event_line(event, page) for event in events),
    )


def event_line(event: MemoryEvent, page: Page, *, title: str = "") -> RenderableType:
    """One event: when, what, who, and the value before and after where they differ."""
    before, after = (event.detail.get(side) or {} for side in ("before", "after"))
    when = Text(f"  {local(event.timestamp)}  ", style=NOTE)
    line = Text(f"{event.event_type:<9} ", style="default")
    line.append(f"by {event.detail.get('actor') or 'unknown'}", style=NOTE)
    if title:
        line.append(f"  {inline(title)}", style=STRONG)
    old, new = str(before.get("content", "")), str(after.get("content", ""))
    if event.event_type in ("create", "update", "import", "approve", "restore") and new and new != old:
        change = f"{shortened(old)} → {shortened(new)}" if old else shortened(new)
        line.append(f"  {change}", style="default")
    return Flow(line, indent=20, lead=when)


def shortened(content: str, limit: int = 60) -> str:
    """A text in one short line."""
    shown = inline(content)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _saved(result: results.MemorySaved, page: Page) -> RenderableType:
    outcome = result.outcome
    words = {"new": "Saved, new: ", "changed": "Saved, changed: ", "unchanged": "Nothing changed: "}
    value = shortened(outcome.record.content, VALUE_SHOWN)
    if outcome.change == "changed" and outcome.before is not None and outcome.before.content != outcome.record.content:
        value = f"{shortened(outcome.before.content, VALUE_SHOWN)} → {value}"
    line = Text.assemble(
        (words[outcome.change], GOOD if outcome.change != "unchanged" else ""),
        _scope(outcome.record),
        f" {clean(outcome.record.type)}  ",
        (inline(outcome.record.title), STRONG),
        f"  {value}",
        (page.named("  (/memory undo)") if outcome.change != "unchanged" else "", NOTE),
    )
    return lines(line, note(outcome.note))


def _changed(result: results.MemoriesChanged, page: Page) -> RenderableType:
    word = result.change.capitalize()
    style = GOOD if result.change == "restored" else ""
    rows = [
        Text.assemble(
            (f"{word} ", style),
            ("from " if result.change == "deleted" else "to "),
            _scope(record),
            ": ",
            (inline(record.title), STRONG),
            (f"  {shortened(record.content)}", NOTE),
        )
        for record in result.memories
    ]
    return lines(*rows, tip(result.hint, page))


def _tag_counts(result: results.Tags, page: Page) -> RenderableType:
    if not result.tags:
        return lines(Text("No memory carries a tag yet."), tip("/memory add --tags a,b KEY VALUE gives some.", page))
    wide = max(len(f"{number:,}") for _, number in result.tags)
    return lines(
        *(Text.assemble((f"{number:>{wide},}  ", NOTE), "#" + inline(tag)) for tag, number in result.tags),
        note(f"{count(len(result.tags), 'tag')}. {page.named('/memory tag NAME lists the memories that carry one.')}"),
    )


VIEWS: dict[type, View] = {
    results.Memories: _memories,
    results.MemoryShown: _shown,
    results.MemorySaved: _saved,
    results.MemoriesChanged: _changed,
    results.Tags: _tag_counts,
}
