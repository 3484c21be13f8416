"""What memory does for the conversation: status, and this session's summaries."""

from typing import TYPE_CHECKING, Annotated

from agentao.shell.command import Arg, command
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.shell.results import BlockFact, Status, Summaries

SUMMARIES_SHOWN = 10
"""Source: the memory design, /memory session."""


@command("memory status", topic="memory", examples=("/memory status",))
def memory_status(ctx: CommandContext) -> "Status":
    """Show what is stored where, what of it is in the prompt, and how recall does."""
    from agentao.agent.tokens import estimate_tokens
    from agentao.memory.models import DYNAMIC_BLOCK_MAX_CHARS
    from agentao.shell.results import RecallCounts, Status

    memory = ctx.manager.status()
    plan = memory.plan
    retriever = ctx.services.retriever
    return Status(
        memory=memory,
        recall=RecallCounts(retriever.hit_count, retriever.error_count, retriever.last_error or ""),
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
    return 0 if last is None else len(last.dynamic.text)


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
