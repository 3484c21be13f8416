"""What the keys do at the prompt, beyond the line editor's own bindings."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, get_common_complete_suffix
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import emacs_mode, has_focus, vi_navigation_mode
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from agentao.shell.terminal.type_ahead import ALT_ENTER, pasted

LEAVE_HINT = "Ctrl-D or /exit leaves."


def bindings(suspend: Callable[[], None], edit: Callable[[str], str | None]) -> KeyBindings:
    """``suspend`` stops the process and returns when it is brought back; ``edit`` gives a text back from the user's
    editor, None when it was not changed."""
    keys = KeyBindings()
    typing = has_focus(DEFAULT_BUFFER)

    @keys.add("enter", filter=typing)
    def send(event: KeyPressEvent) -> None:
        """Send the input; after a backslash at its end, begin another line."""
        buffer = event.current_buffer
        if continues(buffer):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add(ALT_ENTER, filter=typing)
    def new_line(event: KeyPressEvent) -> None:
        """Begin another line."""
        event.current_buffer.insert_text("\n")

    @keys.add(Keys.BracketedPaste, filter=typing)
    def paste(event: KeyPressEvent) -> None:
        """Take a paste as one piece of text, unsent."""
        event.current_buffer.insert_text(pasted(event.data))

    @keys.add("c-c", filter=typing)
    @keys.add("<sigint>", filter=typing)
    def give_up(event: KeyPressEvent) -> None:
        """Clear the input; say how to leave when there is none."""
        buffer = event.current_buffer
        if buffer.text:
            buffer.reset()
        else:
            run_in_terminal(lambda: print(LEAVE_HINT, flush=True))

    @keys.add("tab", filter=typing)
    def complete(event: KeyPressEvent) -> None:
        """Complete at once, or go on to the next suggestion.

        The line editor's own binding does nothing while it still gathers suggestions for the letters just typed.
        """
        buffer = event.current_buffer
        if buffer.complete_state:
            buffer.complete_next()
            return
        found = list(buffer.completer.get_completions(buffer.document, CompleteEvent(completion_requested=True)))
        if len(found) == 1:
            buffer.apply_completion(found[0])
        elif found:
            buffer.insert_text(get_common_complete_suffix(buffer.document, found))
            buffer.start_completion()

    @keys.add("c-x", "c-e", filter=typing & emacs_mode)
    @keys.add("v", filter=typing & vi_navigation_mode)
    def write_elsewhere(event: KeyPressEvent) -> None:
        """Go on with the input in the user's editor; what comes back stands at the prompt, unsent."""
        buffer = event.current_buffer

        def write() -> None:
            text = edit(buffer.text)
            if text is not None:
                buffer.document = Document(text.rstrip("\n"))

        run_in_terminal(write)

    @keys.add("c-z")
    def stop(event: KeyPressEvent) -> None:
        """Stop, as in any program of a shell."""
        run_in_terminal(suspend)

    return keys


def continues(buffer: Buffer) -> bool:
    """True when the input ends in one backslash with the cursor behind it."""
    text = buffer.text
    return buffer.cursor_position == len(text) and text.endswith("\\") and not text.endswith("\\\\")
