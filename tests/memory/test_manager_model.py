"""The manager against a dictionary: whatever is done in whatever order, both say the same."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agentao.errors import GuardError
from agentao.memory.guard import MemoryGuard
from agentao.memory.manager import MemoryManager
from agentao.memory.models import STABLE_BLOCK_MAX_CHARS, MemoryType, Scope
from agentao.memory.store import SQLiteMemoryStore
from tests.support.memories import TestClock, say

KEYS = st.sampled_from(["editor", "Editor ", "user_name", "编辑器", "c++", "c#", "deploy day", "deploy_day"])
VALUES = st.sampled_from(["vim", "emacs", "每周二", "100%", "a_b", "line\nbreak"])
TAGS = st.none() | st.lists(st.sampled_from(["user", "decision", "后端", "java", "#Java"]), max_size=3)
GUARD = MemoryGuard()


@dataclass(frozen=True)
class Fact:
    """A memory as the model knows it."""

    title: str
    value: str
    tags: tuple[str, ...]
    type: MemoryType


Facts = dict[tuple[Scope, str], Fact]


class ManagerMachine(RuleBasedStateMachine):
    """Two shells over the same stores; the first one's changes can be undone."""

    @initialize(shared=st.booleans())
    def start(self, shared: bool) -> None:
        clock = TestClock(step=1)
        project = SQLiteMemoryStore.open(None, clock=clock)
        user = None if shared else SQLiteMemoryStore.open(None, clock=clock)
        self.manager = MemoryManager(project, user, clock=clock)
        self.facts: Facts = {}
        self.past: list[Facts] = []

    def teardown(self) -> None:
        if hasattr(self, "manager"):
            self.manager.close()

    # -- the model -----------------------------------------------------------------------------------------------------

    def target(self, key: str, tags: list[str] | None) -> Scope:
        if tags is None:
            scopes = [scope for scope, name in self.facts if name == key]
            if len(scopes) == 1:
                return scopes[0]
        return "user" if key.startswith("user_") or "user" in (tags or ()) else "project"

    def change(self, facts: Facts) -> None:
        self.past.append(self.facts)
        self.facts = facts

    # -- the rules -----------------------------------------------------------------------------------------------------

    @rule(key=KEYS, value=VALUES, tags=TAGS)
    def save(self, key: str, value: str, tags: list[str] | None) -> None:
        name = GUARD.normalize_key(key)
        scope = self.target(name, tags)
        known = self.facts.get((scope, name))
        clean = tuple(dict.fromkeys(tag.lstrip("#").lower() for tag in tags or ()))
        if tags is None and known is not None:
            clean, kind = known.tags, known.type
        else:
            kind = GUARD.classify_type(name, list(clean))
        outcome = self.manager.save(say(key, value, tags))

        if known is not None and (known.value, known.tags, known.type) == (value, clean, kind):
            assert outcome.change == "unchanged"
            return
        assert outcome.change == ("new" if known is None else "changed")
        self.change({**self.facts, (scope, name): Fact(GUARD.validate_title(key), value, clean, kind)})

    @rule(key=KEYS)
    def delete(self, key: str) -> None:
        name = GUARD.normalize_key(key)
        rest = {place: fact for place, fact in self.facts.items() if place[1] != name}
        assert self.manager.delete_by_title(key) == len(self.facts) - len(rest)
        if rest != self.facts:
            self.change(rest)

    @rule(scope=st.sampled_from(["user", "project", None]))
    def clear(self, scope: Scope | None) -> None:
        rest = {place: fact for place, fact in self.facts.items() if scope is not None and place[0] != scope}
        assert self.manager.clear(scope) == len(self.facts) - len(rest)
        if rest != self.facts:
            self.change(rest)

    @precondition(lambda self: self.past)
    @rule()
    def undo(self) -> None:
        self.manager.undo()
        self.facts = self.past.pop()

    @rule(key=KEYS)
    def restore(self, key: str) -> None:
        name = GUARD.normalize_key(key)
        deleted = [r for store in self.manager.stores for r in store.records(deleted=True) if r.key_normalized == name]
        if not deleted:
            return
        record = max(deleted, key=lambda r: (r.deleted_at or "", r.id))
        try:
            restored = self.manager.restore(name)
        except GuardError:
            assert (record.scope, name) in self.facts
            return
        assert restored.id == record.id
        fact = Fact(restored.title, restored.content, tuple(restored.tags), restored.type)
        self.change({**self.facts, (restored.scope, name): fact})

    @rule()
    def move_house(self) -> None:
        """Everything exported and imported elsewhere is the same."""
        other = MemoryManager(SQLiteMemoryStore.open(None))
        lines = list(self.manager.export_lines())
        assert other.import_lines(lines).added == len(self.facts)
        assert list(other.export_lines()) == lines
        other.close()

    # -- what always holds ---------------------------------------------------------------------------------------------

    @invariant()
    def both_say_the_same(self) -> None:
        if not hasattr(self, "manager"):
            return
        found = {
            (r.scope, r.key_normalized): Fact(r.title, r.content, tuple(r.tags), r.type)
            for r in self.manager.get_all_entries()
        }
        assert found == self.facts
        assert self.manager.count() == len(self.facts)
        totals = self.manager.status().totals
        assert totals == {scope: sum(place[0] == scope for place in self.facts) for scope in ("user", "project")}

    @invariant()
    def tags_are_those_of_the_facts(self) -> None:
        if not hasattr(self, "manager"):
            return
        counts: dict[str, int] = {}
        for fact in self.facts.values():
            for tag in fact.tags:
                counts[tag] = counts.get(tag, 0) + 1
        assert dict(self.manager.tag_counts()) == counts
        assert len(self.manager.filter_by_tag("#JAVA")) == counts.get("java", 0)

    @invariant()
    def the_block_shows_live_facts_only(self) -> None:
        if not hasattr(self, "manager"):
            return
        plan = self.manager.stable_plan()
        live = {record.id for record in self.manager.get_all_entries()}
        assert set(plan.shown_ids) <= live
        assert len(plan.text) <= STABLE_BLOCK_MAX_CHARS
        assert bool(plan.text) == bool(self.facts)


TestManagerModel = ManagerMachine.TestCase
TestManagerModel.settings = settings(max_examples=40, stateful_step_count=30)
