"""The pages that ``--help`` prints, made from the command table without the command-line library: there at once."""

from __future__ import annotations

import shutil
import textwrap

from agentao.shell.command import Command
from agentao.shell.command_line import FLAGS, PROGRAM, START, as_typed
from agentao.shell.table import CommandTable

HELP_WIDTH = 100

ABOUT = """\
A terminal agent shell that remembers: notes in SQLite, recalled by themselves.

Without a command the shell starts. With -p one question is answered; text that is piped in is added to it.
The commands below do the same as those of the shell, /memory and so on; --json prints their answers for scripts.
"""

EPILOG = (
    "Settings: OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL, or config.toml in ~/.agentao (agentao config show). "
    "Exit codes: 0 done, 1 refused or not found, 2 wrong words, 3 a database failed, 4 the model's server failed."
)

ABOUT_GROUPS = {"memory": "Look at and change memories.", "config": "The settings."}

START_OPTIONS = [
    ("-p, --prompt QUESTION", "Answer one question and end."),
    ("--project DIR", "Work on the project in this folder."),
    *FLAGS.items(),
    ("--version", "Show the version and end."),
    ("--install-completion [SHELL]", "Complete commands in your shell (bash, zsh, fish) from now on."),
    ("--show-completion [SHELL]", "Print that completion, to copy or change it."),
    ("-h, --help", "Show this page."),
]

OWN_OPTIONS = [("--json", "Print the answer as JSON."), ("-h, --help", "Show this page.")]


def help_for(words: list[str], table: CommandTable) -> str:
    """The page of what the words name: a command, a group, or the program.

    Raises:
        UsageError: nothing is called so.
    """
    named = [word for word in words if not word.startswith("-")]
    entry, count = table.named(named)
    name = " ".join(word.lower() for word in named)
    if not named:
        return program_page(table)
    if table.has_below(name):
        return group_page(name, table)
    if entry is None or entry.where == "shell" or table.is_slip(named[:count], named[count:]):
        raise table.unknown(" ".join(named), START)
    return help_page(entry, table)


def program_page(table: CommandTable) -> str:
    """What ``agentao --help`` prints."""
    width = _width()
    shown = [entry for entry in table if entry.where != "shell"]
    groups: dict[str, str] = {}
    for entry in shown:
        word = entry.name.split()[0]
        groups[word] = about_group(word) if table.has_below(word) else entry.summary
    return "\n\n".join(
        [
            f"Usage: {PROGRAM} [OPTIONS] [COMMAND]",
            *(_indented(" ".join(part.split()), width) for part in ABOUT.strip().split("\n\n")),
            _listed("Options:", START_OPTIONS, width),
            _listed("Commands:", list(groups.items()), width),
            _indented(EPILOG, width),
        ]
    )


def group_page(name: str, table: CommandTable) -> str:
    """What ``agentao memory --help`` prints: its commands, and the options of the command it stands for alone."""
    width = _width()
    default = table.get(name)
    below = [entry for entry in table if entry.name.startswith(name + " ") and entry.where != "shell"]
    rows = [
        (entry.usage("", options=False).removeprefix(name + " "), as_typed(entry.summary, table)) for entry in below
    ]
    alone = ""
    if default is not None:
        alone = (
            f"Alone: {default.summary}" if default.name == name else f"Alone it does the same as {START}{default.name}."
        )
    return "\n\n".join(
        part
        for part in (
            f"Usage: {START}{name} [COMMAND]",
            _indented(f"{about_group(name)} {alone}".strip(), width),
            _listed("Commands:", rows, width),
            _indented(f"{START}{name} COMMAND --help tells more about one of them.", width),
        )
        if part
    )


def about_group(name: str) -> str:
    """What the commands of a group are for."""
    return ABOUT_GROUPS.get(name, "Candidates for memories, found in what you said.")


def _width() -> int:
    return min(HELP_WIDTH, shutil.get_terminal_size().columns)


def help_page(entry: Command, table: CommandTable) -> str:
    """What ``agentao memory list --help`` prints: usage, what it does, arguments, options, examples."""
    width = _width()
    options = [*((param.usage.strip("[]"), param.described) for param in entry.options), *OWN_OPTIONS]
    arguments = [(param.shown, param.described) for param in entry.arguments]
    examples = [START + example.lstrip("/").removeprefix(START) for example in entry.examples]
    summary, description = (as_typed(words, table) for words in (entry.summary, " ".join(entry.description.split())))
    parts = [
        textwrap.fill(f"Usage: {entry.usage(START)} [--json]", width, subsequent_indent=" " * 8),
        _indented(summary, width),
        _indented(description, width) if description else "",
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
