"""The two stores as one: which store serves which scope, and one token for the state of both."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager

from agentao.memory.models import SCOPES, Scope
from agentao.memory.store import SQLiteMemoryStore

Part = tuple[SQLiteMemoryStore, Scope | None]
"""A store, and the scope to ask it for: ``None`` where the whole file is meant."""


class StoreSet:
    """The project store and the user store; one store for both scopes when both are one file or there is only one."""

    def __init__(self, project: SQLiteMemoryStore, user: SQLiteMemoryStore | None) -> None:
        self.project = project
        self._given = (project,) if user is None else (project, user)
        if user is None or user is project or _same_file(project, user):
            self.user = project
            self.all: tuple[SQLiteMemoryStore, ...] = (project,)
            project.scope = None
        else:
            self.user = user
            self.all = (project, user)
            project.scope = "project"
            user.scope = "user"

    @property
    def shared(self) -> bool:
        """Whether one file serves both scopes."""
        return len(self.all) == 1

    def of(self, scope: Scope) -> SQLiteMemoryStore:
        """The store that holds a scope."""
        return self.user if scope == "user" else self.project

    def scopes(self, store: SQLiteMemoryStore) -> tuple[Scope, ...]:
        """The scopes that a store holds."""
        if self.shared:
            return SCOPES
        return ("user",) if store is self.user else ("project",)

    def parts(self, scope: Scope | None = None) -> list[Part]:
        """What to ask for a scope, or for both; the project first."""
        if self.shared:
            return [(self.project, scope)]
        if scope is None:
            return [(self.project, None), (self.user, None)]
        return [(self.of(scope), None)]

    def state_token(self) -> Hashable:
        """Changes when the content of any store changed, whoever wrote; cheap enough for every turn."""
        return tuple(store.data_version() for store in self.all)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One transaction in each store, always taken in the same order."""
        with ExitStack() as stack:
            for store in self.all:
                stack.enter_context(store.transaction())
            yield

    def close(self) -> None:
        """Close every store that was given, also the one not in use."""
        for store in self._given:
            store.close()


def _same_file(first: SQLiteMemoryStore, second: SQLiteMemoryStore) -> bool:
    if first.path is None or second.path is None:
        return False
    try:
        return first.path.samefile(second.path)
    except OSError:
        return first.path == second.path
