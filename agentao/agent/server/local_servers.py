"""Looks for model servers on this machine: Ollama, LM Studio and llama.cpp on their usual loopback ports."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from agentao.agent.server.faults import model_names

PROBE_TIMEOUT_S = 0.5
"""Loopback answers at once or not at all; a hanging port must not hold up the rest."""
BODY_MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Probe:
    """Where one program usually listens, and how it is known: a path, and a word that its answer holds."""

    name: str
    port: int
    path: str
    word: str


USUAL = (
    Probe("Ollama", 11434, "/api/version", '"version"'),
    Probe("LM Studio", 1234, "/api/v0/models", '"data"'),
    Probe("llama.cpp", 8080, "/props", '"default_generation_settings"'),
)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """One server that answered, with the models it has loaded or installed."""

    name: str
    base_url: str
    models: tuple[str, ...]

    @property
    def connect_line(self) -> str:
        """The line for the user's terminal that connects it."""
        model = self.models[0] if self.models else "NAME"
        return f"export OPENAI_BASE_URL={self.base_url} OPENAI_MODEL={model}"


def find_local_servers(probes: Iterable[Probe] = USUAL) -> list[LocalServer]:
    """The servers that answer now, in the order of ``probes``. No proxy is used and no key is sent."""
    found = []
    for probe in probes:
        seen = _get(probe.port, probe.path)
        if seen is not None and probe.word in seen:
            names = model_names(_get(probe.port, "/v1/models") or "") or []
            found.append(LocalServer(probe.name, f"http://127.0.0.1:{probe.port}/v1", tuple(names)))
    return found


def _get(port: int, path: str) -> str | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PROBE_TIMEOUT_S)
    try:
        connection.request("GET", path, headers={"Accept": "application/json"})
        response = connection.getresponse()
        text = response.read(BODY_MAX_BYTES).decode("utf-8", "replace")
        data: Any = json.loads(text) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return text if isinstance(data, dict) else None
