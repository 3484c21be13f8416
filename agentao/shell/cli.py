"""The command line: carries out what its words ask for. One of the two error boundaries."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from agentao import __version__
from agentao.config import current_environment, load_settings
from agentao.errors import AgentaoError, StoreError, UsageError
from agentao.shell.log import log_to, masking
from agentao.shell.output import Output
from agentao.shell.terminal.streams import mend_streams, whole_text

if TYPE_CHECKING:
    from agentao.config import Settings
    from agentao.shell.app import Services
    from agentao.shell.command import Question
    from agentao.shell.command_line import Chosen, Start
    from agentao.shell.perform import Edit
    from agentao.shell.results import Result

log = logging.getLogger(__name__)


def main(words: list[str]) -> int:
    """Carry out the words; the exit code."""
    mend_streams()
    logging.getLogger().addHandler(logging.NullHandler())  # a traceback goes to the log file, never to the user
    plain = words[: words.index("--")] if "--" in words else words
    output = Output(None, sys.stdout, sys.stderr, json="--json" in plain, line=True)
    try:
        return _run([whole_text(word) for word in words], output)
    except AgentaoError as exc:
        output.error(exc)
        return exc.exit_code
    except KeyboardInterrupt:
        from agentao.shell.repl import INTERRUPTED

        return INTERRUPTED
    except BrokenPipeError:
        from agentao.shell.repl import BROKEN_PIPE, leave_broken_pipe

        leave_broken_pipe()
        return BROKEN_PIPE
    except Exception as exc:
        from agentao.shell.repl import lose_output, output_fault

        if fault := output_fault(exc):
            return lose_output(fault, output)
        log.exception("the command line failed")
        output.error(
            AgentaoError(f"Something went wrong inside agentao ({type(exc).__name__}); its log has the details.")
        )
        return AgentaoError.exit_code


def _run(words: list[str], output: Output) -> int:
    from agentao.shell.command_line import COMPLETING, COMPLETION, PROGRAM, read, wants_help
    from agentao.shell.commands import TABLE

    if COMPLETING in current_environment():
        from agentao.shell.cli_app import complete

        return complete(words)
    asked = wants_help(words, TABLE)
    if asked is not None:
        from agentao.shell.help_page import help_for

        output.write(help_for(asked, TABLE))
        return 0
    option, equals, shell = (words or [""])[0].partition("=")
    if option in COMPLETION:
        from agentao.shell.cli_app import completion_for

        return completion_for(option, [shell] * bool(equals) + words[1:])
    chosen = read(words, TABLE)
    if chosen.version:
        output.write(f"{PROGRAM} {__version__}")
        return 0
    from agentao.shell.repl import run_with

    settings = settings_of(chosen.start)
    log_to(settings.log_file, masking(settings.model.api_key))
    if chosen.call is not None:
        return _command(chosen, settings, Output(settings, sys.stdout, sys.stderr, json=output.json, line=True))
    if chosen.start.prompt is not None:
        return _one_turn(chosen.start.prompt, settings)
    return run_with(settings)


def settings_of(start: Start) -> Settings:
    """The settings of this start.

    Raises:
        UsageError: a setting is wrong, or the folder is gone.
    """
    from agentao.shell.repl import working_directory

    settings = load_settings(
        current_environment(),
        working_directory(),
        project=start.project,
        memory_on=start.memory_on,
        trust_project=start.trust_project,
    )
    return settings._replace(raw=True) if start.raw else settings


def _command(chosen: Chosen, settings: Settings, output: Output) -> int:
    """One command of the table."""
    from agentao.shell.app import build_services
    from agentao.shell.context import CommandContext
    from agentao.shell.perform import perform
    from agentao.shell.results import Diagnosis

    assert chosen.call is not None
    notices: list[str] = []

    def opened() -> Services:
        # What would last for this run only is lost with this one command.
        services = build_services(settings, must_last=True)
        notices.extend(services.notices())
        return services

    ctx = CommandContext(settings=settings, open_services=opened, in_shell=False, json=chosen.json)
    asks = _is_terminal() and not chosen.json
    try:
        result = perform(chosen.call, ctx, _ask if asks else None, _editor(settings) if asks else None)
        output.result(result, page=chosen.call.pager)
    except StoreError as exc:
        notices = [notice for notice in notices if notice not in str(exc)]
        raise
    finally:
        if ctx.opened is not None:
            if not chosen.json:
                _tell(notices, output)
            ctx.opened.leave()
    return AgentaoError.exit_code if isinstance(result, Diagnosis) and result.failed else 0


def _tell(notices: list[str], output: Output) -> None:
    from agentao.memory.text import visible

    for notice in notices:
        output.err.write(visible(notice) + "\n")


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _ask(question: Question) -> bool:
    """Put the question on standard error: standard output is for the answer."""
    from agentao.shell.perform import means_yes

    sys.stderr.write(f"{question.text}\n{question.ask} [y/N] ")
    sys.stderr.flush()
    try:
        return means_yes(sys.stdin.readline())
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return False


def _editor(settings: Settings) -> Edit:
    from agentao.shell.terminal.programs import edit_text

    return lambda draft: edit_text(draft.text, settings.editor, suffix=draft.suffix)


def _one_turn(question: str, settings: Settings) -> int:
    """One question, one answer. Standard input is added to the question when it is piped."""
    from agentao.shell.app import build_services
    from agentao.shell.terminal.screen import Screen
    from agentao.shell.terminal.turn import TurnView

    class AnswerScreen(Screen):
        """Standard output holds the answer alone where a program reads it."""

        def show(self, result: Result, *, page: bool = False) -> None:
            """Show what happened beside the answer."""
            if self.terminal:
                super().show(result, page=page)
            else:
                Output(settings, sys.stderr, sys.stderr, plain=True, line=True).result(result)

    text = "\n\n".join(part for part in (question.strip(), _piped()) if part)
    if not text:
        raise UsageError('The question is empty. Usage: agentao -p "question"')
    screen = AnswerScreen(Output(settings, sys.stdout, sys.stderr, line=True))
    services = build_services(settings)
    try:
        for notice in services.notices():
            screen.note(notice)
        return TurnView(screen).show(services.agent.run_turn(text), raw=settings.raw)
    finally:
        services.leave()


def _piped() -> str:
    if sys.stdin.isatty():
        return ""
    return whole_text(sys.stdin.buffer.read().decode("utf-8", "replace")).replace("\r\n", "\n").strip()
