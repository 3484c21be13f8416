"""The standard streams as the program needs them: present, and never the cause of an encoding error."""

from __future__ import annotations

import codecs
import io
import os
import sys

ASCII = "ascii"
"""As ``codecs.lookup`` names it; asking for it would import the codec."""


def mend_streams() -> None:
    """Open what is closed, and let every stream take every character.

    A stream of a locale without an encoding (ASCII) becomes UTF-8, which is what terminals speak; any other encoding is
    kept, and what it lacks is shown as a replacement. A closed descriptor is filled first, before a database could get
    its number; standard output with what cannot be written, so that no answer is lost without a word.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
    sys.stdin = sys.stdin or io.TextIOWrapper(open(0, "rb", closefd=False), encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or io.TextIOWrapper(open(1, "wb", closefd=False), encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or io.TextIOWrapper(open(2, "wb", closefd=False), encoding="utf-8")  # noqa: SIM115
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "replace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            ascii_only = codecs.lookup(stream.encoding).name == ASCII
            stream.reconfigure(encoding="utf-8" if ascii_only else None, errors=errors)


def whole_text(text: str) -> str:
    """``text`` with U+FFFD for everything that no file and no server takes: stray bytes and halves of characters."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
