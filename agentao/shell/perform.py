"""Carrying out a command: the question before it, the editor it may need. The shell and the command line share it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agentao.errors import AgentaoError, SensitiveMemoryError, UsageError
from agentao.memory.db import one_command

if TYPE_CHECKING:
    from agentao.shell.command import Call, Draft, Question
    from agentao.shell.context import CommandContext
    from agentao.shell.results import Result

Ask = Callable[["Question"], bool]
"""Puts the question; only a clear yes is True. Enter alone, the end of input and Ctrl-C are False."""

Edit = Callable[["Draft"], str | None]
"""Opens the user's editor; None when it was left without a change."""

CLEAR_YES = frozenset({"y", "yes", "是", "好", "是的"})


def means_yes(answer: str) -> bool:
    """True for a plain yes only."""
    return answer.strip().casefold() in CLEAR_YES


@one_command()
def perform(call: Call, ctx: CommandContext, ask: Ask | None, edit: Edit | None) -> Result:
    """Run a command, after the user's yes where it needs one. ``ask`` and ``edit`` are None without a terminal.

    Raises:
        UsageError: there is nobody to ask, or no terminal for an editor; nothing was done.
        AgentaoError: what the command itself raises.
    """
    draft = call.draft(ctx)
    if draft is not None:
        text = _edited(call, draft, edit)
        try:
            return _run(call.filled(draft, text), ctx, ask)
        except SensitiveMemoryError:
            raise  # a secret is not written to one more file
        except AgentaoError as exc:
            from agentao.shell.terminal.programs import keep_text

            exc.args = (f"{exc} {keep_text(text, draft.suffix)}",)
            raise
    return _run(call, ctx, ask)


def _run(call: Call, ctx: CommandContext, ask: Ask | None) -> Result:
    question = call.question(ctx)
    if question is not None:
        if ask is None:
            raise UsageError(f"{question.text} Nothing was done; add --yes to do it without a question.")
        if not ask(question):
            from agentao.shell.results import Notice

            return Notice(("Nothing was done.",), {"change": "none"})
    return call.run(ctx)


def _edited(call: Call, draft: Draft, edit: Edit | None) -> str:
    if edit is None:
        raise UsageError(f"{draft.fills.upper()} is missing. Usage: {call.command.usage()}")
    text = edit(draft)
    if text is None or not text.strip():
        raise UsageError("The editor gave no new text; nothing was changed.")
    return text.rstrip("\n")
