"""The seam between the agent and whatever answers: a server, the offline assistant, a script in a test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from agentao.agent.messages import ChatEvent, ChatRequest, Completed, Completion, Notice, TextDelta
from agentao.errors import BadResponse


class ChatClient(Protocol):
    """Anything that answers a request."""

    @property
    def model(self) -> str:
        """The name of the model in use, for display and requests."""
        ...

    @property
    def supports_tools(self) -> bool:
        """False once the server has refused tools in this session."""
        ...

    def stream(self, request: ChatRequest) -> Iterator[ChatEvent]:
        """Yield events in order; the last is one ``Completed``. Closing the iterator cancels the request.

        Raises:
            ClientError: no usable answer; of it only the text that was shown may enter the history, as incomplete.
        """
        ...

    def list_models(self) -> list[str]:
        """The names of the models on offer, sorted.

        Raises:
            ClientError: the server cannot be asked.
        """
        ...

    def use_model(self, name: str) -> None:
        """Send later requests to this model."""
        ...


def collect(events: Iterable[ChatEvent]) -> Completion:
    """Drain a stream.

    Raises:
        ClientError: as raised by the stream; ``BadResponse`` when it ends without ``Completed``.
    """
    text: list[str] = []
    notices: list[str] = []
    for event in events:
        if isinstance(event, TextDelta):
            text.append(event.text)
        elif isinstance(event, Notice):
            notices.append(event.text)
        elif isinstance(event, Completed):
            return Completion("".join(text), event, tuple(notices))
    raise BadResponse("The answer stopped before its end; nothing was kept. Ask again.")
