"""The composition root: settings become stores, manager, client and agent. Nothing else knows how they fit together.

The stores are opened at once, for there may be something to say about them. Client and agent are made at first use: the
prompt is there before their modules are needed.
"""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING

from agentao.config import current_environment
from agentao.errors import AgentaoError, StoreError
from agentao.memory.manager import MemoryManager
from agentao.memory.store import SQLiteMemoryStore

if TYPE_CHECKING:
    from agentao.agent.agent import Agent
    from agentao.agent.client import ChatClient
    from agentao.config import Settings
    from agentao.memory import MemoryRetriever, MemoryReviewItem

log = logging.getLogger(__name__)

OFFLINE = "offline"


class Services:
    """Everything one run of the program works with. ``notices`` is what there is to say about it at the start."""

    def __init__(self, settings: Settings, manager: MemoryManager, notices: list[str]) -> None:
        self.settings = settings
        self.manager = manager
        self.notices = notices

    @cached_property
    def retriever(self) -> MemoryRetriever:
        """Recall, with its counts."""
        from agentao.memory.retriever import MemoryRetriever

        return MemoryRetriever(self.manager)

    @cached_property
    def client(self) -> ChatClient:
        """Whatever answers."""
        return make_client(self.settings)

    @cached_property
    def agent(self) -> Agent:
        """The conversation."""
        from agentao.agent.agent import Agent
        from agentao.agent.compaction import Compactor

        model = self.settings.model
        window = model.context_window
        compactor = Compactor(self.client, self.manager, window_tokens=window, summary_model=model.summary_name or None)
        return Agent(
            self.manager,
            self.client,
            retriever=self.retriever,
            compactor=compactor,
            context_window=window,
            memory_context=self.settings.memory_context,
        )

    @property
    def begun(self) -> Agent | None:
        """The conversation, if there is one yet; asking makes none."""
        agent: Agent | None = self.__dict__.get("agent")
        return agent

    @property
    def model_name(self) -> str:
        """The name of the model in use; empty when the server is to be asked for it. Asking makes no client."""
        client: ChatClient | None = self.__dict__.get("client")
        if client is not None:
            return client.model
        return OFFLINE if self.settings.offline else self.settings.model.name

    def leave(self) -> list[MemoryReviewItem]:
        """Look through the conversation once more for what is worth keeping, then close the stores."""
        found: list[MemoryReviewItem] = []
        try:
            if self.begun is not None and self.manager.enabled:
                found = self.manager.crystallize_user_messages(self.begun.messages)
        except AgentaoError as exc:
            log.warning("on leaving: %s", exc)
        self.manager.close()
        return found


def build_services(settings: Settings) -> Services:
    """Open (or make) the stores; no network, and no heavy import."""
    manager = open_memory(settings)
    return Services(settings, manager, _notices(settings, manager))


def open_memory(settings: Settings) -> MemoryManager:
    """Both stores; one that serves both scopes where both paths are the same file."""
    user_store = SQLiteMemoryStore.open_or_memory(settings.user_db)
    project_store = None if settings.one_store else SQLiteMemoryStore.open_or_memory(settings.project_db)
    manager = MemoryManager(project_store or user_store, user_store if project_store else None)
    manager.enabled = settings.memory_on
    return manager


def make_client(settings: Settings) -> ChatClient:
    """What answers: the server that the settings name, or the assistant without a model."""
    if settings.offline:
        from agentao.agent.offline_client import OfflineClient

        return OfflineClient()
    from agentao.agent.network import Network
    from agentao.agent.openai_client import OpenAIClient

    model = settings.model
    return OpenAIClient(
        api_key=model.api_key,
        base_url=model.base_url,
        model=model.name,
        network=Network.from_environ(current_environment()),
        first_token_timeout_s=model.first_token_timeout_s,
        idle_timeout_s=model.idle_timeout_s,
    )


def _notices(settings: Settings, manager: MemoryManager) -> list[str]:
    notices = [line for store in manager.stores for line in (store.problem, *store.notices) if line]
    if settings.trust_project and not manager.project_trusted:
        try:
            manager.trust_project()
        except StoreError as exc:
            notices.append(str(exc))
    if not manager.project_trusted:
        count = manager.count("project")
        facts = "1 fact" if count == 1 else f"{count} facts"
        notices.append(
            f"{settings.project_db} is not from here: its {facts} stay out of the prompt until you say /memory trust."
        )
    return notices
