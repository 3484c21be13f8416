"""One home and one project in a temporary folder, and a shell started there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentao.memory.manager import MemoryManager
from tests.support.memories import Place, opened


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with opened(tmp_path) as place:
        yield place


@pytest.fixture
def manager(place: Place) -> MemoryManager:
    return place.start()
