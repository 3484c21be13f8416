"""Views of states: memory's status, the context window, session summaries, models, settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from agentao.config import FILE_KEYS
from agentao.memory.usecases.outcomes import MemoryStatus, StoreStatus
from agentao.shell import results
from agentao.shell.views.cells import cells, cut
from agentao.shell.views.colors import BAD, CYAN, GOOD, NOTE, STRONG
from agentao.shell.views.render import Flow, Page, View, age, clean, count, inline, lines, local, note, text, tip

BAR_MAX = 40
BAR_MIN = 10
TITLE_MAX = 28
"""A fact's title in the chart of the block; longer ones are cut."""

SUMMARY_END_CHARS = 2_000
"""Source: the memory design, /memory session: the last so many characters of a summary."""

DROPPED_NAMED = 6

ONE_COLUMN_MAX = 12
"""More models than this stand in several columns."""

REPLY_PART = "room for the reply"
"""The part of the context that is reserved, not used."""


class Bar:
    """One line: a label, a bar, a figure. Full and empty part differ in shape, not only in colour."""

    def __init__(self, label: str, value: float, whole: float, figure: str, widths: tuple[int, int]) -> None:
        self.label, self.value, self.whole, self.figure = label, value, whole, figure
        self.label_width, self.bar_width = widths

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The line."""
        full, empty = ("#", ".") if options.ascii_only else ("█", "░")
        share = min(1.0, self.value / self.whole) if self.whole else 0.0
        filled = round(share * self.bar_width) or (1 if self.value else 0)
        label = Text(self.label)
        if cells(label.plain) > self.label_width:
            cut(label, self.label_width - 1)
            label.append("…")
        yield Segment(label.plain + " " * (self.label_width - cells(label.plain) + 1))
        yield Segment(full * filled, Style(color=CYAN))
        yield Segment(empty * (self.bar_width - filled), Style(dim=True))
        yield Segment(f" {self.figure}")
        yield Segment.line()


def chart(rows: Sequence[tuple[str, float, str]], whole: float, page: Page, indent: str = "  ") -> list[RenderableType]:
    """Bars below each other, as wide as the page allows."""
    figures = max((len(figure) for _, _, figure in rows), default=0)
    longest = max((cells(indent + label) for label, _, _ in rows), default=0)
    width = page.width or 100
    label_width = min(longest, TITLE_MAX + len(indent), max(8, width - figures - BAR_MIN - 3))
    bar_width = max(1, min(BAR_MAX, width - label_width - figures - 2))
    return [
        Bar(indent + label, value, whole, f"{figure:>{figures}}", (label_width, bar_width))
        for label, value, figure in rows
    ]


def _status(result: results.Status, page: Page) -> RenderableType:
    memory = result.memory
    return lines(
        *_problems(memory, page),
        Text("Stored", style=STRONG),
        *(_scope_line(memory, scope) for scope in ("user", "project")),
        Text(f"  session summaries: {memory.summaries:,}, the newest {count(memory.last_summary_chars, 'character')}"),
        Text(f"  waiting for review: {memory.pending:,}" + (page.named(" (/memory review)") if memory.pending else "")),
        Text("Files", style=STRONG),
        *(_store_line(store) for store in sorted(memory.stores, key=lambda store: store.scopes, reverse=True)),
        Text("In the prompt", style=STRONG),
        *_block(result, page),
        Text("Recall in this session", style=STRONG),
        Text(f"  hits: {result.recall.hits:,}, errors: {result.recall.errors:,}"),
        text(f"  last error: {result.recall.last_error or 'none'}"),
        _unread(result.recall.unread),
        text(f"session {memory.session_id}", NOTE),
    )


def _unread(number: int) -> RenderableType | None:
    if not number:
        return None
    return text(f"  not indexed yet: {count(number, 'memory', 'memories')}; recall leaves them out until then")


def _problems(memory: MemoryStatus, page: Page) -> Iterable[RenderableType]:
    for store in memory.stores:
        if store.problem:
            yield text(f"Problem with the {' and '.join(store.scopes)} store: {store.problem}", BAD)
        yield from (text(f"Note: {page.named(line)}") for line in store.notices)
    if not memory.enabled:
        off = "Memory is off: nothing is injected, recalled, mined or saved. /memory on switches it on."
        yield Text(page.named(off), style=BAD)
    if not memory.project_trusted:
        foreign = "This project's memories came from elsewhere and are not told to the model. /memory trust"
        yield Text(page.named(foreign), style=BAD)


def _scope_line(memory: MemoryStatus, scope: str) -> Text:
    kinds = {key: value for key, value in memory.counts.items() if key == scope}
    types = ", ".join(f"{number:,} {kind}" for counts in kinds.values() for kind, number in counts.items())
    total = next((number for key, number in memory.totals.items() if key == scope), 0)
    return Text(f"  {scope:<8} {count(total, 'memory', 'memories')}" + (f": {types}" if types else ""))


def _store_line(store: StoreStatus) -> Text:
    name = " and ".join(store.scopes)
    where = str(store.path) if store.path else "in memory only"
    state = "" if store.persistent and store.writable else " (what is saved now is lost when the shell ends)"
    return text(f"  {name:<8} {where}{state}")


def _block(result: results.Status, page: Page) -> list[RenderableType]:
    memory = result.memory
    limit = float(memory.block_limit_chars)
    share = memory.block_chars / limit if limit else 0.0
    fit = count(memory.block_shown, "fact") + (
        f", {memory.block_dropped:,} did not fit" if memory.block_dropped else ""
    )
    rows = [(inline(fact.title), float(fact.chars), f"{fact.chars:,}") for fact in result.facts]
    if memory.plan.session_chars:
        rows.append(("(earlier sessions)", float(memory.plan.session_chars), f"{memory.plan.session_chars:,}"))
    whole = ("all of it", float(memory.block_chars), f"{memory.block_chars:,}")
    parts: list[RenderableType] = [
        Text(
            f"  stable block: {memory.block_chars:,} of {memory.block_limit_chars:,} characters ({share:.0%}), "
            f"about {count(result.block_tokens, 'token')}; {fit}"
        ),
        *chart([whole, *rows], limit, page, indent="    "),
    ]
    if result.dropped:
        named = ", ".join(inline(fact.title) for fact in result.dropped[:DROPPED_NAMED])
        rest = memory.block_dropped - min(len(result.dropped), DROPPED_NAMED)
        more = f" and {rest:,} more" if rest > 0 else ""
        parts.append(Text(f"    no room for: {named}{more}; recalled when a question touches them", style=NOTE))
    if memory.block_others:
        others = count(memory.block_others, "older fact")
        parts.append(Text(f"    not in it: {others} of this project; recalled when needed", style=NOTE))
    parts.append(
        Text(f"  recalled for the last turn: {result.dynamic_chars:,} of {result.dynamic_limit_chars:,} characters")
    )
    return parts


def _context(result: results.ContextShown, page: Page) -> RenderableType:
    usage = result.usage
    window = usage.window_tokens
    rows = [(clean(name), float(tokens), f"{tokens:,}") for name, tokens in usage.parts]
    reply = sum(tokens for name, tokens in usage.parts if name == REPLY_PART)
    free = max(0, window - usage.used_tokens - reply)
    rows.append(("free", float(free), f"{free:,}"))
    marks = f"  large old messages are shortened at {window * 55 // 100:,} (55 %), early ones summarised at "
    extra: list[Text] = []
    if usage.cached_share is not None:
        extra.append(Text(f"  of the last prompt {usage.cached_share:.0%} came from the server's cache"))
    if usage.last_prefix_change:
        extra.append(text(f"  the prompt's beginning last changed: {usage.last_prefix_change}"))
    return lines(
        Text.assemble(
            (f"{usage.used_tokens:,} of {window:,} tokens ({usage.share:.0%})", STRONG), f"  {clean(result.model)}"
        ),
        *chart(rows, float(window), page),
        Text(f"{marks}{window * 65 // 100:,} (65 %)", style=NOTE),
        *extra,
    )


def _summaries(result: results.Summaries, page: Page) -> RenderableType:
    if not result.summaries:
        if result.every:
            return Text("No session has a summary yet. /compact makes one.")
        return lines(
            Text("This session has no summary yet."),
            tip("/memory session --all shows those of all sessions.", page),
        )
    parts: list[RenderableType] = []
    for summary in result.summaries:
        head = f"{local(summary.created_at)} ({age(summary.created_at, page.now)})"
        made = f"{count(summary.messages_summarized, 'message')}, {count(summary.tokens_before, 'token')} before"
        who = f", session {clean(summary.session_id)}" if result.every else ""
        parts.append(Text.assemble((head, STRONG), (f"  {made}{who}", NOTE)))
        shown = summary.summary_text
        if len(shown) > SUMMARY_END_CHARS:
            parts.append(Text(f"… (the last {SUMMARY_END_CHARS:,} of {len(shown):,} characters)", style=NOTE))
            shown = shown[-SUMMARY_END_CHARS:]
        parts.append(text(shown))
    return lines(*parts)


def _models(result: results.Models, page: Page) -> RenderableType:
    at = f" at {clean(result.url)}" if result.url else ""
    word = "Now using " if result.changed else "Model: "
    head = Text.assemble(
        (word, GOOD if result.changed else ""), (clean(result.current or "not chosen yet"), STRONG), at
    )
    marked = _columns([f"{'* ' if name == result.current else '  '}{clean(name)}" for name in result.names], page)
    footer = note("* is in use. /model NAME switches.") if result.names else None
    return lines(head, text(result.problem, NOTE) if result.problem else None, *(Text(name) for name in marked), footer)


def _columns(names: Sequence[str], page: Page) -> list[str]:
    """Many names side by side, in order down the columns; a pipe gets one a line."""
    if page.width is None or len(names) <= ONE_COLUMN_MAX:
        return list(names)
    wide = max(cells(name) for name in names) + 2
    across = max(1, page.width // wide)
    rows = -(-len(names) // across)
    return ["".join(name + " " * (wide - cells(name)) for name in names[row::rows]).rstrip() for row in range(rows)]


STATUS_STYLE = {"ok": GOOD, "warning": STRONG, "failed": BAD, "skipped": NOTE}


SIDE_BY_SIDE_MIN = 60
"""In fewer columns a finding stands below the name of its check."""


def _diagnosis(result: results.Diagnosis, page: Page) -> RenderableType:
    beside = page.width is None or page.width >= SIDE_BY_SIDE_MIN
    indent = 25 if beside else 4
    rows: list[RenderableType] = []
    for check in result.checks:
        style = STATUS_STYLE.get(check.status, "")
        lead = Text.assemble("  ", (f"{check.status:<8}", style), f"{check.name:<14} ") if beside else None
        if not beside:
            rows.append(Flow(Text.assemble((check.status, style), f" {check.name}"), indent=2))
        rows.append(Flow(text(check.message), indent=indent, lead=lead))
        if check.hint:
            rows.append(Flow(text(check.hint, NOTE), indent=indent))
    found = "Something does not work; see above." if result.failed else "Nothing is broken."
    return lines(*rows, Text(found, style=BAD if result.failed else GOOD))


def _config(result: results.Config, page: Page) -> RenderableType:
    shown = [(entry.key, _value(entry.value), entry.origin) for entry in result.values]
    wide = max(len(key) for key, _, _ in shown)
    found = "" if result.exists else " (no such file yet)"
    keys = "; ".join(f"[{table}] {', '.join(keys)}" for table, keys in FILE_KEYS.items())
    return lines(
        *(
            Text.assemble((f"{key:<{wide}}  ", ""), (clean(value), STRONG), (f"  {clean(origin)}", NOTE))
            for key, value, origin in shown
        ),
        text(f"Settings file: {result.file}{found}", NOTE),
        Text(f"It may hold {keys}.", style=NOTE),
        text(f"Not read, because it is a project's: {result.not_read}", STRONG) if result.not_read else None,
    )


def _value(value: str | int | bool | None) -> str:
    if value is None:
        return "not set"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else f"{value}"


def _raw(result: results.RawMode, page: Page) -> RenderableType:
    return Text("Answers are shown as they come." if result.raw else "Answers are shown with Markdown rendered.")


def _reasoning(result: results.Reasoning, page: Page) -> RenderableType:
    if not result.text:
        return Text("The last answer came without reasoning.")
    size = f"{result.seconds:.0f} s, {count(len(result.text), 'character')}"
    return lines(note(f"What the model thought before its last answer ({size}):"), text(result.text.strip("\n")))


VIEWS: dict[type, View] = {
    results.Status: _status,
    results.ContextShown: _context,
    results.Summaries: _summaries,
    results.Models: _models,
    results.Diagnosis: _diagnosis,
    results.Config: _config,
    results.RawMode: _raw,
    results.Reasoning: _reasoning,
}
