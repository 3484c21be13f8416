"""The composition root: settings become stores, manager, client and agent. Nothing else knows how they fit together.

The stores are opened at once, for there may be something to say about them. Manager, client and agent are made at first
use: the prompt is there before their modules are needed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentao.config import current_environment
from agentao.errors import AgentaoError, StoreError
from agentao.memory.db import one_command
from agentao.memory.store import SQLiteMemoryStore
from agentao.memory.usecases.stores import StoreSet
from agentao.memory.usecases.trust import ProjectTrust

if TYPE_CHECKING:
    from agentao.agent.agent import Agent
    from agentao.agent.client import ChatClient
    from agentao.config import Settings
    from agentao.memory import MemoryManager, MemoryRetriever

log = logging.getLogger(__name__)

OFFLINE = "offline"


class Services:
    """Everything one run of the program works with."""

    def __init__(
        self, settings: Settings, project_store: SQLiteMemoryStore, user_store: SQLiteMemoryStore | None = None
    ) -> None:
        """``user_store=None``: the one store serves both scopes."""
        self.settings = settings
        self._stores = (project_store, user_store)

    @cached_property
    def manager(self) -> MemoryManager:
        """The memories."""
        from agentao.memory.manager import MemoryManager

        manager = MemoryManager(*self._stores)
        manager.enabled = self.settings.memory_on
        return manager

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

    def list_models(self) -> list[str]:
        """The names of the models on offer. Asks over a connection of its own, so that any thread may.

        Raises:
            ClientError: the server cannot be asked.
        """
        return make_client(self.settings).list_models()

    def leave(self) -> int:
        """Look through the conversation once more, then close the stores; how many candidates wait for review.

        A run in which nothing was said is not asked: it has nothing new to tell.
        """
        pending = 0
        agent = self._made("agent")
        try:
            if agent is not None and self.manager.enabled:
                self.manager.crystallize_user_messages(agent.messages)
                pending = self.manager.pending_count()
        except AgentaoError as exc:
            log.warning("on leaving: %s", exc)
        for store in self._stores:
            if store is not None:
                store.close()
        return pending

    # -- what is done while the user types ---------------------------------------------------------------------------

    def upkeep_due(self) -> bool:
        """Whether ``upkeep`` has anything to do; told at once. Raises: the ``StoreError`` family."""
        from agentao.memory.recall import upkeep

        return upkeep.due(StoreSet(*self._stores).all)

    def upkeep(self, stopped: Callable[[], bool]) -> None:
        """Keep the recall index in order until all is done or ``stopped``; from any thread.

        Raises:
            StoreError: a store cannot be used.
        """
        from agentao.memory.recall import upkeep

        upkeep.tend(StoreSet(*self._stores).all, stopped)

    # -- what can be told without making anything --------------------------------------------------------------------

    def notices(self) -> list[str]:
        """What there is to say about the stores at the start."""
        stores = StoreSet(*self._stores)
        notices = [line for store in stores.all for line in (store.problem, *store.notices) if line]
        if not ProjectTrust(stores).trusted:
            notices += self._trust_notices(stores)
        return notices

    def _trust_notices(self, stores: StoreSet) -> list[str]:
        if self.settings.trust_project:
            try:
                self.manager.trust_project()
            except StoreError as exc:
                return [str(exc)]
            return []
        count = stores.project.count()
        facts = "its 1 fact stays" if count == 1 else f"its {count:,} facts stay" if count else "what it holds stays"
        place = self.settings.project_db
        return [f"{place} is not from here: {facts} out of the prompt until you say /memory trust."]

    def memory_count(self) -> int:
        """The number of memories, of both scopes."""
        return sum(store.count() for store in StoreSet(*self._stores).all)

    @property
    def memory_on(self) -> bool:
        """Whether memory takes part in the conversation."""
        manager = self._made("manager")
        return self.settings.memory_on if manager is None else manager.enabled

    @property
    def persistent(self) -> bool:
        """Whether what is saved outlasts this run, in both scopes."""
        return all(store.persistent for store in self._stores if store is not None)

    @property
    def model_name(self) -> str:
        """The name of the model in use; empty when the server is to be asked for it."""
        client = self._made("client")
        if client is not None:
            return str(client.model)
        return OFFLINE if self.settings.offline else self.settings.model.name

    @property
    def context_share(self) -> float:
        """The part of the context window that the conversation takes, in [0, 1] and beyond."""
        agent = self._made("agent")
        return 0.0 if agent is None else float(agent.context_usage().share)

    def _made(self, name: str) -> Any:
        """A part that was made already, else None."""
        return self.__dict__.get(name)


@one_command()
def build_services(settings: Settings, *, must_last: bool = False) -> Services:
    """Open (or make) the stores; no network, and no heavy import. ``must_last``: as ``open_or_memory`` has it."""
    # Links in the home folder are the user's own.
    user_store = SQLiteMemoryStore.open_or_memory(settings.user_db, links=True, must_last=must_last)
    if settings.one_store:
        return Services(settings, user_store)
    return Services(settings, SQLiteMemoryStore.open_or_memory(settings.project_db, must_last=must_last), user_store)


def make_client(settings: Settings) -> ChatClient:
    """What answers: the server that the settings name, or the assistant without a model."""
    if settings.offline:
        from agentao.agent.offline_client import OfflineClient

        return OfflineClient()
    from agentao.agent.openai_client import OpenAIClient
    from agentao.agent.server.network import Network

    model = settings.model
    return OpenAIClient(
        api_key=model.api_key,
        base_url=model.base_url,
        model=model.name,
        network=Network.from_environ(current_environment()),
        first_token_timeout_s=model.first_token_timeout_s,
        idle_timeout_s=model.idle_timeout_s,
    )
