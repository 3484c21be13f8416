"""One command is one typed function: its name, arguments, options, help and examples in one place.

A positional parameter is an argument, a keyword-only one an ``--option``, a default makes it optional, and
``Arg(rest=True)`` takes the rest of the line; with ``text=True`` nothing in it is an option.

A module of commands does not postpone its annotations, and plain data here are named tuples: both keep the build of the
table, which stands between the user and the prompt, at a few milliseconds.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from agentao.errors import UsageError

if TYPE_CHECKING:
    from agentao.shell.context import CommandContext
    from agentao.shell.results import Result

Suggest = Callable[["CommandContext", str], Iterable[tuple[str, str]]]
"""Takes what was typed of the argument; gives (value, description) pairs, best first."""

Kind = Literal["text", "number", "flag", "choice"]
Where = Literal["both", "shell", "line"]
"""Where a command may be given: both, in the running shell only, or on the command line only."""


class Arg(NamedTuple):
    """What an annotation says about a parameter beyond its type."""

    help: str
    rest: bool = False
    text: bool = False
    complete: Suggest | None = None
    metavar: str = ""
    minimum: int | None = None
    about_choices: tuple[str, ...] = ()
    """What each value of a ``Literal`` means, for completion; in its order."""


class Param(NamedTuple):
    """One argument or option of a command, read from its signature."""

    name: str
    kind: Kind
    help: str
    option: bool
    required: bool
    default: Any = None
    rest: bool = False
    text: bool = False
    choices: tuple[str, ...] = ()
    complete: Suggest | None = None
    metavar: str = ""
    minimum: int | None = None
    about_choices: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """``--as-typed``."""
        return "--" + self.name.replace("_", "-")

    @property
    def shown(self) -> str:
        """The name that usage lines show for its value."""
        if self.metavar:
            return self.metavar
        if self.choices:
            return "|".join(self.choices)
        return {"number": "N", "flag": ""}.get(self.kind, self.name.upper())

    @property
    def described(self) -> str:
        """The help, with the values it takes where usage does not name them, and the one it has when not given."""
        choices = f"One of {', '.join(self.choices)}." if self.choices and self.metavar else ""
        default = f"Without it: {self.default}." if self.option and self.default else ""
        return " ".join(filter(None, (self.help, choices, default)))

    @property
    def usage(self) -> str:
        """As it stands in the usage line: ``KEY``, ``[QUERY…]``, ``[--limit N]``."""
        if self.option:
            return f"[{self.flag}]" if self.kind == "flag" else f"[{self.flag} {self.shown}]"
        text = self.shown + ("…" if self.rest else "")
        return text if self.required else f"[{text}]"

    def read(self, typed: str) -> Any:
        """The value of one word.

        Raises:
            UsageError: says what this parameter takes.
        """
        name = self.flag if self.option else self.shown
        if self.kind == "number":
            digits = typed[1:] if typed[:1] == "-" else typed
            if not (digits.isascii() and digits.isdigit()):
                raise UsageError(f"{name} takes a whole number, not {typed!r}.")
            if self.minimum is not None and int(typed) < self.minimum:
                raise UsageError(f"{name} takes a number from {self.minimum} on, not {typed}.")
            return int(typed)
        if self.kind == "choice":
            folded = typed.casefold()
            if folded not in self.choices:
                raise UsageError(f"{name} takes {_or(self.choices)}, not {typed!r}.")
            return folded
        if not typed.strip():
            raise UsageError(f"{name} must not be empty.")
        return typed


class Question(NamedTuple):
    """What a command will do that cannot simply be left undone, and the words that ask for it."""

    text: str
    ask: str = "Go on?"


class Draft(NamedTuple):
    """Text for the user's editor; what comes back fills the parameter ``fills``."""

    text: str
    fills: str
    suffix: str = ".md"


YES = Param("yes", "flag", "Do not ask first.", option=True, required=False, default=False)
PAGER = Param("pager", "flag", "Show it in a pager (less -R).", option=True, required=False, default=False)


class Command(NamedTuple):
    """One command: its words, its parameters, and the function that carries it out."""

    name: str
    run: Callable[..., Result]
    params: tuple[Param, ...]
    summary: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    topic: str = ""
    where: Where = "both"
    confirm: Callable[..., Question | None] | None = None
    draft: Callable[..., Draft | None] | None = None
    busy: str = ""

    @property
    def arguments(self) -> tuple[Param, ...]:
        """The positional parameters, in order."""
        return tuple(param for param in self.params if not param.option)

    @property
    def options(self) -> tuple[Param, ...]:
        """The ``--options``."""
        return tuple(param for param in self.params if param.option)

    @property
    def rest_first(self) -> bool:
        """True when the first argument is the rest of the line: an unknown ``--word`` then begins it."""
        return bool(self.arguments) and self.arguments[0].rest

    @property
    def takes_text(self) -> bool:
        """True when options stand only before the first argument, because free text follows."""
        return any(param.text for param in self.arguments)

    def usage(self, start: str = "/", *, options: bool = True) -> str:
        """One line: ``/memory list [--limit N]``."""
        parts = [param.usage for param in (*(self.options if options else ()), *self.arguments)]
        return " ".join([start + self.name, *parts])


class Call(NamedTuple):
    """A command with the values to run it with. ``yes`` and ``pager`` are for the shell and not passed on."""

    command: Command
    values: dict[str, Any]
    yes: bool = False
    pager: bool = False

    def run(self, ctx: CommandContext) -> Result:
        """Carry it out. Raises what the layers below raise."""
        return self.command.run(ctx, **self.values)

    def question(self, ctx: CommandContext) -> Question | None:
        """What to ask before running it; None when there is nothing to ask or ``--yes`` was given."""
        if self.command.confirm is None or self.yes:
            return None
        return self.command.confirm(ctx, **self.values)

    def draft(self, ctx: CommandContext) -> Draft | None:
        """The text that the user's editor has to fill in first; None when nothing is missing."""
        return None if self.command.draft is None else self.command.draft(ctx, **self.values)

    def filled(self, draft: Draft, text: str) -> Call:
        """The same call with the editor's text in its place."""
        return Call(self.command, {**self.values, draft.fills: text}, self.yes, self.pager)


class Completion(NamedTuple):
    """One suggestion: put ``text`` in place of everything from index ``start`` of the text up to the cursor."""

    text: str
    start: int
    description: str = ""


class Routed(NamedTuple):
    """What one line is. With ``error``, a ``call`` that is not None shows the help that should follow the error."""

    kind: Literal["blank", "text", "command", "error"]
    text: str = ""
    call: Call | None = None
    error: UsageError | None = None


def command(
    name: str,
    *,
    aliases: tuple[str, ...] = (),
    examples: tuple[str, ...] = (),
    topic: str = "",
    where: Where = "both",
    confirm: Callable[..., Question | None] | None = None,
    draft: Callable[..., Draft | None] | None = None,
    pager: bool = False,
    busy: str = "",
) -> Callable[[Callable[..., Result]], Command]:
    """Turn a typed function into a frozen ``Command``. Nothing is registered: the table is an explicit list."""

    def build(run: Callable[..., Result]) -> Command:
        summary, _, description = (run.__doc__ or "").strip().partition("\n")
        extra = ((PAGER,) if pager else ()) + ((YES,) if confirm else ())
        return Command(
            name=name,
            run=run,
            params=_params(run) + extra,
            summary=summary.strip(),
            description="\n".join(" ".join(part.split()) for part in description.strip().split("\n\n")),
            aliases=aliases,
            examples=examples,
            topic=topic or name.split()[0],
            where=where,
            confirm=confirm,
            draft=draft,
            busy=busy,
        )

    return build


def _params(run: Callable[..., Any]) -> tuple[Param, ...]:
    """The parameters after the context, from the code object: ``inspect`` would do the same at ten times the price."""
    code = run.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    positional = names[1 : code.co_argcount]
    defaults = run.__defaults__ or ()
    found: dict[str, Any] = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
    found.update(run.__kwdefaults__ or {})
    params = tuple(
        _param(name, _resolved(run, name), name in found, found.get(name), option=name not in positional)
        for name in names[1:]
    )
    for param in [p for p in params if not p.option][:-1]:
        if param.rest:
            raise TypeError(f"{run.__name__}: {param.name} takes the rest of the line, so it must be the last argument")
    return params


def _resolved(run: Callable[..., Any], name: str) -> Any:
    annotation = run.__annotations__[name]
    return eval(annotation, run.__globals__) if isinstance(annotation, str) else annotation


def _param(name: str, annotation: Any, has_default: bool, default: Any, *, option: bool) -> Param:
    arg = Arg("")
    if typing.get_origin(annotation) is typing.Annotated:
        annotation, arg = annotation.__origin__, annotation.__metadata__[0]
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        inner = [part for part in typing.get_args(annotation) if part is not type(None)]
        if len(inner) != 1:
            raise TypeError(f"parameter {name}: one type, or one type and None")
        annotation = inner[0]
    choices: tuple[str, ...] = ()
    kind: Kind
    if annotation is str:
        kind = "text"
    elif annotation is int:
        kind = "number"
    elif annotation is bool and option:
        kind = "flag"
    elif typing.get_origin(annotation) is Literal:
        kind, choices = "choice", typing.get_args(annotation)
    else:
        raise TypeError(f"parameter {name}: {annotation!r} is not str, int, an option of bool, or Literal")
    if option and not has_default:
        raise TypeError(f"parameter {name}: an option needs a default")
    return Param(
        name=name,
        kind=kind,
        help=arg.help,
        option=option,
        required=not has_default,
        default=default,
        rest=arg.rest,
        text=arg.text,
        choices=choices,
        complete=arg.complete,
        metavar=arg.metavar,
        minimum=arg.minimum,
        about_choices=arg.about_choices,
    )


def _or(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
