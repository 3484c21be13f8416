"""The command table's completion, as prompt_toolkit wants it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from agentao.errors import AgentaoError
from agentao.shell.context import CommandContext

log = logging.getLogger(__name__)


class TableCompleter(Completer):
    """Completes commands, their options and the arguments that the stores know."""

    def __init__(self, ctx: CommandContext) -> None:
        self._ctx = ctx

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """What may stand at the cursor; nothing where a store cannot be asked."""
        from agentao.shell.commands import TABLE  # not before the first key is pressed

        before = document.text_before_cursor
        try:
            found = TABLE.complete(before, self._ctx, document.text_after_cursor)
        except AgentaoError as exc:
            log.warning("completion: %s", exc)
            return
        for suggestion in found:
            yield Completion(
                suggestion.text,
                start_position=suggestion.start - len(before),
                display=suggestion.text.strip(),
                display_meta=suggestion.description,
            )
