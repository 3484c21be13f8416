"""What memory does for the conversation: status, this session's summaries, and why a memory was recalled."""

from typing import TYPE_CHECKING, Annotated

from agentao.shell.command import Arg, command
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agentao.memory.models import RecallCandidate
    from agentao.memory.renderer import DynamicBlockPlan
    from agentao.shell.results import BlockFact, Recalled, StableFact, Status, Summaries, Why

SUMMARIES_SHOWN = 10
"""Source: the memory design, /memory session."""


@command("memory status", topic="memory", examples=("/memory status",))
def memory_status(ctx: CommandContext) -> "Status":
    """Show stores, prompt use and recall counts."""
    from agentao.agent.tokens import estimate_tokens
    from agentao.memory.models import DYNAMIC_BLOCK_MAX_CHARS
    from agentao.memory.recall.sources import unread
    from agentao.shell.results import RecallCounts, Status

    memory = ctx.manager.status()
    plan = memory.plan
    retriever = ctx.services.retriever
    return Status(
        memory=memory,
        recall=RecallCounts(
            retriever.hit_count, retriever.error_count, retriever.last_error or "", unread(ctx.manager.stores)
        ),
        facts=tuple(_fact(ctx, memory_id, chars) for memory_id, chars in plan.sizes.items()),
        dropped=tuple(_fact(ctx, memory_id, 0) for memory_id in plan.dropped_ids),
        block_tokens=estimate_tokens(plan.text),
        dynamic_chars=_dynamic_chars(ctx),
        dynamic_limit_chars=DYNAMIC_BLOCK_MAX_CHARS,
    )


def _fact(ctx: CommandContext, memory_id: str, chars: int) -> "BlockFact":
    from agentao.shell.results import BlockFact

    record = ctx.manager.get_entry(memory_id)
    return BlockFact(record.title if record else memory_id, record.scope if record else "project", chars)


def _dynamic_chars(ctx: CommandContext) -> int:
    last = ctx.agent.last_recall
    return 0 if last is None or not last.sent else len(last.dynamic.text)


@command("memory session", topic="memory", pager=True, examples=("/memory session", "/memory session --all"))
def memory_session(
    ctx: CommandContext,
    *,
    all: Annotated[bool, Arg("Those of every session, not only of this one.")] = False,
) -> "Summaries":
    """Show this session's summaries, the newest ten.

    A summary is made when a long conversation is compacted, or by /compact.
    """
    from agentao.shell.results import Summaries

    manager = ctx.manager
    if all:
        found = [summary for store in manager.stores for summary in store.summaries(limit=SUMMARIES_SHOWN)]
        found.sort(key=lambda summary: (summary.created_at, summary.id), reverse=True)
        found = found[:SUMMARIES_SHOWN]
    else:
        found = manager.get_recent_session_summaries(limit=SUMMARIES_SHOWN)
    return Summaries(tuple(found), manager.session_id, every=all)


@command(
    "memory why",
    topic="memory",
    pager=True,
    examples=("/memory why", "/memory why which editor do I like?", "/memory why --json"),
)
def memory_why(
    ctx: CommandContext,
    question: Annotated[str | None, Arg("A question to try; else the last one asked.", rest=True, text=True)] = None,
) -> "Why":
    """Show what the last turn was told, and why.

    The score is (4 tag + 3 title + 2 keyword + 1 recency) / 10; near misses are shown with what they lacked.
    With --json at the end, as JSON.
    """
    from agentao.memory.renderer import MemoryPromptRenderer
    from agentao.shell.results import Why

    # The command line takes the option off itself; in the shell it stands at the end of the text.
    as_json = (question or "").split()[-1:] == ["--json"]
    if question and as_json:
        question = question.rstrip().removesuffix("--json").rstrip() or None
    manager = ctx.manager
    if not manager.enabled:
        return Why(question or "", memory_on=False, as_json=as_json)
    sent = True
    if question is None:
        last = ctx.agent.last_recall
        if last is None or not last.query.strip():
            return Why("", as_json=as_json)
        sent, unread = last.sent, last.unread
        query, plan, candidates, dynamic = last.query, last.stable, last.candidates, last.dynamic
        report = ctx.services.retriever.explain(query, exclude_ids=frozenset(plan.shown_ids))
    else:
        query, plan = question, manager.stable_plan()
        report = ctx.services.retriever.explain(query, exclude_ids=frozenset(plan.shown_ids))
        candidates, unread = report.candidates, report.unread
        dynamic = MemoryPromptRenderer().plan_dynamic_block(candidates)
    known = {candidate.memory_id for candidate in candidates}
    return Why(
        query,
        stable=_stable_facts(ctx, plan.shown_ids, plan.sizes),
        dropped=_stable_facts(ctx, plan.dropped_ids, {}),
        recalled=tuple(
            _recalled(ctx, each, in_block=each.memory_id in dynamic.shown_ids, lacked=_overflow(each, dynamic))
            for each in candidates
        ),
        near_misses=tuple(
            _recalled(ctx, near.candidate, lacked=near.lacked)
            for near in report.near_misses
            if near.candidate.memory_id not in known
        ),
        error=report.error,
        sent=sent,
        unread=unread,
        as_json=as_json,
    )


def _overflow(candidate: "RecallCandidate", plan: "DynamicBlockPlan") -> str:
    """Why the block does not hold what recall found; empty when it does."""
    if candidate.memory_id in plan.duplicate_ids:
        return "Its text stands in the block already."
    return "" if candidate.memory_id in plan.shown_ids else "It had no room in the block."


def _stable_facts(ctx: CommandContext, ids: "Iterable[str]", sizes: "Mapping[str, int]") -> "tuple[StableFact, ...]":
    from agentao.shell.results import StableFact

    found = [(record, sizes.get(each, 0)) for each in ids if (record := ctx.manager.get_entry(each)) is not None]
    return tuple(
        StableFact(record.id, record.title, record.scope, record.type, record.updated_at, chars)
        for record, chars in found
    )


def _recalled(
    ctx: CommandContext, candidate: "RecallCandidate", *, in_block: bool = False, lacked: str = ""
) -> "Recalled":
    from dataclasses import replace

    from agentao.shell.results import Recalled

    record = ctx.manager.get_entry(candidate.memory_id)
    # A word may match as itself and by the form of the question.
    once = replace(candidate, matched=tuple(dict.fromkeys(candidate.matched)))
    return Recalled(once, record.updated_at if record else "", in_block, lacked)
