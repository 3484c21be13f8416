"""Real stores in a temporary folder, and the real client over loopback."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentao.agent.openai_client import OpenAIClient
from agentao.memory.manager import MemoryManager
from agentao.memory.store import SQLiteMemoryStore
from tests.support.fake_openai import FakeOpenAI


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[MemoryManager]:
    """A manager over two fresh stores."""
    made = MemoryManager(
        SQLiteMemoryStore.open(tmp_path / "project" / "memory.db"),
        SQLiteMemoryStore.open(tmp_path / "home" / "memory.db"),
    )
    yield made
    made.close()


@pytest.fixture
def waits() -> list[float]:
    """The pauses that clients of this test have made, in seconds."""
    return []


@pytest.fixture
def connect(waits: list[float]) -> Iterator[Callable[..., OpenAIClient]]:
    """Makes clients for a fake server; they record their pauses in place of making them."""
    made: list[OpenAIClient] = []

    def make(server: FakeOpenAI | None = None, **settings: Any) -> OpenAIClient:
        if server is not None:
            settings.setdefault("base_url", server.base_url)
        client = OpenAIClient(**{"model": "fake-model", "api_key": "sk-test", "sleep": waits.append, **settings})
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()


@pytest.fixture
def free_port() -> int:
    """A port of this machine on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
