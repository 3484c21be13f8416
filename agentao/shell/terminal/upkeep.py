"""What can wait is done while the prompt waits: in a thread of its own, in steps, and never longer than that."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentao.errors import AgentaoError

if TYPE_CHECKING:
    from agentao.shell.app import Services

log = logging.getLogger(__name__)


class Upkeep:
    """Keeps the recall index of the stores in order."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._waits = threading.Event()
        self._running = threading.Lock()
        self._begun = False

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Within the block the prompt waits for a line; whatever runs stops at its end."""
        self._waits.set()
        try:
            self._go_on()
            yield
        finally:
            self._waits.clear()

    def run(self) -> None:
        """Do all there is to do, as long as the prompt waits; in this thread."""
        self._begun = True
        with self._running:
            try:
                self._services.upkeep(lambda: not self._waits.is_set())
            except AgentaoError as exc:
                log.warning("upkeep: %s", exc)

    def _go_on(self) -> None:
        """Start again what the last line has stopped. The first start is somebody else's, who knows when it disturbs
        nobody."""
        if not self._begun or self._running.locked():
            return
        try:
            due = self._services.upkeep_due()
        except AgentaoError:
            return
        if due:
            threading.Thread(target=self.run, name="upkeep", daemon=True).start()
