"""The review queue: what is proposed, what never again, and what approving and rejecting do."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from agentao.errors import GuardError, NotFound, ReviewConflict, UsageError
from agentao.memory.manager import MemoryManager
from agentao.memory.models import CONTENT_MAX_CHARS, STABLE_BLOCK_MAX_CHARS, MemoryReviewItem
from agentao.memory.store import SQLiteMemoryStore
from tests.support.memories import (
    ListedCrystallizer,
    Place,
    all_bytes,
    at_once,
    change,
    contents,
    proposal,
    rows,
    say,
    user,
)

TABS = user("indentation: always indent with tabs")
UV = user("package_manager: use uv, never pip")


@pytest.fixture
def manager(place: Place) -> MemoryManager:
    return start(place)


def start(place: Place) -> MemoryManager:
    return place.start(crystallizer=ListedCrystallizer())


def queue(manager: MemoryManager) -> list[tuple[str, str, int, str]]:
    return [(i.key_normalized, i.content, i.occurrences, i.status) for i in manager.list_review_items(None)]


def only(manager: MemoryManager) -> MemoryReviewItem:
    [item] = manager.list_review_items("pending")
    return item


def real(place: Place, *messages: dict[str, str]) -> list[str]:
    """What a new shell that reads this talk finds with the real crystallizer."""
    return contents_of(place.start().crystallize_user_messages([dict(message) for message in messages]))


def contents_of(items: list[MemoryReviewItem]) -> list[str]:
    return [item.content for item in items]


def assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def test_only_the_users_own_words_are_queued(place: Place) -> None:
    """RQ-14: with facts injected, summarised and quoted in every turn only what the user said waits, and it waits once,
    also after a restart."""
    manager = place.start()
    manager.upsert(say("database", "We always use Postgres for all services.", ["decision"]))
    manager.save_session_summary("We decided to deploy on fridays only.")
    block = manager.stable_plan().text
    talk = [user("以后都用 pnpm，不要用 npm")]
    for turn in range(5):
        talk += [user(f"question {turn}?"), assistant(f"From your memory:\n{block}\nAlways use Postgres.")]
    talk += [user(f"{block}\nwhat does this mean?"), user("[Conversation Summary]\nWe always deploy on fridays.")]
    assert contents_of(manager.crystallize_user_messages(talk)) == ["以后都用 pnpm，不要用 npm"]
    real(place, *talk)
    assert [item.content for item in manager.list_review_items()] == ["以后都用 pnpm，不要用 npm"]


def test_what_is_recalled_is_not_mined_again(place: Place) -> None:
    """RQ-17: a live fact that the model quotes and the user confirms, or says again, is no candidate."""
    place.start().upsert(say("package_manager", "以后都用 pnpm，不要用 npm"))
    quoted = assistant("你说过：以后都用 pnpm，不要用 npm")
    assert real(place, quoted, user("对，就是你刚才说的那条")) == []
    assert real(place, quoted, user("对，以后都用 pnpm，不要用 npm")) == []
    assert real(place, user("> 以后都用 pnpm，不要用 npm\n没错")) == []


def test_a_corrected_value_does_not_come_back_alive(place: Place) -> None:
    """RQ-30: after a correction neither mining nor the summary of a talk that quotes the old value makes it live."""
    manager = place.start()
    manager.upsert(say("package_manager", "always use npm"))
    manager.upsert(say("package_manager", "always use pnpm"))
    manager.crystallize_user_messages([user("always use npm"), assistant("Noted: always use npm.")])
    manager.save_session_summary("The user said: always use npm.")
    assert contents(place.start().get_all_entries()) == ["always use pnpm"]


# -- proposing ---------------------------------------------------------------------------------------------------------


def test_what_was_mined_waits_and_is_no_memory(place: Place, manager: MemoryManager) -> None:
    """A proposal is stored with evidence and session, survives a restart, and is in no prompt and no search."""
    [item] = manager.crystallize_user_messages([TABS])
    assert (item.status, item.occurrences, item.source_session) == ("pending", 1, manager.session_id)
    assert item.evidence == "always indent with tabs"
    assert manager.get_all_entries() == []
    assert manager.search("tabs") == []
    assert manager.stable_plan().text == ""
    again = start(place)
    assert again.list_review_items("pending") == [item]
    assert again.pending_count() == 1


def test_a_message_counts_once_in_a_session(manager: MemoryManager) -> None:
    """RQ-14: Mining the same conversation again proposes nothing new and strengthens nothing."""
    talk = [TABS, UV]
    assert len(manager.crystallize_user_messages(talk)) == 2
    assert manager.crystallize_user_messages(talk) == []
    assert manager.crystallize_user_messages([*talk, user("x: deploy on Tuesdays")])[0].content == "deploy on Tuesdays"
    assert [count for _, _, count, _ in queue(manager)] == [1, 1, 1]


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_message_counts_once_though_mining_was_stopped(
    manager: MemoryManager, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """RQ-14: Ctrl-C while candidates are put into the queue leaves none there, and mining again counts each once."""
    talk = [TABS, user("deploys: deploy on Tuesdays"), UV]
    written: list[MemoryReviewItem] = []
    write_review = SQLiteMemoryStore.write_review

    def stopped(store: SQLiteMemoryStore, item: MemoryReviewItem) -> None:
        write_review(store, item)
        written.append(item)
        if len(written) == at:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(SQLiteMemoryStore, "write_review", stopped)
        manager.crystallize_user_messages(talk)
    assert queue(manager) == []
    assert len(manager.crystallize_user_messages(talk)) == 3
    assert [(item.occurrences, item.confidence) for item in manager.list_review_items()] == [(1, "auto_summary")] * 3


def test_what_was_said_while_memory_was_off_is_never_mined(manager: MemoryManager) -> None:
    """Messages that were passed over are proposed neither now nor when more is said."""
    manager.pass_over([TABS])
    assert [item.content for item in manager.crystallize_user_messages([TABS, UV])] == ["use uv, never pip"]


def test_said_again_in_another_message_grows_stronger(place: Place, manager: MemoryManager) -> None:
    """Repetition in other messages, of this session or a later one, raises occurrences and makes it inferred."""
    first = user("indentation: Always indent with tabs.")
    manager.crystallize_user_messages([first])
    assert only(manager).confidence == "auto_summary"
    manager.crystallize_user_messages([first, user("indentation: always indent with TABS")])
    assert (only(manager).occurrences, only(manager).confidence) == (2, "inferred")
    later = start(place)
    [item] = later.crystallize_user_messages([user("indentation: always indent with tabs")])
    assert (item.occurrences, item.content) == (3, "Always indent with tabs.")
    assert len(later.list_review_items()) == 1


def test_what_a_live_memory_says_is_not_proposed(manager: MemoryManager) -> None:
    """RQ-17: The folded wording counts, under whatever key the memory stands and in whatever scope."""
    manager.upsert(say("tab_rule", "ALWAYS indent with tabs."))
    manager.upsert(say("user_tools", "Use uv，never pip"))
    assert manager.crystallize_user_messages([TABS, UV]) == []
    assert manager.crystallize_user_messages([user("indentation: never indent with tabs")])[0].status == "pending"


@pytest.mark.parametrize(
    ("saved", "said"),
    [
        ("I prefer nvim", "remember that I prefer nvim"),
        ("用 uv 装包", "请用uv装包吧"),
        ("每次请跑测试", "记住，每次跑测试"),
        ("Don’t push on Fridays", "please don't push on fridays!"),
        ("C++ 标准是 20", "c++ 标准是 20"),
        ("ＡＢＣ規則", "abc規則。"),
    ],
)
def test_small_differences_of_wording_are_no_news(manager: MemoryManager, saved: str, said: str) -> None:
    """Politeness, punctuation, width, and the words that ask to remember it make no new statement."""
    manager.upsert(say("anything", saved))
    assert manager.crystallize_user_messages([user(f"other_key: {said}")]) == []


def test_a_negation_is_another_statement(manager: MemoryManager) -> None:
    """What a memory denies is news."""
    manager.upsert(say("a", "use npm"))
    manager.upsert(say("b", "提交前跑测试"))
    found = manager.crystallize_user_messages([user("c: never use npm"), user("d: 提交前不跑测试")])
    assert [item.content for item in found] == ["never use npm", "提交前不跑测试"]


def test_a_rejected_statement_stays_out(place: Place, manager: MemoryManager) -> None:
    """RQ-30: Neither in this session nor after a restart, neither in other case and punctuation nor under another
    key."""
    manager.crystallize_user_messages([TABS])
    assert manager.reject_review_item(only(manager).id).status == "rejected"
    for shell in (manager, start(place)):
        assert shell.crystallize_user_messages([TABS]) == []
        assert shell.crystallize_user_messages([user("other_key: Always indent  with tabs!")]) == []
    assert manager.pending_count() == 0
    assert [status for *_, status in queue(manager)] == ["rejected"]


def test_an_approved_statement_is_not_proposed_again(place: Place, manager: MemoryManager) -> None:
    """RQ-30: Not while the memory lives, nor after it was corrected: the old wording does not come back by another
    way."""
    manager.crystallize_user_messages([UV])
    manager.approve_review_item(only(manager).id)
    assert start(place).crystallize_user_messages([UV]) == []
    manager.upsert(say("package_manager", "use pixi"))
    assert start(place).crystallize_user_messages([UV]) == []
    assert contents(manager.get_all_entries()) == ["use pixi"]


def test_different_statements_under_one_key_stay_apart(place: Place, manager: MemoryManager) -> None:
    """A second statement with the key of one that waits gets a key of its own; none is lost, in any order of mining."""
    other = user("package_manager: only conda in notebooks")
    manager.crystallize_user_messages([UV])
    manager.crystallize_user_messages([UV, other])
    assert queue(manager) == [
        ("package_manager", "use uv, never pip", 1, "pending"),
        ("package_manager_2", "only conda in notebooks", 1, "pending"),
    ]
    start(place).crystallize_user_messages([other, UV])
    assert [(key, count) for key, _, count, _ in queue(manager)] == [("package_manager", 2), ("package_manager_2", 2)]


def test_no_secret_enters_the_queue(tmp_path: Path, place: Place) -> None:
    """A statement that holds a secret is no proposal; a secret in the evidence alone is masked there."""
    secret = "sk-proj-" + "aB3dE5gH7j" * 4

    class Careless:
        def extract_from_user_messages(self, messages: object, session_id: str) -> object:
            return [
                proposal(f"always use the key {secret}"),
                proposal("fine", "k2", tags=[secret]),
                proposal("deploy on Tuesdays", "k3", evidence=f"with {secret} deploy on Tuesdays"),
            ]

    manager = place.start(crystallizer=Careless())
    [item] = manager.crystallize_user_messages([user("x")])
    assert item.content == "deploy on Tuesdays"
    assert item.evidence.endswith("deploy on Tuesdays")
    assert secret.encode() not in all_bytes(tmp_path)


# -- deciding ----------------------------------------------------------------------------------------------------------


def test_approving_writes_a_crystallized_memory(place: Place, manager: MemoryManager) -> None:
    """The item becomes a live memory with its type and confidence, in the store of its scope, with an event."""
    manager.crystallize_user_messages([UV])
    item = only(manager)
    record = manager.approve_review_item(item.id)
    assert (record.source, record.confidence, record.type, record.scope) == (
        "crystallized",
        "auto_summary",
        "preference",
        "project",
    )
    assert record.content == "use uv, never pip"
    assert manager.get_all_entries() == [record]
    assert manager.search("uv") == [record]
    assert manager.list_review_items("approved")[0].id == item.id
    [event] = manager.history()
    assert (event.event_type, event.detail["actor"], event.detail["review_id"]) == ("approve", "review", item.id)


def test_what_waits_is_listed(manager: MemoryManager) -> None:
    """Without a status those are listed that wait for a decision; all of them when that is said."""
    manager.crystallize_user_messages([TABS, UV])
    first, second = manager.list_review_items()
    manager.reject_review_item(first.id)
    assert manager.list_review_items() == [second]
    assert [item.id for item in manager.list_review_items(None)] == [first.id, second.id]


def test_the_beginning_of_an_id_is_enough(manager: MemoryManager) -> None:
    """A unique prefix names an item, in any case of letters; an ambiguous or unknown one is a clear error."""
    manager.crystallize_user_messages([TABS, UV])
    first, second = manager.list_review_items()
    assert manager.approve_review_item(first.id[:6].upper()).content == first.content
    with pytest.raises(NotFound, match="999"):
        manager.approve_review_item("999-nothing")
    with pytest.raises(UsageError, match="Which"):
        manager.reject_review_item(" ")
    assert manager.reject_review_item(second.id[:6]).id == second.id


def test_an_ambiguous_id_is_refused(place: Place, manager: MemoryManager) -> None:
    """Where several ids begin so, all are named; one that waits goes before those that were decided."""
    manager.crystallize_user_messages([TABS, UV, user("x: deploy on Tuesdays")])
    for number, item in enumerate(manager.list_review_items()):
        change(place.project_file, "UPDATE memory_review_queue SET id = ? WHERE id = ?", f"abc{number}", item.id)
    with pytest.raises(UsageError, match="abc0, abc1, abc2"):
        manager.approve_review_item("abc")
    manager.reject_review_item("abc0")
    manager.reject_review_item("abc1")
    assert manager.approve_review_item("abc").content == "deploy on Tuesdays"


def test_deciding_twice_is_a_clear_error(manager: MemoryManager) -> None:
    """Approving twice, or rejecting what was approved, is refused and changes nothing."""
    manager.crystallize_user_messages([UV])
    item = only(manager)
    manager.approve_review_item(item.id)
    with pytest.raises(GuardError, match="already approved"):
        manager.approve_review_item(item.id)
    with pytest.raises(GuardError, match="already approved"):
        manager.reject_review_item(item.id)
    assert len(manager.get_all_entries()) == 1
    assert len(manager.history()) == 1


def test_two_shells_reviewing_at_once_make_one_row(place: Place) -> None:
    """Whoever is second is told; there is one memory, one event, and no lost decision."""
    first, second = start(place), start(place)
    first.crystallize_user_messages([UV])
    item_id = only(second).id
    first.approve_review_item(item_id)
    with pytest.raises(GuardError, match="already approved"):
        second.approve_review_item(item_id)
    with pytest.raises(GuardError, match="already approved"):
        second.reject_review_item(item_id)
    assert len(second.get_all_entries()) == 1
    assert rows(place.project_file, "SELECT event_type FROM memory_events") == [("approve",)]


def test_approve_and_reject_at_the_same_moment(place: Place) -> None:
    """Of decisions made at the same moment in several shells exactly one holds; the others are told."""
    shells = [start(place) for _ in range(3)]
    for number in range(10):
        [item] = shells[0].crystallize_user_messages([user(f"rule_{number}: always do number {number}")])
        decide = [shell.approve_review_item for shell in shells[:2]] + [shells[2].reject_review_item]
        results = at_once(*[partial(decision, item.id) for decision in decide])
        assert sum(isinstance(result, GuardError) for result in results) == 2
    decided = shells[0].list_review_items(None)
    assert len(shells[0].get_all_entries()) == sum(item.status == "approved" for item in decided)
    assert len(shells[0].history(limit=None)) == len(decided) == 10


def test_two_shells_mining_the_same_talk_make_one_item(place: Place) -> None:
    """The same statement mined by two shells is one item that both strengthened."""
    first, second = start(place), start(place)
    first.crystallize_user_messages([dict(UV)])
    second.crystallize_user_messages([dict(UV)])
    assert queue(first) == [("package_manager", "use uv, never pip", 2, "pending")]


def test_a_conflict_shows_both_and_needs_a_word(manager: MemoryManager) -> None:
    """A live memory of the same key with another value is replaced only when that is asked for."""
    manager.upsert(say("package_manager", "npm", ["tooling"]))
    manager.crystallize_user_messages([UV])
    item = only(manager)
    with pytest.raises(ReviewConflict, match=r'"npm".*"use uv, never pip".*--replace'):
        manager.approve_review_item(item.id)
    assert contents(manager.get_all_entries()) == ["npm"]
    assert only(manager).id == item.id

    record = manager.approve_review_item(item.id, replace=True)
    assert contents(manager.get_all_entries()) == ["use uv, never pip"]
    assert record.created_at < record.updated_at


def test_the_same_key_in_the_other_scope_is_no_conflict(manager: MemoryManager) -> None:
    """A user fact of the same key stays beside the project's."""
    manager.upsert(say("package_manager", "npm", scope="user"))
    manager.crystallize_user_messages([UV])
    manager.approve_review_item(only(manager).id)
    assert contents(manager.get_all_entries()) == ["npm", "use uv, never pip"]


def test_approving_what_was_saved_meanwhile_keeps_the_users_words(manager: MemoryManager) -> None:
    """Where the user said the same in the meantime, the explicit memory stays and the item is done."""
    manager.crystallize_user_messages([UV])
    saved = manager.upsert(say("package_manager", "Use uv, never pip!"))
    assert manager.approve_review_item(only(manager).id) == saved
    assert manager.get_all_entries() == [saved]
    assert manager.pending_count() == 0


@pytest.mark.parametrize("content", ["x" * 10_000, "", "sk-proj-" + "aB3dE5gH7j" * 4, "ghp_" + "aB3dE5gH7jK9" * 3])
def test_approving_passes_the_same_guard(place: Place, manager: MemoryManager, content: str) -> None:
    """ST-01: What a save would refuse is refused from the queue, too, whoever put it there; the item waits on."""
    manager.crystallize_user_messages([UV])
    item = only(manager)
    change(place.project_file, "UPDATE memory_review_queue SET content = ?", content)
    with pytest.raises(GuardError):
        manager.approve_review_item(item.id)
    assert manager.get_all_entries() == []
    assert manager.pending_count() == 1


def test_the_longest_content_may_be_approved(place: Place, manager: MemoryManager) -> None:
    """ST-01: The limit of the queue is that of a save, and the block keeps its own."""
    manager.crystallize_user_messages([UV])
    change(place.project_file, "UPDATE memory_review_queue SET content = ?", "x" * CONTENT_MAX_CHARS)
    record = manager.approve_review_item(only(manager).id)
    assert len(record.content) == CONTENT_MAX_CHARS
    assert len(manager.stable_plan().text) <= STABLE_BLOCK_MAX_CHARS


def test_clearing_removes_what_waits(place: Place, manager: MemoryManager) -> None:
    """Pending items quote the user, so a clear removes them; a decision is kept, so that it holds."""
    manager.crystallize_user_messages([TABS, UV])
    manager.reject_review_item(manager.list_review_items()[0].id)
    assert manager.clear_preview().pending == 1
    assert manager.clear_everything().pending == 1
    assert [status for *_, status in queue(manager)] == ["rejected"]
    assert manager.crystallize_user_messages([TABS, UV]) == []
    assert [i.content for i in start(place).crystallize_user_messages([TABS, UV])] == ["use uv, never pip"]


def test_preferences_of_the_user_wait_in_the_home(place: Place, tmp_path: Path) -> None:
    """A candidate of user scope can be reviewed in every project, and becomes a user memory."""

    class Preference:
        def extract_from_user_messages(self, messages: object, session_id: str) -> object:
            return [proposal("I prefer nvim", "preferred_editor", scope="user", tags=["user"])]

    place.start(crystallizer=Preference()).crystallize_user_messages([user("x")])
    elsewhere = place.start(project=tmp_path / "other" / "memory.db")
    [item] = elsewhere.list_review_items("pending")
    assert elsewhere.approve_review_item(item.id).scope == "user"
    assert contents(place.start().get_all_entries("user")) == ["I prefer nvim"]


def test_the_real_crystallizer_fills_the_queue(place: Place) -> None:
    """Mined from a conversation, approved, and mined again after a restart: one memory, nothing waits."""
    talk = [user("from now on always use tabs for indentation"), user("what time is it?")]
    manager = place.start()
    items = manager.crystallize_user_messages(talk)
    assert len(items) == 1
    record = manager.approve_review_item(items[0].id)
    assert "tabs" in record.content
    assert place.start().crystallize_user_messages([dict(message) for message in talk]) == []
