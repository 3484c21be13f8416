"""What every test gets: an empty home, no model or proxy settings, and a network that ends at this machine."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "agentao",
    deadline=None,
    database=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("agentao")

SETTINGS_PREFIXES = ("OPENAI_", "AGENTAO_", "GIT_", "PIP_")
SETTINGS = frozenset(
    {"NO_COLOR", "FORCE_COLOR", "EDITOR", "VISUAL", "PAGER", "COLUMNS", "LINES", "TZ", "PYTHONUTF8", "PYTHONIOENCODING"}
)


@pytest.fixture(autouse=True)
def empty_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with nothing in it, and an environment that says nothing about models, proxies or colours."""
    for name in list(os.environ):
        if name.startswith(SETTINGS_PREFIXES) or name in SETTINGS or name.upper().endswith("_PROXY"):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    # What stands above the folder for temporary files, such as a stray .agentao, is no test's project.
    monkeypatch.setenv("AGENTAO_PROJECT", ".")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return home


@pytest.fixture(autouse=True, scope="session")
def loopback_only() -> Iterator[None]:
    """A connection to anywhere but this machine fails the test that tried it."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not is_loopback(address[0]):
            raise AssertionError(f"a test tried to reach {address[0]}; only this machine may be reached")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[method-assign]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
