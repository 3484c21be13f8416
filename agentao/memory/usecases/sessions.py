"""Session summaries: kept whole, masked, and told to later sessions as a short tail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentao.errors import GuardError
from agentao.memory import models
from agentao.memory.models import SESSION_TAIL_SUMMARIES
from agentao.memory.text import strip_controls
from agentao.memory.usecases.writing import MemoryWriter

if TYPE_CHECKING:
    from agentao.memory.models import SessionSummaryRecord

_GENERATION = "summaries_generation"
_GENERATION_MAX_CHARS = 18


class SessionSummaries:
    """The summaries of this project's store; the user store holds none of them."""

    def __init__(self, writer: MemoryWriter) -> None:
        self._writer = writer
        self._store = writer.stores.project

    def generation(self) -> int:
        """Grows whenever the summaries are cleared, by any process; see ``save``."""
        stored = self._store.get_meta(_GENERATION) or ""
        # Python reads no number of thousands of digits, and a file from elsewhere may hold any text.
        return int(stored) if stored.isascii() and stored.isdigit() and len(stored) <= _GENERATION_MAX_CHARS else 0

    def record(self, text: str, tokens_before: int, messages_summarized: int) -> SessionSummaryRecord:
        """A summary as it would be stored: secrets masked, control characters gone.

        Raises:
            GuardError: nothing is left of it.
        """
        writer = self._writer
        clean = strip_controls(writer.guard.mask_secrets(text)).strip()
        if not clean:
            raise GuardError("The summary is empty; nothing was saved.")
        return models.SessionSummaryRecord(
            id=writer.new_id(),
            session_id=writer.session_id,
            summary_text=clean,
            tokens_before=max(0, int(tokens_before)),
            messages_summarized=max(0, int(messages_summarized)),
            created_at=writer.now(),
        )

    def save(self, record: SessionSummaryRecord, generation: int | None) -> bool:
        """Store a summary; False, and nothing stored, when the summaries were cleared since ``generation`` was read."""
        with self._writer.transaction(self._store):
            if generation is not None and generation != self.generation():
                return False
            self._store.add_summary(record)
        self._writer.version += 1
        return True

    def recent(self, session_id: str | None, limit: int) -> list[SessionSummaryRecord]:
        """Newest first; ``None`` means the present session."""
        return self._store.summaries(session_id=session_id or self._writer.session_id, limit=limit)

    def newest(self) -> SessionSummaryRecord | None:
        """The newest summary of any session."""
        found = self._store.summaries(limit=1)
        return found[0] if found else None

    def count(self) -> int:
        """How many there are."""
        return self._store.count_summaries()

    def clear(self) -> int:
        """Really remove all of them; returns how many."""
        with self._writer.transaction(self._store):
            count = self._store.clear_summaries()
            self._store.set_meta(_GENERATION, str(self.generation() + 1))
        self._writer.version += 1
        return count

    def tail(self) -> str:
        """The newest three summaries of other sessions, oldest first, cut to 800 characters as rendered."""
        from agentao.memory.renderer import fit_tail

        found = self._store.summaries(exclude_session=self._writer.session_id, limit=SESSION_TAIL_SUMMARIES)
        return fit_tail("\n".join(record.summary_text.strip() for record in reversed(found)))
