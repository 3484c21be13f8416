"""The composition root: settings become stores, manager, client and agent. Nothing else knows how they fit together."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentao.agent.agent import Agent
from agentao.agent.compaction import Compactor
from agentao.agent.network import Network
from agentao.config import current_environment
from agentao.errors import AgentaoError, StoreError
from agentao.memory import MemoryManager, MemoryRetriever, SQLiteMemoryStore

if TYPE_CHECKING:
    from agentao.agent.client import ChatClient
    from agentao.config import Settings
    from agentao.memory import MemoryReviewItem

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Services:
    """Everything one run of the program works with. ``notices`` is what there is to say about it at the start."""

    settings: Settings
    manager: MemoryManager
    retriever: MemoryRetriever
    client: ChatClient
    agent: Agent
    notices: list[str] = field(default_factory=list)

    def leave(self) -> list[MemoryReviewItem]:
        """Look through the conversation once more for what is worth keeping, then close the stores."""
        found: list[MemoryReviewItem] = []
        try:
            if self.manager.enabled:
                found = self.manager.crystallize_user_messages(self.agent.messages)
        except AgentaoError as exc:
            log.warning("on leaving: %s", exc)
        self.close()
        return found

    def close(self) -> None:
        """Close the stores."""
        self.manager.close()


def build_services(settings: Settings) -> Services:
    """Open (or make) the stores and put everything together. No network, and no heavy import."""
    manager = open_memory(settings)
    client = make_client(settings)
    retriever = MemoryRetriever(manager)
    compactor = Compactor(
        client,
        manager,
        window_tokens=settings.model.context_window,
        summary_model=settings.model.summary_name or None,
    )
    agent = Agent(
        manager,
        client,
        retriever=retriever,
        compactor=compactor,
        context_window=settings.model.context_window,
        memory_context=settings.memory_context,
    )
    return Services(settings, manager, retriever, client, agent, _notices(settings, manager))


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
