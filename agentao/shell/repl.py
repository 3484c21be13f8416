"""The running shell: reads a line, routes it, shows what comes back. One of the two error boundaries."""

from __future__ import annotations

import errno
import logging
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentao.config import current_environment, load_settings
from agentao.errors import AgentaoError, UsageError
from agentao.shell.app import Services, build_services
from agentao.shell.context import CommandContext, ShellState
from agentao.shell.log import log_to, masking
from agentao.shell.output import Output
from agentao.shell.terminal.screen import Screen
from agentao.shell.terminal.signals import Ended
from agentao.shell.terminal.streams import mend_streams, whole_text

if TYPE_CHECKING:
    from agentao.config import Settings
    from agentao.shell.command import Call, Routed
    from agentao.shell.perform import Ask, Edit
    from agentao.shell.results import Reasoning

log = logging.getLogger(__name__)

INTERRUPTED = 130
BROKEN_PIPE = 141
"""What shells report for a program that SIGINT, or SIGPIPE, has ended."""

NOTHING_TAKEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


class Done(NamedTuple):
    """How one line went: its exit code, whether it ends the shell, and text for the user to go on with."""

    code: int = 0
    leave: bool = False
    draft: str = ""


class Shell:
    """Carries out one line after the other, and outlives everything that goes wrong in one."""

    def __init__(self, services: Services, screen: Screen, *, ask: Ask | None = None, edit: Edit | None = None) -> None:
        """``ask`` and ``edit`` are None where nobody can be asked."""
        self.services = services
        self.screen = screen
        self._ask = ask
        self._edit = edit
        self._state = ShellState(raw=services.settings.raw)
        self.ctx = CommandContext(services, state=self._state)

    def handle(self, line: str) -> Done:
        """Carry out one line. Raises nothing but what ends the program."""
        return self.carry_out(route(line))

    def carry_out(self, routed: Routed) -> Done:
        """Carry out a line that was routed before. Raises nothing but what ends the program."""
        try:
            return self._carry_out(routed)
        except AgentaoError as exc:
            self.screen.error(exc)
            return Done(exc.exit_code)
        except KeyboardInterrupt:
            self.screen.note("Stopped.")
            return Done(INTERRUPTED)
        except BrokenPipeError:
            raise
        except Exception as exc:
            if output_fault(exc):
                raise
            log.exception("a line failed")
            self.screen.error(unexpected(exc, self.services.settings))
            return Done(AgentaoError.exit_code)

    def _carry_out(self, routed: Routed) -> Done:
        if routed.kind == "blank":
            return Done()
        if routed.kind == "text":
            from agentao.shell.terminal.turn import TurnView

            self._state.reasoning = None
            events = self.services.agent.run_turn(routed.text)
            return Done(TurnView(self.screen, self._keep).show(events, raw=self._state.raw))
        if routed.error is not None:
            self.screen.error(routed.error)
            if routed.call is not None:
                self.screen.show(routed.call.run(self.ctx))
            return Done(routed.error.exit_code)
        assert routed.call is not None
        return self._command(routed.call)

    def _keep(self, reasoning: Reasoning) -> None:
        self._state.reasoning = reasoning

    def _command(self, call: Call) -> Done:
        from agentao.shell import results
        from agentao.shell.perform import perform

        with self.screen.busy(call.command.busy):
            result = perform(call, self.ctx, self._ask, self._edit)
        if isinstance(result, results.Leave):
            return Done(leave=True)
        if isinstance(result, results.EditDraft):
            from agentao.shell.command import Draft

            if self._edit is None:
                raise UsageError("/edit needs a terminal.")
            return Done(draft=(self._edit(Draft("", "text")) or "").rstrip("\n"))
        self.screen.show(result, page=call.pager)
        return Done()


def route(line: str) -> Routed:
    """What one line of input is."""
    from agentao.shell.commands import TABLE

    return TABLE.route(whole_text(line))


def run(project: str | None = None, *, memory_on: bool = True, trust_project: bool = False) -> int:
    """Run the shell on the standard streams, as a terminal or as a filter; the exit code."""
    mend_streams()
    output = Output(None, sys.stdout, sys.stderr)
    settings: Settings | None = None
    try:
        settings = load_settings(
            current_environment(),
            working_directory(),
            project=project,
            memory_on=memory_on,
            trust_project=trust_project,
        )
        return run_with(settings)
    except AgentaoError as exc:
        output.error(exc)
        return exc.exit_code
    except Ended as exc:
        return int(exc.code or 0)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        leave_broken_pipe()
        return BROKEN_PIPE
    except Exception as exc:
        if fault := output_fault(exc):
            return lose_output(fault, output)
        log.exception("the shell failed")
        output.error(unexpected(exc, settings))
        return AgentaoError.exit_code


def run_with(settings: Settings) -> int:
    """Run the shell with these settings, in the way that the standard streams allow."""
    log_to(settings.log_file, masking(settings.model.api_key))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return run_lines(settings)
    from agentao.shell.terminal.interactive import run_terminal

    return run_terminal(settings)


def run_lines(settings: Settings) -> int:
    """Run every line of standard input; the exit code of the first that failed.

    Lines may come from a terminal too, where only the answers go elsewhere (``agentao | tee talk.md``).
    """
    screen = Screen(Output(settings, sys.stdout, sys.stderr, plain=True))
    services = build_services(settings)
    try:
        for notice in services.notices():
            screen.note(notice)
        if sys.stdin.isatty():
            screen.note("Type a line and press Enter; the answers go to standard output. Ctrl-D ends.")
        return _run_all(Shell(services, screen), sys.stdin.buffer)
    finally:
        services.leave()


def _run_all(shell: Shell, lines: Iterable[bytes]) -> int:
    code = 0
    empty = True
    for line in lines:
        empty = False
        done = shell.handle(line.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n"))
        code = code or done.code
        if done.leave:
            break
    if empty and not sys.stdin.isatty():
        shell.screen.note("Standard input was empty, so there was nothing to do. agentao --help tells more.")
    return code


def working_directory() -> Path:
    """Where the program was started.

    Raises:
        UsageError: the folder is gone.
    """
    try:
        return Path.cwd()
    except OSError as exc:
        raise UsageError(
            f"The working directory cannot be used ({exc.strerror}); go to another and start again."
        ) from None


def unexpected(exc: Exception, settings: Settings | None) -> AgentaoError:
    """What the user reads when something fails that nobody foresaw."""
    place = f" The details are in {settings.log_file}." if settings else ""
    return AgentaoError(f"Something went wrong inside agentao ({type(exc).__name__}).{place} The shell goes on.")


def output_fault(exc: Exception) -> OSError | None:
    """The exception, if standard output took nothing (a full disk, a closed descriptor, a terminal that is gone)."""
    if not isinstance(exc, OSError) or exc.filename is not None:  # whatever opens a file names it
        return None
    return exc if exc.errno in NOTHING_TAKEN else None


def lose_output(fault: OSError, output: Output) -> int:
    """Say that standard output takes nothing, as far as anybody can be told; the exit code."""
    leave_broken_pipe()
    with suppress(OSError):
        output.error(AgentaoError(f"standard output: {fault.strerror}"))
    return AgentaoError.exit_code


def leave_broken_pipe() -> None:
    """Nobody takes standard output any more; the interpreter must not complain of it when it ends."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
