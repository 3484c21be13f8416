"""The typer app, generated from the command table: what it reads from the command line's words, and its help.

It only reads. What was chosen comes back as a ``Chosen``; ``cli`` carries it out.
"""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand

from agentao import __version__
from agentao.errors import UsageError
from agentao.shell.arguments import finish, unknown_option
from agentao.shell.command import Call, Command, Param
from agentao.shell.commands import TABLE
from agentao.shell.front_door import GLOBAL_FLAGS, Start, hoist

PROGRAM = "agentao"
START = "agentao "

ABOUT = """\
A terminal agent shell that remembers: notes in SQLite, recalled by themselves.

Without a command the shell starts. With -p one question is answered; text that is piped in is added to it.
The commands below do the same as those of the shell, /memory and so on; --json prints their answers for scripts.
"""

HELP_WIDTH = 100

OWN_OPTIONS = [("--json", "Print the answer as JSON."), ("-h, --help", "Show this page.")]

EPILOG = (
    "Settings: OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL, or config.toml in ~/.agentao (agentao config show). "
    "Exit codes: 0 done, 1 refused or not found, 2 wrong words, 3 a database failed, 4 the model's server failed."
)

_ClickException: type[Exception] = typer.BadParameter.__mro__[2]
"""typer gives no public name to the base of what its parser raises."""


class Chosen(NamedTuple):
    """What the command line asks for: a command, or the shell itself when ``call`` is None."""

    start: Start
    call: Call | None = None
    json: bool = False


class _Reading:
    def __init__(self) -> None:
        self.start = Start()
        self.chosen: Chosen | None = None
        self.entry: Command | None = None


def read(words: list[str]) -> Chosen | int:
    """What the words ask for; an exit code when they were answered already (help, completion).

    Raises:
        UsageError: one line with what is wrong and the usage.
    """
    reading = _Reading()
    app = build(reading)
    if "help" in words[:3] and (at := words.index("help")) in (0, len(words) - 1):
        words = [*words[:at], *words[at + 1 :], "--help"]
    try:
        code = app(args=hoist(words, TABLE), prog_name=PROGRAM, standalone_mode=False)
    except _ClickException as exc:
        raise _usage_error(exc, words) from None
    if reading.chosen is not None:
        return reading.chosen
    return code if isinstance(code, int) else 0


def build(reading: _Reading) -> typer.Typer:
    """The app: groups and commands in the order of the table."""
    app = typer.Typer(
        name=PROGRAM,
        help=ABOUT,
        epilog=EPILOG,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback(invoke_without_command=True)(_root(reading))
    groups: dict[str, typer.Typer] = {"": app}
    for entry in TABLE:
        if entry.where == "shell":
            continue
        for name in (entry.name, *entry.aliases):
            _add(reading, groups, entry, name, hidden=name != entry.name)
    return app


def _add(reading: _Reading, groups: dict[str, typer.Typer], entry: Command, name: str, *, hidden: bool) -> None:
    *above, word = name.split()
    path = " ".join(above)
    if path not in groups:
        default = TABLE.get(path)
        group = typer.Typer(
            name=above[-1], help=_about_group(path, default), rich_markup_mode=None, pretty_exceptions_enable=False
        )
        if default is not None:
            group.callback(invoke_without_command=True)(_function(reading, default, within=True))
        else:
            group.callback()(lambda: None)
        groups[" ".join(above[:-1])].add_typer(group)
        groups[path] = group
    if any(each.name.startswith(name + " ") for each in TABLE):
        return  # a command with commands below it is their group
    groups[path].command(
        name=word,
        cls=_page(entry),
        short_help=entry.summary,
        hidden=hidden,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "allow_interspersed_args": not entry.takes_text,
            "ignore_unknown_options": entry.rest_first,
        },
    )(_function(reading, entry))


def _about_group(path: str, default: Command | None) -> str:
    if default is None:
        return {"config": "The settings."}.get(path, "")
    return f"{default.summary} The commands below do more." if path != "memory" else "Look at and change memories."


def _root(reading: _Reading) -> Callable[..., None]:
    def root(
        ctx: typer.Context,
        prompt: str = typer.Option("", "--prompt", "-p", metavar="QUESTION", help="Answer one question and end."),
        project: str = typer.Option("", metavar="DIR", help="Work on the project in this folder."),
        no_memory: bool = typer.Option(False, "--no-memory", help=GLOBAL_FLAGS["--no-memory"]),
        trust_project: bool = typer.Option(False, "--trust-project", help=GLOBAL_FLAGS["--trust-project"]),
        raw: bool = typer.Option(False, "--raw", help=GLOBAL_FLAGS["--raw"]),
        version: bool = typer.Option(False, "--version", help="Show the version and end."),
    ) -> None:
        if version:
            typer.echo(f"{PROGRAM} {__version__}")
            raise typer.Exit
        given = ctx.get_parameter_source("prompt")
        asked = prompt if given is not None and given.name != "DEFAULT" else None
        reading.start = Start(project or None, not no_memory, trust_project, raw, asked)
        if ctx.invoked_subcommand is None:
            reading.chosen = Chosen(reading.start)

    return root


def _function(reading: _Reading, entry: Command, *, within: bool = False) -> Callable[..., None]:
    """A function with the signature that typer reads; it notes what was chosen."""

    def run(**values: Any) -> None:
        ctx = values.pop("ctx", None)
        if ctx is not None and ctx.invoked_subcommand is not None:
            return
        json = bool(values.pop("json", False))
        reading.entry = entry
        reading.chosen = Chosen(reading.start, call_of(entry, values), json)

    parameters = [_parameter(param) for param in entry.params if not (within and not param.option)]
    parameters.append(
        inspect.Parameter(
            "json",
            inspect.Parameter.KEYWORD_ONLY,
            default=typer.Option(False, "--json", help="Print the answer as JSON."),
            annotation=bool,
        )
    )
    if within:
        parameters.insert(0, inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context))
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
            help=_described(param),
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


def _described(param: Param) -> str:
    if param.choices and param.metavar:
        return f"{param.help} One of {', '.join(param.choices)}."
    return param.help


def _offer(param: Param) -> Callable[[str], list[str]]:
    def offer(incomplete: str) -> list[str]:
        return [choice for choice in param.choices if choice.startswith(incomplete)]

    return offer


def call_of(entry: Command, given: dict[str, Any]) -> Call:
    """The call that the values which typer read stand for.

    Raises:
        UsageError: a value does not fit its parameter.
    """
    values: dict[str, Any] = {}
    try:
        for param in entry.params:
            value = given.get(param.name)
            if isinstance(value, list | tuple):
                value = " ".join(value)
            if value is None or (value == "" and not param.option and not param.required):
                values[param.name] = param.default
            elif param.kind == "flag":
                values[param.name] = value
            else:
                values[param.name] = param.read(value)
        for param in entry.arguments:
            if param.required and not str(values[param.name] or "").strip():
                raise UsageError(f"{param.shown} is missing.")
    except UsageError as exc:
        raise UsageError(f"{exc} Usage: {entry.usage(START)}") from None
    return finish(entry, values)


def _page(entry: Command) -> type[TyperCommand]:
    class Page(TyperCommand):
        """A command whose help is made like that of the shell."""

        def get_help(self, ctx: Any) -> str:
            """The whole page."""
            return help_page(entry)

    return Page


def help_page(entry: Command) -> str:
    """What ``agentao memory list --help`` prints: usage, what it does, arguments, options, examples."""
    width = min(HELP_WIDTH, shutil.get_terminal_size().columns)
    options = [*((param.usage.strip("[]"), _described(param)) for param in entry.options), *OWN_OPTIONS]
    arguments = [(param.shown, _described(param)) for param in entry.arguments]
    examples = [START + example.lstrip("/").removeprefix(START) for example in entry.examples]
    parts = [
        textwrap.fill(f"Usage: {entry.usage(START)} [--json]", width, subsequent_indent=" " * 8),
        _indented(entry.summary, width),
        _indented(" ".join(entry.description.split()), width) if entry.description else "",
        _listed("Arguments:", arguments, width) if arguments else "",
        _listed("Options:", options, width),
        "Examples:\n" + "\n".join(f"  {example}" for example in examples),
    ]
    return "\n\n".join(part for part in parts if part)


def _indented(words: str, width: int) -> str:
    return textwrap.fill(words, width, initial_indent="  ", subsequent_indent="  ")


def _listed(heading: str, entries: list[tuple[str, str]], width: int) -> str:
    wide = max(len(name) for name, _ in entries)
    rows = [heading]
    for name, about in entries:
        lead = f"  {name:<{wide}}  "
        if width < len(lead) + 24:
            rows += [f"  {name}", textwrap.fill(about, width, initial_indent=" " * 6, subsequent_indent=" " * 6)]
        else:
            rows.append(textwrap.fill(about, width, initial_indent=lead, subsequent_indent=" " * len(lead)))
    return "\n".join(rows)


def _usage_error(exc: Exception, words: list[str]) -> UsageError:
    """One line, with the usage of the command that was meant."""
    ctx = getattr(exc, "ctx", None)
    path = (ctx.command_path if ctx else PROGRAM).removeprefix(PROGRAM).strip()
    typed = [word for word in words if not word.startswith("-")]
    entry = TABLE.get(path) if path else TABLE.match(" ".join(typed))[0]
    kind, message = type(exc).__name__, str(getattr(exc, "message", "") or exc)
    if message.startswith("No such command") or kind == "NoSuchCommand":
        at = typed.index(path.split()[0]) if path and path.split()[0] in typed else 0
        return TABLE.unknown(" ".join(typed[at:]), START)
    param = getattr(exc, "param", None)
    if kind == "MissingParameter" and param is not None:
        message = f"{(param.metavar or param.name).rstrip('…')} is missing."
    elif option := re.fullmatch(r"No such option:? '?(-[^ ']*)'?.*", message):
        message = unknown_option(option[1], [each.flag for each in entry.options] if entry else [])
    elif option := re.match(r"Option '(-[^']*)' requires", message):
        message = f"{option[1]} needs a value."
    elif extra := re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message):
        message = f"{extra[1].split()[0]!r} is one word too many."
    elif kind == "NoArgsIsHelpError" or message.startswith("Missing command"):
        message = f"A command is missing after {ctx.command_path if ctx else PROGRAM}."
    usage = entry.usage(START) if entry is not None else f"{PROGRAM} [OPTIONS] [COMMAND]; {PROGRAM} --help tells more"
    return UsageError(f"{' '.join(message.split())} Usage: {usage}")
