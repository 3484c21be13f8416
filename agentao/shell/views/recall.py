"""The view of ``/memory why``: what stood in the prompt, and how each score came about."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from agentao.shell import results
from agentao.shell.views.colors import BAD, GOOD, NOTE, SCOPE_STYLE, STRONG
from agentao.shell.views.render import Page, View, age, clean, count, inline, lines, note, text, tip

WEIGHTS = (("tag", 4), ("title", 3), ("keyword", 2), ("recency", 1))
"""Source: the memory design, section 3."""

DROPPED_SHOWN = 10


def _why(result: results.Why, page: Page) -> RenderableType:
    if result.as_json:
        from agentao.shell.json_view import dumps, to_json

        return Text(dumps(to_json(result)), overflow="fold")
    if not result.memory_on:
        return Text(page.named(result.message))
    if not result.query:
        return lines(
            Text(result.message),
            tip("/memory why QUESTION shows what a question would bring up.", page),
        )
    return lines(
        Text.assemble("Question: ", (inline(result.query), STRONG)),
        text(page.named(f"Recall failed: {result.error}"), BAD) if result.error else None,
        text(result.message) if result.message else None,
        _unread(result.unread),
        *_stable(result, page),
        *_recalled("Recalled for this question", result.recalled, page),
        *_recalled("Near misses", result.near_misses, page),
        note("The score is (4 tag + 3 title + 2 keyword + 1 recency) / 10."),
    )


def _unread(number: int) -> RenderableType | None:
    if not number:
        return None
    were = f"{count(number, 'memory was', 'memories were')} left out: the recall index does not know them yet."
    return text(f"{were} It is being brought up to date.", BAD)


def _stable(result: results.Why, page: Page) -> list[RenderableType]:
    chars = sum(fact.chars for fact in result.stable)
    parts: list[RenderableType] = [Text("In every prompt (stable block)", style=STRONG)]
    if not result.stable:
        parts.append(Text("  no fact"))
    parts += [
        _fact(fact, f"{count(fact.chars, 'character')}" if fact.chars else "same text as another", page)
        for fact in result.stable
    ]
    if result.stable:
        parts.append(Text(f"  {count(len(result.stable), 'fact')}, {count(chars, 'character')}", style=NOTE))
    if result.dropped:
        parts.append(Text("No room in the stable block", style=STRONG))
        parts += [_fact(fact, "recalled when a question touches it", page) for fact in result.dropped[:DROPPED_SHOWN]]
        if len(result.dropped) > DROPPED_SHOWN:
            parts.append(Text(f"  and {len(result.dropped) - DROPPED_SHOWN:,} more", style=NOTE))
    return parts


def _fact(fact: results.StableFact, what: str, page: Page) -> Text:
    return Text.assemble(
        "  ",
        (inline(fact.title), STRONG),
        "  ",
        (fact.scope, SCOPE_STYLE.get(fact.scope, "")),
        f" {clean(fact.type)}",
        (f", {_old(fact.updated_at, page)}, {what}", NOTE),
    )


def _recalled(heading: str, found: Sequence[results.Recalled], page: Page) -> list[RenderableType]:
    parts: list[RenderableType] = [Text(heading, style=STRONG)]
    if not found:
        parts.append(Text("  none"))
    for each in found:
        candidate = each.candidate
        parts.append(
            Text.assemble(
                "  ",
                (f"{candidate.score:.2f}", GOOD if each.in_block else ""),
                "  ",
                (inline(candidate.title), STRONG),
                "  ",
                (candidate.scope, SCOPE_STYLE.get(candidate.scope, "")),
                f" {clean(candidate.type)}",
                (f", {_old(each.updated_at, page)}", NOTE),
            )
        )
        parts.append(Text(f"        {_sum(candidate.factors)}", style=NOTE))
        if candidate.matched:
            parts.append(text(f"        matched: {', '.join(inline(word) for word in candidate.matched)}", NOTE))
        if candidate.reasons:
            parts.append(text(f"        reasons: {', '.join(candidate.reasons)}", NOTE))
        if each.lacked:
            parts.append(text(f"        left out: {each.lacked}"))
    return parts


def _sum(factors: object) -> str:
    return " + ".join(f"{weight}×{getattr(factors, name):.3f} {name}" for name, weight in WEIGHTS)


def _old(stamp: str, page: Page) -> str:
    shown = age(stamp, page.now) if stamp else ""
    return {"": "deleted since", "now": "new"}.get(shown, f"{shown} old")


VIEWS: dict[type, View] = {results.Why: _why}
