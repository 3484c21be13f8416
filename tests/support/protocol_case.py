"""One script of a server and what must come of it, and what such scripts are made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agentao.errors import ClientError
from tests.support import fake_openai as fake
from tests.support.fake_openai import Step, chunk, stream

UV = {"key": "package_manager", "value": "uv"}
VIM = {"key": "user_editor", "value": "nvim"}
UV_JSON, VIM_JSON = json.dumps(UV), json.dumps(VIM)
BOTH = {"package_manager": "uv", "user_editor": "nvim"}
SPOKEN = "你好🌍 — grüße"


@dataclass(frozen=True)
class Case:
    """One script and what must come of it."""

    name: str
    script: Sequence[Step]
    status: str = "done"
    text: str | None = None
    """The answer shown, all requests together."""
    saved: dict[str, str] | None = None
    """Key → value of every memory afterwards."""
    requests: int | None = None
    strict: Sequence[str] = ("*",)
    error: type[ClientError] | None = None
    says: str = ""
    """Words that must stand in the turn's end, a notice, a refusal or the error."""
    hides: str = ""
    """Words that must stand in none of them."""


def deltas(*entries: dict[str, Any] | list[dict[str, Any]], finish: str | None = "tool_calls") -> fake.Answer:
    """A stream in which each of ``entries`` is one chunk's tool_calls."""
    chunks = [chunk({"tool_calls": e if isinstance(e, list) else [e]}) for e in entries]
    return stream(*chunks, chunk({}, finish))


def in_pieces(answer: fake.Answer, size: int, **changes: Any) -> fake.Answer:
    """The same answer with its bytes cut anew."""
    whole = b"".join(p for p in answer.pieces if isinstance(p, bytes))
    return fake.Answer(fake.split(whole, size), **changes)


def rewritten(answer: fake.Answer, change: Callable[[bytes], bytes]) -> fake.Answer:
    """The same answer with its bytes changed."""
    return fake.Answer((change(b"".join(p for p in answer.pieces if isinstance(p, bytes))),))
