"""This conversation: how full it is, shortening it, beginning anew."""

from typing import TYPE_CHECKING, Annotated

from agentao.errors import AgentaoError
from agentao.shell.command import Arg, command
from agentao.shell.commands.review import pending_line
from agentao.shell.commands.words import counted
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.shell.results import ContextShown, EditDraft, Notice, RawMode, Reasoning


@command("context", topic="conversation", where="shell", examples=("/context",))
def context(ctx: CommandContext) -> "ContextShown":
    """Show how full the context window is."""
    from agentao.shell.results import ContextShown

    return ContextShown(ctx.agent.context_usage(), ctx.client.model)


@command(
    "compact",
    topic="conversation",
    where="shell",
    busy="Compacting",
    examples=("/compact", "/compact keep the list of open questions"),
)
def compact(
    ctx: CommandContext,
    hint: Annotated[str, Arg("What the summary should keep above all.", rest=True, text=True)] = "",
) -> "Notice":
    """Replace the early talk by a summary, now."""
    from agentao.agent.events import CompactionDone
    from agentao.agent.messages import Notice as Told
    from agentao.shell.results import Notice

    lines: list[str] = []
    data: dict[str, object] = {"changed": False}
    for event in ctx.agent.compact(hint):
        if isinstance(event, CompactionDone):
            lines.append(event.message)
            data = {
                "changed": event.changed,
                "tokens_before": event.tokens_before,
                "tokens_after": event.tokens_after,
                "messages_summarized": event.messages_summarized,
            }
        elif isinstance(event, Told):
            lines.append(event.text)
    if waiting := pending_line(ctx.manager.pending_count()):
        lines.append(waiting)
    return Notice(tuple(lines), data)


@command("clear", topic="conversation", where="shell", examples=("/clear",))
def clear(ctx: CommandContext) -> "Notice":
    """Clear the conversation; memories stay.

    To delete memories, use /memory delete or /memory clear.
    """
    from agentao.shell.results import Notice

    mine(ctx)
    ctx.agent.clear()
    ctx.state.reasoning = None
    return Notice(_what_stays(ctx, "Conversation cleared"), {"cleared": "conversation"})


@command("new", topic="conversation", where="shell", examples=("/new",))
def new(ctx: CommandContext) -> "Notice":
    """Begin a new conversation and session."""
    from agentao.shell.results import Notice

    mine(ctx)
    ctx.agent.new_session()
    ctx.state.reasoning = None
    return Notice(_what_stays(ctx, "New conversation"), {"session_id": ctx.manager.session_id})


def mine(ctx: CommandContext) -> None:
    """Look through the conversation that is about to go; a store that fails keeps nobody from leaving it."""
    if ctx.manager.enabled and ctx.agent.messages:
        try:
            ctx.manager.crystallize_user_messages(ctx.agent.messages)
        except AgentaoError:
            return


def _what_stays(ctx: CommandContext, done: str) -> tuple[str, ...]:
    status = ctx.manager.status()
    memories = counted(sum(status.totals.values()), "memory", "memories")
    line = f"{done}; {memories} and {counted(status.summaries, 'session summary', 'session summaries')} stay."
    waiting = pending_line(status.pending)
    return (line, waiting) if waiting else (line,)


@command("edit", topic="conversation", where="shell", examples=("/edit",))
def edit(ctx: CommandContext) -> "EditDraft":
    """Write the next message in your editor.

    Ctrl-X Ctrl-E does the same with what is typed already. The editor is $VISUAL or $EDITOR, else nano, vim or vi.
    """
    from agentao.shell.results import EditDraft

    return EditDraft()


@command("raw", topic="conversation", where="shell", examples=("/raw",))
def raw(ctx: CommandContext) -> "RawMode":
    """Show answers without Markdown, or with it."""
    from agentao.shell.results import RawMode

    ctx.state.raw = not ctx.state.raw
    return RawMode(ctx.state.raw)


@command("reasoning", topic="conversation", where="shell", pager=True, examples=("/reasoning", "/reasoning --pager"))
def reasoning(ctx: CommandContext) -> "Reasoning":
    """Show what the model thought before answering.

    Only some models send it. It is kept until the next answer and stored nowhere.
    """
    from agentao.shell.results import Reasoning

    return ctx.state.reasoning or Reasoning()
