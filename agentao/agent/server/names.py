"""Looks a host's name up so that Ctrl-C works meanwhile: the system's own look-up cannot be interrupted."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable

LOOK_UP_TIMEOUT_S = 20.0

Resolve = Callable[[str, int], object]


def look_up(host: str, port: int, resolve: Resolve = socket.getaddrinfo, timeout_s: float = LOOK_UP_TIMEOUT_S) -> None:
    """Return when the name is known.

    Raises:
        OSError: it is not, or no answer came in time.
    """
    answers: queue.SimpleQueue[OSError | None] = queue.SimpleQueue()

    def work() -> None:
        try:
            resolve(host, port)
        except OSError as error:
            answers.put(error)
        except UnicodeError:
            answers.put(OSError("no valid host name"))
        else:
            answers.put(None)

    threading.Thread(target=work, name="agentao-look-up", daemon=True).start()
    try:
        failed = answers.get(timeout=timeout_s)
    except queue.Empty:
        raise TimeoutError("no answer from the name service") from None
    if failed is not None:
        raise failed
