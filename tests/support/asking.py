"""One small question to a client, and the error that comes of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentao.agent.client import collect
from agentao.agent.messages import ChatRequest, Message
from agentao.agent.openai_client import OpenAIClient
from agentao.errors import ClientError

Connect = Callable[..., OpenAIClient]
"""What the fixture ``connect`` gives."""

ASK = ChatRequest("Be brief.", (Message("user", "hi"),))


def failure(client: OpenAIClient, request: ChatRequest = ASK) -> ClientError:
    """The error, in one line, with which the question ends."""
    with pytest.raises(ClientError) as caught:
        collect(client.stream(request))
    assert "\n" not in str(caught.value)
    return caught.value
