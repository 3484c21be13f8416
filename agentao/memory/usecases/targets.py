"""What a person means by a title, a key or an id."""

from __future__ import annotations

from typing import NoReturn

from agentao.errors import NotFound, UsageError
from agentao.memory.guard import MemoryGuard
from agentao.memory.models import MemoryRecord
from agentao.memory.text import fold, one_line, visible
from agentao.memory.usecases.stores import StoreSet

LIST_HINT = "; /memory list shows what there is."
"""How the error for a name that means nothing ends."""
_NAMED_CHARS = 80
ID_PREFIX_MIN_CHARS = 4
"""A shorter text is no id: with one memory in a store every first letter would be a unique prefix of it."""


class Targets:
    """Finds records by what the user typed: all of a title; else all of a key; else the one of an id or its prefix."""

    def __init__(self, stores: StoreSet, guard: MemoryGuard) -> None:
        self._stores = stores
        self._guard = guard

    def resolve(self, target: str, deleted: bool = False) -> list[MemoryRecord]:
        """As ``find``.

        Raises:
            NotFound: nothing has this title, key or id.
            UsageError: several ids begin so.
        """
        found = self.find(target, deleted)
        if not found:
            self.missing(target, "deleted memory" if deleted else "memory")
        return found

    def find(self, target: str, deleted: bool = False) -> list[MemoryRecord]:
        """The live (or the deleted) records that are meant, the project's first; an empty list when there are none.

        Raises:
            UsageError: several ids begin so.
        """
        return self.named(target, deleted) or self._by_id(target.strip(), deleted)

    def named(self, target: str, deleted: bool = False) -> list[MemoryRecord]:
        """Those with this title; if none, those with this key."""
        title, key = one_line(target), self._guard.normalize_key(target)
        if deleted:
            return self._deleted(title, key)
        parts = self._stores.parts()
        titled = [record for store, part in parts for record in store.find_by_title(title, part)] if title else []
        if titled or not key:
            return titled
        return [record for store, part in parts for record in store.find_by_key(key, part)]

    def missing(self, target: str, what: str = "memory") -> NoReturn:
        """Say that there is no such thing."""
        shown = visible(one_line(target))[:_NAMED_CHARS]
        raise NotFound(f'No {what} has the title, key or id "{shown}"{LIST_HINT}')

    def _deleted(self, title: str, key: str) -> list[MemoryRecord]:
        found = [record for store, part in self._stores.parts() for record in store.find_deleted(title, key, part)]
        return [record for record in found if fold(record.title) == fold(title)] or found

    def _by_id(self, prefix: str, deleted: bool) -> list[MemoryRecord]:
        if len(prefix) < ID_PREFIX_MIN_CHARS:
            return []
        found = [
            record
            for store in self._stores.all
            for record in store.find_by_id_prefix(prefix, include_deleted=deleted)
            if (record.deleted_at is not None) == deleted
        ]
        exact = [record for record in found if record.id == prefix]
        if len(found) > 1 and not exact:
            ids = ", ".join(record.id for record in found[:5])
            raise UsageError(f"{len(found)} memories have an id that begins with {prefix}: {ids}. Give more of it.")
        return exact or found
