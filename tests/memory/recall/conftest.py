"""What the tests of recall share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentao.memory.manager import MemoryManager
from agentao.memory.store import SQLiteMemoryStore


@pytest.fixture
def manager(path: Path) -> Iterator[MemoryManager]:
    """A manager over the file that a test module makes."""
    manager = MemoryManager(project_store=SQLiteMemoryStore.open(path))
    yield manager
    manager.close()
