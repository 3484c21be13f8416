"""``python -m agentao`` and the console command: the quickest way to the right front door.

``--version`` is answered here; a plain start goes to the prompt without the command-line library, whose import would be
half of the start-up time; everything else is the command line's.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TypedDict

from agentao import __version__

GARBAGE_AFTER_OBJECTS = 50_000
"""Python looks for unreachable cycles after every 700 objects: in a start, whose objects all stay, for a tenth of the
time and in vain."""


class StartOptions(TypedDict, total=False):
    """The options that a plain start may have."""

    project: str
    memory_on: bool
    trust_project: bool


def main() -> int:
    """Run the program with the words of ``sys.argv``; the exit code."""
    words = sys.argv[1:]
    if words == ["--version"]:
        try:
            os.write(1, f"agentao {__version__}\n".encode())
            return 0
        except OSError:
            pass  # the command line tells of it
    gc.set_threshold(GARBAGE_AFTER_OBJECTS)
    try:
        options = None if completing() else start_options(words)
        if options is None:
            from agentao.shell.cli import main as command_line

            return command_line(words)
        from agentao.shell.repl import run

        return run(**options)
    except KeyboardInterrupt:
        return 130


def completing() -> bool:
    """True when the user's shell asks which words could come next."""
    from agentao.config import current_environment

    return "_AGENTAO_COMPLETE" in current_environment()


def start_options(words: list[str]) -> StartOptions | None:
    """What the words say when they ask for the shell and nothing else; None when the command line has to read them."""
    options: StartOptions = {}
    waiting = iter(words)
    for word in waiting:
        if word == "--no-memory":
            options["memory_on"] = False
        elif word == "--trust-project":
            options["trust_project"] = True
        elif word == "--project" or word.startswith("--project="):
            value = next(waiting, "") if word == "--project" else word.partition("=")[2]
            if not value or value.startswith("-"):
                return None
            options["project"] = value
        else:
            return None
    return options


if __name__ == "__main__":
    sys.exit(main())
