"""The shell itself: help and the way out."""

from typing import TYPE_CHECKING, Annotated

from agentao.errors import UsageError
from agentao.shell.command import Arg, Command, command
from agentao.shell.commands.complete import command_names
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.shell.results import HelpCommand, HelpTopics, Leave

TOPICS = {
    "memory": "What is remembered",
    "change": "Changing what is remembered",
    "review": "Candidates found in what you said",
    "files": "Moving and keeping safe",
    "conversation": "This conversation",
    "model": "The model",
    "shell": "The shell",
}
"""The headings of /help, in order."""

KEYS = (
    ("Enter", "Send."),
    ("Alt-Enter, or \\ Enter", "Begin another line."),
    ("Tab", "Complete a command, an option, a title."),
    ("Right", "Take the suggestion behind the cursor."),
    ("Up, Down", "Earlier lines; what you typed is kept."),
    ("Ctrl-R", "Search earlier lines."),
    ("Ctrl-X Ctrl-E", "Go on in your editor, then come back."),
    ("Ctrl-C", "Clear the input; stop an answer."),
    ("Ctrl-L", "Clear the screen."),
    ("Ctrl-Z", "Stop; fg brings it back."),
    ("Ctrl-D", "Leave, where nothing is typed."),
)
"""What /help keys shows."""


@command(
    "help",
    aliases=("?", "帮助"),
    topic="shell",
    where="shell",
    examples=("/help", "/help memory delete", "/help undo", "/help keys"),
)
def help_command(
    ctx: CommandContext,
    words: Annotated[str | None, Arg("A command, or a word such as undo.", rest=True, complete=command_names)] = None,
) -> "HelpTopics | HelpCommand":
    """Show all commands, or one with examples."""
    from agentao.shell.commands import TABLE
    from agentao.shell.results import HelpCommand, HelpLine, HelpTopics

    def line(entry: Command) -> HelpLine:
        return HelpLine(entry.usage(), entry.summary)

    asked = (words or "").strip().lstrip("/／、").strip()
    if not asked:
        topics = tuple(
            (heading, tuple(line(entry) for entry in TABLE if entry.topic == topic and entry.where != "line"))
            for topic, heading in TOPICS.items()
        )
        return HelpTopics(
            tuple(topic for topic in topics if topic[1]),
            (
                'Most used: "remember that …", without a slash, saves, and a question brings it up. /memory lists, '
                "/memory search WORDS finds, /memory delete TITLE removes, /memory undo takes the last change back.",
                "/help memory delete tells more about one command, /help keys lists the keys.",
            ),
        )
    if asked.casefold() in ("keys", "按键"):
        found = tuple(HelpLine(key, about) for key, about in KEYS)
        return HelpTopics((("Keys at the prompt", found),), ("vi_mode = true under [shell] in config.toml: vi keys.",))
    entry, matched, rest = TABLE.match(asked)
    if entry is None:
        about = TABLE.about(asked)
        if len(about) > 1:
            found = tuple(line(each) for each in about)
            return HelpTopics(((f'Commands about "{asked}"', found),), ("/help NAME tells more about one of them.",))
        entry, rest = (about[0], "") if about else (None, rest)
    if entry is None or rest:
        near = [f"/help {name}" for name in TABLE.near(asked)]
        tail = f"Did you mean {' or '.join(near)}?" if near else "/help lists all commands."
        raise UsageError(f"No command is called {asked!r}. {tail}")
    if matched in TABLE.groups:
        under = tuple(line(each) for each in TABLE.under(matched))
        return HelpTopics(((f"/{matched}", under),), (f"/help {matched} WORD tells more about one of them.",))
    deeper = [each for each in TABLE if each.name.startswith(entry.name + " ")]
    return HelpCommand(
        usage=entry.usage("/" if entry.where != "line" else "agentao "),
        summary=entry.summary,
        description=entry.description,
        arguments=tuple((param.shown, param.described) for param in entry.arguments),
        options=tuple((param.usage.strip("[]"), param.described) for param in entry.options),
        examples=entry.examples,
        aliases=tuple("/" + alias for alias in entry.aliases),
        under=tuple(line(each) for each in deeper),
    )


@command("memory help", topic="memory", where="shell", examples=("/memory help",))
def memory_help(ctx: CommandContext) -> "HelpTopics | HelpCommand":
    """Show every memory command in one line."""
    result: HelpTopics | HelpCommand = help_command.run(ctx, words="memory")  # type: ignore[assignment]
    return result


@command("exit", aliases=("quit", "q", "退出"), topic="shell", where="shell", examples=("/exit",))
def exit_command(ctx: CommandContext) -> "Leave":
    """Leave the shell; so does Ctrl-D."""
    from agentao.shell.results import Leave

    return Leave()
