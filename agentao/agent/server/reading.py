"""Reads one answer off the wire: what arrived is never lost, and what went wrong is told apart by when it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentao.agent.messages import ChatEvent
from agentao.agent.server import faults
from agentao.agent.server.idle import IdleWatch
from agentao.agent.server.sse import DONE, chunks
from agentao.agent.server.stream import Assembler
from agentao.errors import BadResponse, ResponseTimeout

AFTER_FINISH_TIMEOUT_S = 3.0
"""Once the finish reason came, only a usage report may follow; a server that says nothing more has finished."""
AFTER_DONE_TIMEOUT_S = 0.2
"""The end of the body is read so that the connection can serve the next request, but hardly waited for."""


class Refused(Exception):
    """The server refused; ``started`` is True when some of an answer had come before."""

    def __init__(
        self, refusal: faults.Refusal, headers: Mapping[str, str] | None = None, started: bool = False
    ) -> None:
        super().__init__(refusal.status)
        self.refusal = refusal
        self.headers = headers or {}
        self.started = started


class Broken(Exception):
    """The connection failed, and nothing of an answer came, or its head only (``answered``)."""

    def __init__(self, cause: BaseException, *, answered: bool = False) -> None:
        super().__init__(type(cause).__name__)
        self.cause = cause
        self.answered = answered


class AnswerReader:
    """Reads one HTTP response. ``http_faults``: the exceptions of the HTTP library."""

    def __init__(
        self, response: Any, http_faults: tuple[type[Exception], ...], *, url: str, idle_timeout_s: float
    ) -> None:
        self._response = response
        self._http_faults = http_faults
        self._url = url
        self._idle_timeout_s = idle_timeout_s
        self._made = Assembler()
        self._ended = False
        stream: Any = response.extensions.get("network_stream")
        self._watch = IdleWatch(stream.get_extra_info("socket") if stream is not None else None)

    @property
    def reasoning_field(self) -> str:
        """The field in which the server sent reasoning, or empty."""
        return self._made.reasoning_field

    def events(self) -> Iterator[ChatEvent]:
        """Yield the deltas and then ``Completed``, which says "cut" when the end did not come.

        Raises:
            Refused: an error object came in place of an answer or within it.
            Broken: the connection failed before anything came.
            ResponseTimeout: nothing more came for too long.
            BadResponse: what came is no answer.
        """
        made = self._made
        with self._watch:
            try:
                yield from self._deltas()
            except self._http_faults as cause:
                if not (made.has_content or made.is_finished or self._ended or self._watch.fired):
                    raise Broken(cause, answered=True) from None
        if self._watch.fired and not (self._ended or made.is_finished):
            raise ResponseTimeout(
                f"{self._url} sent nothing for {self._idle_timeout_s:.0f} s in the middle of its answer. Ask again."
            )
        if not made.chunks and not self._ended:
            raise BadResponse("an empty answer came")
        yield from made.finish(ended=self._ended)

    def _deltas(self) -> Iterator[ChatEvent]:
        received = self._pieces()
        for chunk in chunks(self._response.headers.get("content-type", ""), received):
            if chunk is DONE:
                self._ended = True
                self._expect_within(AFTER_DONE_TIMEOUT_S)
                break
            refusal = faults.error_object(chunk)
            if refusal is not None:
                raise Refused(refusal, started=self._made.has_content)
            yield from self._made.feed(chunk)
            self._expect_within(AFTER_FINISH_TIMEOUT_S if self._made.is_finished else self._idle_timeout_s)
        for _ in received:
            pass

    def _pieces(self) -> Iterator[bytes]:
        for piece in self._response.iter_bytes():
            self._watch.seen()
            yield piece

    def _expect_within(self, limit_s: float) -> None:
        self._watch.limit_s = min(limit_s, self._idle_timeout_s)
        self._watch.seen()
