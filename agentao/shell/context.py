"""What a command's function gets: the services, made at first use, and the state of the running shell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentao.agent.agent import Agent
    from agentao.agent.client import ChatClient
    from agentao.config import Settings
    from agentao.memory import MemoryManager
    from agentao.shell.app import Services
    from agentao.shell.results import Reasoning


class ShellState:
    """What the user switched while the shell runs, and what it can show again. ``reasoning`` is that of the last
    answer; it is kept here only, never stored."""

    def __init__(self, *, raw: bool = False) -> None:
        self.raw = raw
        self.models: tuple[str, ...] = ()  # those that the server was last known to have
        self.models_asked = False
        self.suggest_again: Callable[[], None] = lambda: None
        """To be called, from any thread, when there is more to suggest than before."""
        self.reasoning: Reasoning | None = None


class CommandContext:
    """The commands' way to everything else. ``in_shell`` is False for a command given on the command
    line, ``json`` True when its answer will be JSON."""

    def __init__(
        self,
        services: Services | None = None,
        *,
        settings: Settings | None = None,
        open_services: Callable[[], Services] | None = None,
        in_shell: bool = True,
        json: bool = False,
        state: ShellState | None = None,
    ) -> None:
        """Either ``services``, or ``settings`` and a function that makes the services when a command needs them."""
        self._services = services
        self._settings = settings
        self._open = open_services
        self.in_shell = in_shell
        self.json = json
        self.state = state or ShellState()

    @property
    def settings(self) -> Settings:
        """The settings; reading them opens nothing."""
        return self._settings if self._settings is not None else self.services.settings

    @property
    def services(self) -> Services:
        """Everything that was built from the settings."""
        if self._services is None:
            if self._open is None:
                raise RuntimeError("this context was made without services")
            self._services = self._open()
        return self._services

    @property
    def opened(self) -> Services | None:
        """The services, if anything has needed them yet."""
        return self._services

    @property
    def manager(self) -> MemoryManager:
        """The memories."""
        return self.services.manager

    @property
    def agent(self) -> Agent:
        """The conversation."""
        return self.services.agent

    @property
    def client(self) -> ChatClient:
        """Whatever answers."""
        return self.services.client
