"""Parts reasoning from an answer, for servers that leave it in front of the text between tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

OPEN, CLOSE = "<think>", "</think>"
"""The tags of the models' own chat formats. Only at the very start of an answer do they mean reasoning."""


class Part(NamedTuple):
    """A piece of the answer, or with ``reasoning`` of what came before it."""

    text: str
    reasoning: bool = False


class Thinking:
    """Takes the text of one answer in pieces of any size; what may be the start of a tag waits for the next one."""

    def __init__(self) -> None:
        self._state: Literal["start", "inside", "behind", "answer"] = "start"
        self._held = ""

    def feed(self, piece: str) -> Iterator[Part]:
        """The parts that are certain."""
        text, self._held = self._held + piece, ""
        if self._state == "start":
            bare = text.lstrip()
            if len(bare) < len(OPEN) and OPEN.startswith(bare):
                self._held = text
                return
            self._state = "inside" if bare.startswith(OPEN) else "answer"
            text = bare.removeprefix(OPEN) if self._state == "inside" else text
        if self._state == "inside":
            thought, closed, text = text.partition(CLOSE)
            if not closed:
                start = next((n for n in range(len(CLOSE) - 1, 0, -1) if thought.endswith(CLOSE[:n])), 0)
                thought, self._held = thought[: len(thought) - start], thought[len(thought) - start :]
            else:
                self._state = "behind"
            if thought:
                yield Part(thought, reasoning=True)
        if self._state == "behind":
            text = text.lstrip()
            self._state = "answer" if text else "behind"
        if self._state == "answer" and text:
            yield Part(text)

    def flush(self) -> Iterator[Part]:
        """What was held back for the rest of a tag that never came."""
        held, self._held = self._held, ""
        if held:
            yield Part(held, reasoning=self._state == "inside")
