"""Candidates for memories, found by rules in what the user said, and the user's word on them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

from agentao.errors import AgentaoError, NotFound, StoreError
from agentao.shell.command import Arg, Question, command
from agentao.shell.commands.complete import review_ids
from agentao.shell.commands.memory import Everything, Limit, shown_limit, unquoted
from agentao.shell.commands.words import counted
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.shell.results import Crystallized, Reviewed, ReviewList

Decided = TypeVar("Decided")

REVIEW_LIMIT = 20
"""So many candidates are shown unless told otherwise; each takes four or five lines."""


@command("memory crystallize", topic="review", examples=("/memory crystallize",))
def memory_crystallize(ctx: CommandContext) -> "Crystallized":
    """Find lasting statements in this talk.

    Habits, rules and decisions are looked for, by rules, in what you said. What is found waits for your word in
    /memory review.
    """
    from agentao.shell.results import Crystallized

    messages = ctx.agent.messages
    said = sum(1 for message in messages if message.role == "user" and message.kind == "chat")
    items = ctx.manager.crystallize_user_messages(messages)
    shown = tuple(items[: shown_limit(ctx, None, False, REVIEW_LIMIT)])
    return Crystallized(shown, messages=said, pending=ctx.manager.pending_count(), total=len(items))


@command("memory review", topic="review", pager=True, examples=("/memory review", "/memory review --all"))
def memory_review(ctx: CommandContext, *, limit: Limit = None, all: Everything = False) -> "ReviewList":
    """List the candidates that wait for your word.

    The oldest 20 are shown; --limit and --all show more.
    """
    from agentao.shell.results import ReviewList

    waiting = ctx.manager.list_review_items(status="pending")
    return ReviewList(tuple(waiting[: shown_limit(ctx, limit, all, REVIEW_LIMIT)]), len(waiting))


def _all_question(word: str, ctx: CommandContext, item: str) -> Question | None:
    if unquoted(item).casefold() != "all":
        return None
    pending = ctx.manager.pending_count()
    if not pending:
        return None
    effect = "become memories" if word == "approve" else "are never proposed again"
    return Question(f"{counted(pending, 'candidate', 'candidates')} then {effect}.", f"{word.capitalize()} all?")


def _approve_question(ctx: CommandContext, item: str, **_: object) -> Question | None:
    return _all_question("approve", ctx, item)


def _reject_question(ctx: CommandContext, item: str, **_: object) -> Question | None:
    return _all_question("reject", ctx, item)


@command(
    "memory review approve",
    topic="review",
    confirm=_approve_question,
    examples=("/memory review approve 3f2a", "/memory review approve --replace 3f2a", "/memory review approve all"),
)
def review_approve(
    ctx: CommandContext,
    item: Annotated[
        str, Arg("An id from the list, or its unique beginning; or all.", complete=review_ids, metavar="ID|all")
    ],
    *,
    replace: Annotated[bool, Arg("Put it in place of a memory with the same key and another value.")] = False,
) -> "Reviewed":
    """Make a candidate a memory."""
    from agentao.shell.results import Reviewed

    if unquoted(item).casefold() != "all":
        return Reviewed("approved", (ctx.manager.approve_review_item(unquoted(item), replace=replace),))
    records, failures = _each_pending(ctx, lambda waiting: ctx.manager.approve_review_item(waiting, replace=replace))
    return Reviewed("approved", records, failures=failures)


@command(
    "memory review reject",
    topic="review",
    confirm=_reject_question,
    examples=("/memory review reject 3f2a", "/memory review reject all"),
)
def review_reject(
    ctx: CommandContext,
    item: Annotated[
        str, Arg("An id from the list, or its unique beginning; or all.", complete=review_ids, metavar="ID|all")
    ],
) -> "Reviewed":
    """Turn a candidate down for good."""
    from agentao.shell.results import Reviewed

    if unquoted(item).casefold() != "all":
        return Reviewed("rejected", items=(ctx.manager.reject_review_item(unquoted(item)),))
    items, failures = _each_pending(ctx, ctx.manager.reject_review_item)
    return Reviewed("rejected", items=items, failures=failures)


def _each_pending(ctx: CommandContext, decide: Callable[[str], Decided]) -> tuple[tuple[Decided, ...], tuple[str, ...]]:
    """Decide on each candidate; what came of it, and one sentence for each that was refused."""
    waiting = [item.id for item in ctx.manager.list_review_items(status="pending")]
    if not waiting:
        raise NotFound("No candidate waits for review. /memory crystallize looks for some.")
    decided, failures = [], []
    for item_id in waiting:
        try:
            decided.append(decide(item_id))
        except StoreError as exc:
            # A store that fails would fail, and be waited for, with each of the rest.
            done = counted(len(decided), "candidate was", "candidates were")
            raise type(exc)(f"{exc} {done} decided before that.") from exc
        except AgentaoError as exc:
            failures.append(f"{item_id}: {exc}")
    return tuple(decided), tuple(failures)


def pending_line(pending: int) -> str:
    """The quiet line that tells that candidates wait; empty when none do."""
    if not pending:
        return ""
    verb = "waits" if pending == 1 else "wait"
    return f"{counted(pending, 'candidate', 'candidates')} for memories {verb}: /memory review"
