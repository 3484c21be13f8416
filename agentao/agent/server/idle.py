"""A watch over a connection: after a time without a byte it is broken, so that a blocked read returns.

The HTTP library has one read limit for a whole answer, but the first token of a cold local model may take minutes,
while a silence of that length between two tokens means a dead server.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from types import TracebackType


class IdleWatch:
    """Shuts a socket down when ``seen()`` was not called for ``limit_s``; without a socket it does nothing."""

    def __init__(self, connection: socket.socket | None) -> None:
        self._connection = connection
        self._changed = threading.Condition()
        self._deadline: float | None = None
        self._closed = False
        self._thread: threading.Thread | None = None
        self.limit_s: float | None = None
        """None: no limit yet."""
        self.fired = False
        """True when the watch broke the connection."""

    def seen(self) -> None:
        """A byte has come: count anew."""
        if self.limit_s is None or self._connection is None:
            return
        deadline = time.monotonic() + self.limit_s
        with self._changed:
            earlier = self._deadline is not None and deadline < self._deadline
            self._deadline = deadline
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="agentao-idle-watch", daemon=True)
                self._thread.start()
            elif earlier:
                self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._closed and self._deadline is not None:
                left = self._deadline - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                    continue
                self.fired = True
                with contextlib.suppress(OSError):
                    if self._connection is not None:
                        socket.socket.shutdown(self._connection, socket.SHUT_RDWR)
                return

    def __enter__(self) -> IdleWatch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
