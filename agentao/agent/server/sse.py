"""Server-sent events: bytes in pieces of any size → (event name, data).

Read by our own few lines because the openai package decodes strictly: one bad byte would end the turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from agentao.errors import BadResponse


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Split at LF, CR and CRLF; the rest after the last line break is a line too."""
    buffer = bytearray()
    after_cr = False
    for piece in pieces:
        if after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
            after_cr = False
        if not piece:
            continue
        after_cr = piece.endswith(b"\r")
        if b"\n" not in piece and b"\r" not in piece:
            buffer += piece
            continue
        first, *rest = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        yield bytes(buffer) + first
        buffer.clear()
        if rest:
            yield from rest[:-1]
            buffer += rest[-1]
    if buffer:
        yield bytes(buffer)


def events(pieces: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Yield each event's name and data. Comments are skipped, bad bytes become U+FFFD, a bare JSON line is an event."""
    name = ""
    data: list[str] = []
    for raw in _lines(pieces):
        line = raw.decode("utf-8", "replace")
        if not line:
            if data:
                yield name, "\n".join(data)
            name, data = "", []
        elif line.startswith("{"):
            yield name, line
        elif not line.startswith(":"):
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "event":
                name = value
            elif field.removeprefix("\ufeff") == "data":
                data.append(value)
    if data:
        yield name, "\n".join(data)


DONE: dict[str, Any] = {"done": True}
"""Stands for the ``[DONE]`` at the end of a stream."""


def chunks(content_type: str, pieces: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield each JSON object of an answer, ``DONE`` for the end mark; a server that did not stream gives one object.

    Raises:
        BadResponse: the answer is a web page or no JSON.
    """
    kind = content_type.casefold()
    if "html" in kind:
        raise BadResponse("a web page came in place of an answer" + _title(b"".join(pieces)))
    if "json" in kind and "stream" not in kind and "ndjson" not in kind:
        yield _parsed(b"".join(pieces).decode("utf-8", "replace"))
        return
    for name, data in events(pieces):
        data = data.strip()
        if data.startswith("[DONE]"):
            yield DONE
        elif data:
            parsed = _parsed(data)
            yield {"error": parsed} if name == "error" and "error" not in parsed else parsed


def _parsed(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise BadResponse(f"no JSON came: {text[:80]!r}") from None
    if not isinstance(data, dict):
        raise BadResponse(f"no JSON object came: {text[:80]!r}")
    return data


def _title(page: bytes) -> str:
    found = re.search(rb"<title[^>]*>(.*?)</title>", page, re.IGNORECASE | re.DOTALL)
    return f" ({' '.join(found[1].decode('utf-8', 'replace').split())})" if found else ""
