"""Shows one turn of the conversation while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext, suppress
from typing import Protocol, cast

from agentao.agent.events import (
    AgentEvent,
    CompactionDone,
    CompactionStarted,
    MemoryRefused,
    MemorySaved,
    TurnEnded,
)
from agentao.agent.messages import Notice, ReasoningDelta, TextDelta
from agentao.errors import BadResponse, ClientError
from agentao.shell import results
from agentao.shell.commands.review import pending_line
from agentao.shell.terminal.screen import CleanText, Screen
from agentao.shell.terminal.signals import interrupt_held
from agentao.shell.terminal.spinner import Spinner

STOPPED_EXIT_CODE = 130
WAITING, THINKING, WRITING, COMPACTING = "waiting", "thinking", "writing", "summarising"


class Painter(Protocol):
    """Draws the text of an answer."""

    def feed(self, text: str) -> None:
        """Take a clean piece."""
        ...

    def finish(self) -> None:
        """Draw the rest and end the line."""
        ...


class PlainPainter:
    """The text as it comes, for pipes, simple terminals and whoever prefers it."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._line_open = False

    def feed(self, text: str) -> None:
        """Write the piece at once."""
        if text:
            self._screen.write(text)
            self._line_open = not text.endswith("\n")

    def finish(self) -> None:
        """End the line."""
        if self._line_open:
            self._screen.write("\n")
            self._line_open = False


class TurnView:
    """Draws the events of turns, one turn at a time."""

    def __init__(
        self,
        screen: Screen,
        keep: Callable[[results.Reasoning], None] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``keep`` takes the reasoning of the turn so far, whenever a stretch of it ends, for ``/reasoning``; None
        where nobody can ask for it later."""
        self._screen = screen
        self._keep = keep
        self._clock = clock

    def show(self, events: Iterator[AgentEvent], *, raw: bool) -> int:
        """Show a turn to its end; the exit code that says how it went.

        Raises:
            ClientError: as the turn did; what came before it stands on the screen.
        """
        plain = raw or not self._screen.escapes
        spinner = Spinner(self._screen.output.out, active=self._screen.escapes and not raw)
        thoughts = _Thoughts(self._screen, self._keep, self._clock)
        answer = _Answer(self._screen, thoughts, plain=plain)
        self._screen.hidden = nullcontext if plain else spinner.hidden
        try:
            with spinner.running(WAITING):
                return self._show(events, answer, spinner)
        finally:
            self._screen.hidden = nullcontext

    def _show(self, events: Iterator[AgentEvent], answer: _Answer, spinner: Spinner) -> int:
        ended: TurnEnded | None = None
        try:
            for event in events:
                if isinstance(event, TurnEnded):
                    ended = event
                else:
                    with interrupt_held():  # the turn keeps this event, so the screen must, too
                        self._take(event, answer, spinner)
        except KeyboardInterrupt:
            # Where it struck outside the turn, the turn has to learn of it; where inside, this raises it again.
            with suppress(KeyboardInterrupt, StopIteration):
                cast("Generator[AgentEvent, None, None]", events).throw(KeyboardInterrupt())
            answer.finish()
            self._screen.note("Stopped. What came so far is kept; your next message goes on from there.")
            return STOPPED_EXIT_CODE
        finally:
            answer.finish()
        return self._end(ended)

    def _take(self, event: AgentEvent, answer: _Answer, spinner: Spinner) -> None:
        match event:
            case TextDelta(text):
                spinner.say(WRITING)
                answer.feed(text)
            case ReasoningDelta(text):
                spinner.say(THINKING)
                answer.think(text)
            case Notice(text):
                answer.finish()
                self._screen.note(text)
            case MemorySaved(outcome):
                answer.finish()
                self._screen.show(results.MemorySaved(outcome))
                spinner.say(WAITING)
            case MemoryRefused(key, message):
                answer.finish()
                self._screen.note(f"Not remembered: {message}" if not key else f"Not remembered ({key}): {message}")
                spinner.say(WAITING)
            case CompactionStarted():
                answer.finish()
                spinner.say(COMPACTING)
            case CompactionDone(message=message, pending=pending):
                self._screen.note(message)
                if waiting := pending_line(pending):
                    self._screen.note(waiting)
                spinner.say(WAITING)

    def _end(self, ended: TurnEnded | None) -> int:
        if ended is None or ended.status == "done":
            return 0
        if ended.message:
            self._screen.error(BadResponse(ended.message))
        return STOPPED_EXIT_CODE if ended.status == "stopped" else ClientError.exit_code


class _Answer:
    """The text of one answer, behind the reasoning that led to it."""

    def __init__(self, screen: Screen, thoughts: _Thoughts, *, plain: bool) -> None:
        self._screen = screen
        self._plain = plain
        self._clean = CleanText()
        self._painter: Painter | None = None
        self._thoughts = thoughts

    def think(self, text: str) -> None:
        self._thoughts.feed(text)

    def feed(self, text: str) -> None:
        if self._painter is None:
            self._thoughts.end()
            self._painter = self._new_painter()
        self._painter.feed(self._clean.feed(text))

    @interrupt_held()
    def finish(self) -> None:
        """Print what is left of this stretch of text; a next one begins anew."""
        if self._painter is not None:
            self._painter.feed(self._clean.finish())
            self._painter.finish()
            self._painter = None
        self._thoughts.end()

    def _new_painter(self) -> Painter:
        if self._plain:
            return PlainPainter(self._screen)
        from agentao.shell.terminal.markdown_stream import MarkdownPainter

        return MarkdownPainter(self._screen.output.console(), self._screen.hidden)


class _Thoughts:
    """The reasoning of one turn: a line with its size for each stretch, and all of it for whoever asks."""

    def __init__(
        self, screen: Screen, keep: Callable[[results.Reasoning], None] | None, clock: Callable[[], float]
    ) -> None:
        self._screen = screen
        self._keep = keep
        self._clock = clock
        self._stretch: list[str] = []
        self._began = self._latest = 0.0
        self._kept = results.Reasoning()

    def feed(self, text: str) -> None:
        self._latest = self._clock()
        if not self._stretch:
            self._began = self._latest
        self._stretch.append(text)

    def end(self) -> None:
        """Tell of what was thought since the last word, if anything was."""
        text, self._stretch = "".join(self._stretch), []
        if not text.strip():
            return
        seconds = self._latest - self._began
        before = f"{self._kept.text}\n\n" if self._kept.text else ""
        self._kept = results.Reasoning(before + text, self._kept.seconds + seconds)
        if self._keep is not None:
            self._keep(self._kept)
        if self._screen.terminal:
            hint = "; /reasoning shows it" if self._keep is not None else ""
            self._screen.note(f"(thought for {seconds:.0f} s: {len(text):,} characters{hint})")
