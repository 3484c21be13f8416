"""The typer app, generated from the command table, for completion in the user's own shell.

What the words of a command line ask for is read by ``command_line``, help is printed by ``help_page``; the functions
here are never called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import typer
from typer._completion_shared import get_completion_script, install

from agentao.config import current_environment, load_settings
from agentao.errors import AgentaoError, UsageError
from agentao.shell.command import Command, Param, Suggest
from agentao.shell.command_line import COMPLETING, FLAGS, PROGRAM, USAGE
from agentao.shell.commands import TABLE
from agentao.shell.commands.memory_files import file_names
from agentao.shell.context import CommandContext
from agentao.shell.help_page import about_group
from agentao.shell.repl import working_directory

_ClickException: type[Exception] = typer.BadParameter.__mro__[2]
"""typer gives no public name to the base of what its parser raises."""

SHELLS = ("bash", "zsh", "fish")

UNSAFE = dict.fromkeys(map(ord, "\"'\\$`"))
"""typer's script has zsh evaluate what is offered, and does not escape all of these well: no stored text may become a
command."""


def complete(words: list[str]) -> int:
    """Install or show the completion script, or answer the user's shell; the exit code.

    Raises:
        UsageError: typer refuses the words.
    """
    try:
        code = build()(args=words, prog_name=PROGRAM, standalone_mode=False)
    except _ClickException as exc:
        raise UsageError(f"{getattr(exc, 'message', '') or exc} {USAGE}") from None
    return code if isinstance(code, int) else 0


def completion_for(option: str, names: list[str]) -> int:
    """Install or show the completion script of the shell that is named, or else of the one in use; the exit code.

    Raises:
        UsageError: no such shell has a script.
    """
    if not names:
        return complete([option])
    (shell, *more) = names
    if more or shell not in SHELLS:
        raise UsageError(f"{option} knows {', '.join(SHELLS)}. Usage: {PROGRAM} {option} [{'|'.join(SHELLS)}]")
    if option == "--show-completion":
        typer.echo(get_completion_script(prog_name=PROGRAM, complete_var=COMPLETING, shell=shell))
        return 0
    _, path = install(shell, PROGRAM, COMPLETING)
    typer.echo(f"{shell} completion installed in {path}\nCompletion will take effect once you restart the terminal")
    return 0


def build() -> typer.Typer:
    """The app: groups and commands in the order of the table."""
    app = typer.Typer(name=PROGRAM, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback(invoke_without_command=True)(_root)
    groups: dict[str, typer.Typer] = {"": app}
    for entry in TABLE:
        if entry.where == "shell":
            continue
        for name in (entry.name, *entry.aliases):
            _add(groups, entry, name, hidden=name != entry.name)
    return app


def _add(groups: dict[str, typer.Typer], entry: Command, name: str, *, hidden: bool) -> None:
    *above, word = name.split()
    path = " ".join(above)
    if path not in groups:
        default = TABLE.get(path)
        assert default is not None, f"the table names no command for {path!r} alone"
        about = about_group(path)
        group = typer.Typer(name=above[-1], help=about, rich_markup_mode=None, pretty_exceptions_enable=False)
        group.callback(invoke_without_command=True)(_function(default, within=True))
        groups[" ".join(above[:-1])].add_typer(group)
        groups[path] = group
    if any(each.name.startswith(name + " ") for each in TABLE):
        return  # a command with commands below it is their group
    groups[path].command(
        name=word,
        help=entry.summary,
        hidden=hidden,
    )(_function(entry))


def _root(
    prompt: str = typer.Option(None, "--prompt", "-p", metavar="QUESTION", help="Answer one question and end."),
    project: str = typer.Option(None, metavar="DIR", help="Work on the project in this folder."),
    no_memory: bool = typer.Option(False, "--no-memory", help=FLAGS["--no-memory"]),
    trust_project: bool = typer.Option(False, "--trust-project", help=FLAGS["--trust-project"]),
    raw: bool = typer.Option(False, "--raw", help=FLAGS["--raw"]),
    version: bool = typer.Option(False, "--version", help="Show the version and end."),
) -> None:
    pass


def _function(entry: Command, *, within: bool = False) -> Callable[..., None]:
    """A function with the signature that typer reads."""

    def run(**values: Any) -> None:
        pass

    parameters = [_parameter(param) for param in entry.params if not (within and not param.option)]
    json = typer.Option(False, "--json", help="Print the answer as JSON.")
    parameters.append(inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=json, annotation=bool))
    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__name__ = entry.name.replace(" ", "_")
    return run


def _parameter(param: Param) -> inspect.Parameter:
    """Words stay words here: ``Param.read`` checks them, with the same messages as in the shell."""
    default: Any
    annotation: Any
    if param.kind == "flag":
        default, annotation = typer.Option(False, param.flag, help=param.help), bool
    elif param.option:
        default = typer.Option(
            None,
            param.flag,
            help=param.described,
            metavar=param.shown,
            show_default=False,
            autocompletion=_offer(param),
        )
        annotation = str
    else:
        default = typer.Argument(
            ... if param.required else None,
            metavar=param.shown + ("…" if param.rest else ""),
            help=param.help,
            show_default=False,
            autocompletion=_offer(param),
        )
        annotation = list[str] if param.rest else str
    return inspect.Parameter(param.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _offer(param: Param) -> Callable[[str], list[tuple[str, str]]]:
    """What typer calls with the word so far. Files are left to the user's shell, which is better at them."""

    def offer(incomplete: str) -> list[tuple[str, str]]:
        if param.choices:
            about = zip_longest(param.choices, param.about_choices, fillvalue="")
            return [(choice, words) for choice, words in about if choice.startswith(incomplete)]
        return _stored(param.complete, incomplete) if param.complete not in (None, file_names) else []

    return offer


def _stored(suggest: Suggest, incomplete: str) -> list[tuple[str, str]]:
    """What the stores know, of which none is made for it; nothing where they cannot be asked."""
    from agentao.memory.store import SQLiteMemoryStore
    from agentao.memory.text import visible
    from agentao.shell.app import Services

    try:
        settings = load_settings(current_environment(), working_directory())
        files = {settings.project_db: False, settings.user_db: True}
        stores = [SQLiteMemoryStore.open(path, links=links) for path, links in files.items() if path.exists()]
        if not stores:
            return []
        services = Services(settings, *stores)
        try:
            found = ((visible(value), visible(about)) for value, about in suggest(CommandContext(services), incomplete))
            return [(value, about.translate(UNSAFE)) for value, about in found if value == value.translate(UNSAFE)]
        finally:
            services.leave()
    except AgentaoError:
        return []
