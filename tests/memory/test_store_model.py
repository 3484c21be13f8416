"""The store against a dictionary: whatever is done in whatever order, both give the same answers."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from agentao.errors import StoreError
from agentao.memory.models import MEMORY_TYPES, SCOPES, MemoryRecord
from agentao.memory.recall import index
from agentao.memory.store import SQLiteMemoryStore
from agentao.memory.text import fold
from tests.support.stores import record, stamp

keys = st.sampled_from(["a", "b", "c", "ü_1", "中文"])
tags = st.lists(st.sampled_from(["Tool", "tool", "größe", "GRÖSSE", "中文", "x"]), max_size=3)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


class StoreModel(RuleBasedStateMachine):
    """Two connections to one file take turns; the model is a dictionary of records and a list of events."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="agentao-model-"))
        self.open()
        self.model: dict[str, MemoryRecord] = {}
        self.events: list[tuple[str, str]] = []
        self.number = 0

    def open(self) -> None:
        self.stores = [SQLiteMemoryStore.open(self.folder / "memory.db") for _ in range(2)]

    def live(self) -> list[MemoryRecord]:
        found = [r for r in self.model.values() if r.deleted_at is None]
        return sorted(found, key=lambda r: (r.created_at, r.id))

    def live_with(self, scope: str, key: str) -> MemoryRecord | None:
        return next((r for r in self.live() if (r.scope, r.key_normalized) == (scope, key)), None)

    @rule(
        which=st.integers(0, 1), scope=st.sampled_from(SCOPES), key=keys, kind=st.sampled_from(MEMORY_TYPES),
        tags=tags, title=texts, content=texts,
    )  # fmt: skip
    def save(self, which: int, scope: str, key: str, kind: str, tags: list[str], title: str, content: str) -> None:
        """A new record, or a change of the live one with this key."""
        self.number += 1
        old = self.live_with(scope, key)
        made = record(
            self.number, scope=scope, type=kind, key_normalized=key, tags=tags, title=title, content=content,
            created_at=stamp(self.number // 3),
        )  # fmt: skip
        if old is not None:
            made = replace(made, id=old.id, created_at=old.created_at)
        self.stores[which].write(made, "update" if old else "create", before=old)
        self.model[made.id] = made
        self.events.append((made.id, "update" if old else "create"))

    @precondition(lambda self: self.live())
    @rule(which=st.integers(0, 1), data=st.data())
    def delete(self, which: int, data: st.DataObject) -> None:
        old = data.draw(st.sampled_from(self.live()))
        gone = replace(old, deleted_at=stamp(self.number))
        self.stores[which].write(gone, "delete", before=old)
        self.model[gone.id] = gone
        self.events.append((gone.id, "delete"))

    @rule(which=st.integers(0, 1), scope=st.sampled_from(SCOPES), chosen=st.lists(keys, max_size=4), content=texts)
    def import_many(self, which: int, scope: str, chosen: list[str], content: str) -> None:
        """Several records at once, the same key twice among them."""
        given = []
        for key in chosen:
            self.number += 1
            made = record(self.number, scope=scope, key_normalized=key, content=content)
            given.append(made)
            old = self.live_with(scope, key)
            if old is not None:
                made = replace(made, id=old.id, created_at=old.created_at)
            self.model[made.id] = made
            self.events.append((made.id, "import"))
        assert self.stores[which].upsert_many(given) == len(given)

    @precondition(lambda self: self.live())
    @rule(which=st.integers(0, 1), data=st.data())
    def fail(self, which: int, data: st.DataObject) -> None:
        """A write that collides with a live key changes nothing."""
        other = data.draw(st.sampled_from(self.live()))
        try:
            self.stores[which].write(replace(other, id="intruder"), "create")
        except StoreError:
            return
        raise AssertionError("two live records share a key")

    @rule(which=st.integers(0, 1))
    def purge(self, which: int) -> None:
        gone = [r.id for r in self.model.values() if r.deleted_at is not None]
        assert self.stores[which].purge_deleted() == len(gone)
        for key in gone:
            del self.model[key]
        self.events = [(key, kind) for key, kind in self.events if key not in gone]

    @rule()
    def open_again(self) -> None:
        for store in self.stores:
            store.close()
        self.open()

    @invariant()
    def both_agree(self) -> None:
        live = self.live()
        for store in self.stores:
            assert store.records() == live
            assert store.count() == len(live)
            for scope in SCOPES:
                assert store.records(scope) == [r for r in live if r.scope == scope]
            counts = Counter(tag for r in live for tag in {fold(tag) for tag in r.tags})
            assert dict(store.tag_counts()) == counts
            for tag in ("TOOL", "größe", "中文"):
                assert store.filter_by_tag(tag) == [r for r in live if fold(tag) in map(fold, r.tags)]
            if live:
                assert store.find_by_title(live[0].title) == [r for r in live if fold(r.title) == fold(live[0].title)]
                assert store.get(live[-1].id) == live[-1]
            assert [(e.memory_id, e.event_type) for e in store.events(newest_first=False)] == self.events

    def teardown(self) -> None:
        for store in self.stores:
            assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert index.check(store.connection) == (True, True)
            assert index.whole(store.connection)
            store.close()
        shutil.rmtree(self.folder)


TestStoreModel = StoreModel.TestCase
TestStoreModel.settings = settings(max_examples=40, stateful_step_count=20)
