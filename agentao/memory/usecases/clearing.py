"""Removing everything of a kind, and saying truly which part of it was removed."""

from __future__ import annotations

from agentao.errors import StoreError
from agentao.memory.models import Scope
from agentao.memory.usecases.outcomes import ClearOutcome, ClearPreview
from agentao.memory.usecases.review import ReviewQueue
from agentao.memory.usecases.sessions import SessionSummaries
from agentao.memory.usecases.writing import MemoryWriter, new_batch


class Clearing:
    """``/memory clear`` and its parts. A part that fails does not keep the others from being cleared, and is told."""

    def __init__(self, writer: MemoryWriter, review: ReviewQueue, summaries: SessionSummaries) -> None:
        self._writer = writer
        self._stores = writer.stores
        self._review = review
        self._summaries = summaries

    def preview(self) -> ClearPreview:
        """What ``everything`` would remove."""
        return ClearPreview(
            user=self._stores.user.count("user"),
            project=self._stores.project.count("project"),
            summaries=self._summaries.count(),
            pending=len(self._review.items("pending")),
        )

    def memories(self, scope: Scope | None) -> ClearOutcome:
        """Softly delete the memories of a scope, or of both with what waits for review; one undo brings them back."""
        batch = {"batch": new_batch()}
        counts: dict[Scope, int] = {"user": 0, "project": 0}
        pending = 0
        failures = []
        for store, part in self._stores.parts(scope):
            try:
                with self._writer.transaction(store):
                    gone = self._writer.delete(store, [r.id for r in store.records(part)], "user", "clear", batch)
                    here = store.delete_review("pending") if scope is None or not self._stores.shared else 0
            except StoreError as exc:
                kinds = " and ".join(self._stores.scopes(store) if part is None else (part,))
                failures.append(f"The {kinds} memories were not cleared: {exc}")
                continue
            pending += here
            for record in gone:
                counts[record.scope] += 1
        return ClearOutcome(counts["user"], counts["project"], 0, pending, tuple(failures))

    def count_memories(self, scope: Scope | None) -> int:
        """``memories``, as a number.

        Raises:
            StoreError: says which part was cleared and which was not.
        """
        done = self.memories(scope)
        if done.failures:
            cleared = f"Cleared: {done.user} user and {done.project} project memories."
            raise StoreError(f"{' '.join(done.failures)} {cleared}")
        return done.user + done.project

    def everything(self) -> ClearOutcome:
        """The memories of both scopes (softly), what waits for review, and all session summaries (really)."""
        done = self.memories(None)
        summaries, failures = 0, list(done.failures)
        try:
            summaries = self._summaries.clear()
        except StoreError as exc:
            failures.append(f"The session summaries were not cleared: {exc}")
        return ClearOutcome(done.user, done.project, summaries, done.pending, tuple(failures))
