"""Whether the project's store may speak to the model: only when this user's shell made it or the user accepted it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from agentao.errors import StoreError
from agentao.memory.storage.ids import random_id
from agentao.memory.store import SQLiteMemoryStore
from agentao.memory.usecases.stores import StoreSet

_PREFIX = "trusted_store:"
_STORE_ID = "store_id"
_STORE_ID_CHARS = 24


class ProjectTrust:
    """The home store remembers, by their random ids, the project stores that it trusts.

    A store that says nothing yet is taken as ours. It gets a new id with our first write to it, so that a file which
    came empty with a clone and is later replaced by one with facts in it is a stranger again. A file that takes the
    place of the open one (a checkout, a pull) is judged anew.
    """

    def __init__(self, stores: StoreSet) -> None:
        self._stores = stores
        self._unrecorded = False
        self._accepted: set[str] = set()
        self._replaced = stores.project.replaced
        self._trusted = self._decide()
        if self._trusted and not self._unrecorded:
            self._accepted.add(self._id())

    @property
    def trusted(self) -> bool:
        """Whether the file that is there now may speak to the model."""
        project = self._stores.project
        # What cannot be looked at now cannot be read into a prompt either.
        with contextlib.suppress(StoreError):
            project.follow()
            if project.replaced != self._replaced:
                self._trusted = self._unrecorded = False
                self._trusted = self._decide()
                self._replaced = project.replaced
        return self._trusted

    def trust(self, when: str) -> None:
        """Accept the project's store, now and in later runs.

        Raises:
            StoreError: the home store could not remember it; the store is trusted for this run all the same.
        """
        if not self.trusted:
            self._accepted.add(self._id())
            self._trusted = True
        self._unrecorded = False
        if not self._stores.shared:
            self._remember(self._id(), when)

    def before_write(self, store: SQLiteMemoryStore, now: Callable[[], str]) -> None:
        """Called before each write: the first one into a project store that was empty makes it ours."""
        if self.is_judged(store) and not self._unrecorded:
            return
        if store is not self._stores.project or not self.trusted or not self._unrecorded:
            return
        try:
            if not self._known(self._id()):
                fresh = random_id(_STORE_ID_CHARS)
                self._remember(fresh, now())
                store.set_meta(_STORE_ID, fresh)
            self._unrecorded = False
        except StoreError:
            # The save itself must not fail because the home store is busy; the next write tries again.
            return

    def is_judged(self, store: SQLiteMemoryStore) -> bool:
        """Whether no other file has taken the place of the one that was judged, as far as was noticed."""
        return store is not self._stores.project or store.replaced == self._replaced

    def _decide(self) -> bool:
        if self._stores.shared or self._known(self._id()):
            return True
        project = self._stores.project
        if project.records(limit=1) or project.summaries(limit=1) or project.review_items():
            return False
        self._unrecorded = project.persistent
        return True

    def _id(self) -> str:
        return self._stores.project.get_meta(_STORE_ID) or self._stores.project.store_id

    def _known(self, store_id: str) -> bool:
        return store_id in self._accepted or self._stores.user.get_meta(_PREFIX + store_id) is not None

    def _remember(self, store_id: str, when: str) -> None:
        self._stores.user.set_meta(_PREFIX + store_id, when)
