"""The review queue: what was mined waits here; only the user's approval makes it a memory."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from agentao.errors import GuardError, NotFound, ReviewConflict, UsageError
from agentao.memory import models
from agentao.memory.models import KEY_MAX_CHARS
from agentao.memory.storage.ids import random_id
from agentao.memory.store import SQLiteMemoryStore
from agentao.memory.text import compiled, one_line
from agentao.memory.usecases.writing import Draft, MemoryWriter

if TYPE_CHECKING:
    from agentao.memory.crystallizer import MemoryCrystallizer
    from agentao.memory.models import MemoryProposal, MemoryRecord, MemoryReviewItem, ReviewStatus

SHOWN_CHARS = 240
"""How much of a value a message quotes."""

_ASKING = r"^(?:(?:remember|note|keep in mind|bear in mind|don't forget)(?: that)? |(?:帮我)?(?:记住|记得|记一下) ?)"
_LITERAL = r"[0-9a-z]+|[^\W0-9a-z_]"
_LITERALS_MAX = 12
"""So many words find the few memories that may say the same; each costs a look at every text."""
_SAME_WORDS_MAX = 500
"""How many live memories that share all words with a proposal are compared with it."""


class Searcher(Protocol):
    """Literal search over both scopes, for finding memories with the same wording."""

    def __call__(self, query: str, *, limit: int | None = None) -> Sequence[MemoryRecord]: ...


class ReviewQueue:
    """Proposals in, decisions out. An item stands in the store of its scope: approving it is one transaction."""

    def __init__(self, writer: MemoryWriter, search: Searcher, crystallizer: MemoryCrystallizer | None) -> None:
        self._writer = writer
        self._stores = writer.stores
        self._search = search
        self._crystallizer = crystallizer
        # The messages themselves are kept: an id alone may be given again.
        self._mined: dict[int, object] = {}

    def new_session(self) -> None:
        """Forget which messages were mined."""
        self._mined.clear()

    # -- proposals in ----------------------------------------------------------------------------------------------

    def mine(self, messages: Sequence[Any]) -> list[MemoryReviewItem]:
        """Mine the user's messages; those that were mined in this session before count no second time."""
        fresh = [message for message in messages if self._mined.get(id(message)) is not message]
        if not fresh:
            return []
        if self._crystallizer is None:
            from agentao.memory.crystallizer import MemoryCrystallizer

            self._crystallizer = MemoryCrystallizer()
        session_id = self._writer.session_id
        proposals = self._crystallizer.extract_from_user_messages(messages, session_id)
        if len(fresh) < len(messages):
            # The whole conversation says what stands; only the new messages say how often.
            again = self._crystallizer.extract_from_user_messages(fresh, session_id)
            often = {fingerprint(proposal.content): proposal.occurrences for proposal in again}
            marked = [(proposal, fingerprint(proposal.content)) for proposal in proposals]
            proposals = [replace(proposal, occurrences=often[mark]) for proposal, mark in marked if mark in often]
        touched = self.propose(proposals)
        self.pass_over(fresh)
        return touched

    def pass_over(self, messages: Iterable[Any]) -> None:
        """Count these as mined."""
        self._mined.update((id(message), message) for message in messages)

    def propose(self, proposals: Iterable[MemoryProposal]) -> list[MemoryReviewItem]:
        """Queue what is new and strengthen what was said again; returns the items concerned, in the order given.

        A statement that was decided on before, or that a live memory already makes, is not proposed: its folded wording
        counts, not its key. Where another statement waits under its key, it gets a key of its own.
        """
        ready = []
        for proposal in proposals:
            clean = self._guarded(proposal)
            if clean is not None and not self._is_live(clean, mark := fingerprint(clean.content)):
                ready.append((clean, mark))
        concerned = {clean.scope for clean, _ in ready}
        # All or none: whoever stops this and mines the same messages again must not find some of them counted.
        with ExitStack() as stack:
            for store in self._stores.all:
                if concerned.intersection(self._stores.scopes(store)):
                    stack.enter_context(self._writer.transaction(store))
            return [item for clean, mark in ready if (item := self._queue(clean, mark))]

    def _guarded(self, proposal: MemoryProposal) -> MemoryProposal | None:
        guard = self._writer.guard
        try:
            guard.check_record(proposal.title, proposal.content, proposal.tags)
            return replace(
                proposal,
                key_normalized=guard.validate_key(proposal.key_normalized),
                content=guard.validate_content(proposal.content),
                tags=guard.validate_tags(proposal.tags),
                evidence=guard.mask_secrets(proposal.evidence),
            )
        except GuardError:
            return None

    def _is_live(self, proposal: MemoryProposal, mark: str) -> bool:
        """Whether a memory, under whatever key, says it in the same words."""
        same = {mark, _spoken_of(mark)}
        key = proposal.key_normalized
        found: Iterable[MemoryRecord] = [
            r for store, part in self._stores.parts() for r in store.find_by_key(key, part)
        ]
        if any(fingerprint(record.content) in same for record in found):
            return True
        words = _characters(_spoken_of(mark))
        found = self._search(" ".join(f'"{word}"' for word in words), limit=_SAME_WORDS_MAX)
        return any(fingerprint(record.content) in same for record in found)

    def _queue(self, proposal: MemoryProposal, mark: str) -> MemoryReviewItem | None:
        writer = self._writer
        store = self._stores.of(proposal.scope)
        scope = proposal.scope if self._stores.shared else None
        known = [item for item in store.review_items() if scope is None or item.scope == scope]
        same = [item for item in known if fingerprint(item.content) == mark]
        if any(item.status != "pending" for item in same):
            return None
        if same:
            item = replace(
                same[0],
                occurrences=same[0].occurrences + proposal.occurrences,
                confidence="inferred",
                updated_at=writer.now(),
            )
        else:
            waiting = {item.key_normalized for item in known if item.status == "pending"}
            item = _with_own_key(self._item(proposal), waiting)
        store.write_review(item)
        writer.version += 1
        return item

    def _item(self, proposal: MemoryProposal) -> MemoryReviewItem:
        now = self._writer.now()
        return models.MemoryReviewItem(
            id=random_id(),
            scope=proposal.scope,
            type=proposal.type,
            key_normalized=proposal.key_normalized,
            title=proposal.title,
            content=proposal.content,
            tags=proposal.tags,
            evidence=proposal.evidence,
            source_session=proposal.source_session or self._writer.session_id,
            occurrences=proposal.occurrences,
            confidence="inferred" if proposal.occurrences > 1 else proposal.confidence,
            status="pending",
            created_at=now,
            updated_at=now,
        )

    # -- the queue -------------------------------------------------------------------------------------------------

    def items(self, status: ReviewStatus | None) -> list[MemoryReviewItem]:
        """Both scopes, oldest first."""
        found = [item for store, _ in self._stores.parts() for item in store.review_items(status)]
        return sorted(found, key=lambda item: (item.created_at, item.id))

    def find(self, given: str) -> tuple[SQLiteMemoryStore, MemoryReviewItem]:
        """The item with this id, or the only one whose id begins so.

        Raises:
            NotFound: there is none.
            UsageError: several ids begin so, or nothing was given.
        """
        wanted = one_line(given).lower()
        if not wanted:
            raise UsageError("Which review item? Give its id or the beginning of it; /memory review lists them.")
        found = [
            (store, item)
            for store, _ in self._stores.parts()
            for item in store.review_items()
            if item.id.lower().startswith(wanted)
        ]
        exact = [pair for pair in found if pair[1].id.lower() == wanted]
        found = exact or found
        waiting = [pair for pair in found if pair[1].status == "pending"]
        if len(found) > 1 and len(waiting) == 1:
            found = waiting
        if not found:
            raise NotFound(f"No review item has the id {wanted[:40]}; /memory review lists them.")
        if len(found) > 1:
            ids = ", ".join(item.id for _, item in found[:5])
            raise UsageError(f"{len(found)} review items have an id that begins with {wanted}: {ids}. Give more of it.")
        return found[0]

    # -- decisions -------------------------------------------------------------------------------------------------

    def approve(self, given: str, replace_live: bool = False) -> MemoryRecord:
        """Make the item a memory, through the same guard as any save, and mark it, in one transaction.

        Raises:
            GuardError: it was decided on already, or the guard refuses it.
            ReviewConflict: a live memory has this key and another value, and ``replace_live`` is False.
        """
        writer = self._writer
        store, item = self.find(given)
        draft = self._draft(item)
        with writer.transaction(store):
            self._decide(store, item, "approved")
            live = store.find_by_key(draft.key, item.scope if self._stores.shared else None)
            rivals = [record for record in live if not _same_text(record.content, draft.content)]
            if rivals and not replace_live:
                raise ReviewConflict(
                    f'"{rivals[-1].title}" is already saved ({item.scope}) with another value. '
                    f"Saved: {quote(rivals[-1].content)}. Proposed: {quote(draft.content)}. "
                    "Approve with --replace to change it, or reject the item."
                )
            if live and not rivals:
                # The memory says it already, and in words the user chose: only the item changes.
                writer.put(store, live[-1], "approve", before=live[-1], actor="review", extra={"review_id": item.id})
                return live[-1]
            return writer.save(draft, "review", "approve", {"review_id": item.id}).record

    def reject(self, given: str) -> MemoryReviewItem:
        """Keep the statement out for good.

        Raises:
            GuardError: it was decided on already.
        """
        store, item = self.find(given)
        with self._writer.transaction(store):
            self._decide(store, item, "rejected")
            self._writer.log(store, item.id, "reject", "review", review_id=item.id, scope=item.scope, title=item.title)
        self._writer.version += 1
        return replace(item, status="rejected")

    def _draft(self, item: MemoryReviewItem) -> Draft:
        guard = self._writer.guard
        guard.check_record(item.title, item.content, item.tags)
        return Draft(
            key=guard.validate_key(item.key_normalized),
            title=guard.validate_title(item.title or item.key_normalized),
            content=guard.validate_content(item.content),
            tags=guard.validate_tags(item.tags),
            scope=item.scope,
            rule_scope=item.scope,
            type=item.type,
            source="crystallized",
            confidence=item.confidence,
        )

    def _decide(self, store: SQLiteMemoryStore, item: MemoryReviewItem, status: ReviewStatus) -> None:
        if store.set_review_status(item.id, status, expect="pending"):
            return
        now = next((other.status for other in store.review_items() if other.id == item.id), None)
        if now is None:
            raise NotFound(f"The review item {item.id} is gone; it was cleared meanwhile.")
        raise GuardError(f"The review item {item.id} is already {now}; nothing was changed.")

    def may_reopen(self, store: SQLiteMemoryStore, item_id: str, was: ReviewStatus) -> bool:
        """Whether a decided item may wait again: no other one waits under its key by now."""
        item = next((item for item in store.review_items(was) if item.id == item_id), None)
        return item is not None and not any(
            (other.scope, other.key_normalized) == (item.scope, item.key_normalized)
            for other in store.review_items("pending")
        )

    def reopen(self, store: SQLiteMemoryStore, item_id: str, was: ReviewStatus) -> None:
        """Put a decided item back into the queue (for undo), where it may wait."""
        if self.may_reopen(store, item_id, was):
            store.set_review_status(item_id, "pending", expect=was)


def _with_own_key(item: MemoryReviewItem, taken: Container[str]) -> MemoryReviewItem:
    """The item under its key, or under the first free one of ``key_2``, ``key_3``, …"""
    key, number = item.key_normalized, 1
    while key in taken:
        number += 1
        suffix = f"_{number}"
        key = item.key_normalized[: KEY_MAX_CHARS - len(suffix)].rstrip("_") + suffix
    return item if number == 1 else replace(item, key_normalized=key, title=f"{item.title} {number}")


def fingerprint(text: str) -> str:
    """The folded wording in which statements are compared."""
    # Mining's rules are compiled at import; most runs never need them.
    from agentao.memory.crystallizer import proposal_fingerprint

    return proposal_fingerprint(text)


def quote(text: str) -> str:
    """A value for a message: one line, shortened, in quotes."""
    line = one_line(text)
    return f'"{line[:SHOWN_CHARS]}…"' if len(line) > SHOWN_CHARS else f'"{line}"'


def _same_text(first: str, second: str) -> bool:
    return fingerprint(first) == fingerprint(second)


def _spoken_of(mark: str) -> str:
    """The folded wording without the words that only ask to remember it."""
    return compiled(_ASKING).sub("", mark) or mark


def _characters(mark: str) -> list[str]:
    """What any text with this folded wording holds literally: its words, and of Chinese the single characters."""
    return list(dict.fromkeys(compiled(_LITERAL).findall(mark)))[:_LITERALS_MAX]
