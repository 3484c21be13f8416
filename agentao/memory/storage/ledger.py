"""What a store keeps beside the memories: events, session summaries, the review queue, and copies of itself."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentao.memory.recall import index
from agentao.memory.storage import opening
from agentao.memory.storage.rows import (
    EVENT_COLUMNS,
    REVIEW_COLUMNS,
    SUMMARY_COLUMNS,
    as_json,
    event_of,
    review_of,
    review_row_of,
    summary_of,
    summary_row_of,
)
from agentao.memory.storage.storefile import StoreFile

if TYPE_CHECKING:
    from agentao.memory.models import MemoryEvent, MemoryReviewItem, ReviewStatus, SessionSummaryRecord

_SELECT_EVENT = f"SELECT {', '.join(EVENT_COLUMNS)} FROM memory_events"
_SELECT_SUMMARY = f"SELECT {', '.join(SUMMARY_COLUMNS)} FROM session_summaries"
_SELECT_REVIEW = f"SELECT {', '.join(REVIEW_COLUMNS)} FROM memory_review_queue"


class Ledger(StoreFile):
    """Events, summaries and review items of one file."""

    # -- events ----------------------------------------------------------------

    def log_event(self, memory_id: str, event_type: str, detail: dict[str, Any]) -> None:
        """An event without a change of a row."""
        with self.transaction():
            self._add_event(memory_id, event_type, as_json(detail), detail.get("session_id"))

    def events(
        self,
        memory_id: str | None = None,
        session_id: str | None = None,
        limit: int | None = None,
        newest_first: bool = True,
    ) -> list[MemoryEvent]:
        """Events in the order of writing."""
        where, values = [], list[Any]()
        if memory_id is not None:
            where.append("memory_id = ?")
            values.append(memory_id)
        if session_id is not None:
            where.append("id IN (SELECT event_id FROM event_sessions WHERE session_id = ?)")
            values.append(session_id)
        sql = _SELECT_EVENT + (" WHERE " + " AND ".join(where) if where else "")
        sql += " ORDER BY id" + (" DESC" if newest_first else "")
        if limit is not None:
            sql += " LIMIT ?"
            values.append(max(0, limit))
        return [event_of(row) for row in self._rows(sql, values)]

    def delete_events(self, memory_ids: Iterable[str]) -> int:
        """Remove all events of these memories; returns how many."""
        with self.transaction():
            gone = sum(
                self._conn.execute("DELETE FROM memory_events WHERE memory_id = ?", (memory_id,)).rowcount
                for memory_id in memory_ids
            )
            self._forget_sessions()
        return gone

    def purge_deleted(self) -> int:
        """Really remove the deleted memories, their events and index entries; returns how many.

        Their text is gone from the file after ``compact``.
        """
        with self.transaction():
            ids = [row[0] for row in self._conn.execute("SELECT id FROM memories WHERE deleted_at IS NOT NULL")]
            self._conn.execute(
                "DELETE FROM memory_events WHERE memory_id IN (SELECT id FROM memories WHERE deleted_at IS NOT NULL)"
            )
            self._forget_sessions()
            self._conn.execute("DELETE FROM memories WHERE deleted_at IS NOT NULL")
            with index.spared(self._conn):
                index.remove(self._conn, ids)
                index.purge(self._conn)
        return len(ids)

    # -- session summaries -----------------------------------------------------

    def add_summary(self, record: SessionSummaryRecord) -> None:
        """Store one summary."""
        with self.transaction():
            self._conn.execute(
                f"INSERT INTO session_summaries ({', '.join(SUMMARY_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)",
                summary_row_of(record),
            )

    def summaries(
        self, session_id: str | None = None, exclude_session: str | None = None, limit: int | None = None
    ) -> list[SessionSummaryRecord]:
        """Newest first; of one session, or of all but one."""
        where, values = [], list[Any]()
        if session_id is not None:
            where.append("session_id = ?")
            values.append(session_id)
        if exclude_session is not None:
            where.append("session_id IS NOT ?")
            values.append(exclude_session)
        sql = _SELECT_SUMMARY + (" WHERE " + " AND ".join(where) if where else "")
        sql += " ORDER BY created_at DESC, id DESC"
        if limit is not None:
            sql += " LIMIT ?"
            values.append(max(0, limit))
        return [summary_of(row) for row in self._rows(sql, values)]

    def count_summaries(self) -> int:
        """How many summaries there are."""
        return int(self._rows("SELECT count(*) FROM session_summaries")[0][0])

    def clear_summaries(self, session_id: str | None = None) -> int:
        """Remove the summaries of one session, or all; returns how many."""
        where, values = ("", ()) if session_id is None else (" WHERE session_id = ?", (session_id,))
        with self.transaction():
            return self._conn.execute(f"DELETE FROM session_summaries{where}", values).rowcount

    # -- review queue ----------------------------------------------------------

    def review_items(self, status: ReviewStatus | None = None) -> list[MemoryReviewItem]:
        """Oldest first."""
        where, values = ("", ()) if status is None else (" WHERE status = ?", (status,))
        rows = self._rows(f"{_SELECT_REVIEW}{where} ORDER BY created_at, id", values)
        return [review_of(row, self.scope) for row in rows]

    def get_review(self, id_prefix: str) -> list[MemoryReviewItem]:
        """The item with this id; else all whose id begins so, by id."""
        if not id_prefix:
            return []
        end = id_prefix + "\U0010ffff"
        rows = self._rows(f"{_SELECT_REVIEW} WHERE id >= ? AND id < ? ORDER BY id", (id_prefix, end))
        items = [review_of(row, self.scope) for row in rows]
        return [item for item in items if item.id == id_prefix] or items

    def write_review(self, item: MemoryReviewItem) -> None:
        """Insert ``item`` or replace the one with its id."""
        names = ", ".join(REVIEW_COLUMNS)
        changes = ", ".join(f"{name} = excluded.{name}" for name in REVIEW_COLUMNS[1:])
        with self.transaction():
            self._conn.execute(
                f"INSERT INTO memory_review_queue ({names}) VALUES ({', '.join('?' * len(REVIEW_COLUMNS))}) "
                f"ON CONFLICT (id) DO UPDATE SET {changes}",
                review_row_of(item),
            )

    def set_review_status(self, item_id: str, status: ReviewStatus, expect: ReviewStatus = "pending") -> bool:
        """Change the status if it still is ``expect``; whether it was."""
        with self.transaction():
            changed = self._conn.execute(
                "UPDATE memory_review_queue SET status = ?, updated_at = ? WHERE id = ? AND status = ?",
                (status, self._now(), item_id, expect),
            ).rowcount
        return changed > 0

    def delete_review(self, status: ReviewStatus = "pending") -> int:
        """Remove all items with this status; returns how many."""
        with self.transaction():
            return self._conn.execute("DELETE FROM memory_review_queue WHERE status = ?", (status,)).rowcount

    # -- copies ----------------------------------------------------------------

    def backup_to(self, path: Path | str) -> None:
        """A consistent copy of the file, writers or not, as one new file. An existing file is never overwritten."""
        with self._lock:
            self._may_wait()
            opening.copy_to(self._conn, Path(path))

    # -- inside ----------------------------------------------------------------

    def _forget_sessions(self) -> None:
        self._conn.execute("DELETE FROM event_sessions WHERE event_id NOT IN (SELECT id FROM memory_events)")

    def _add_event(self, memory_id: str, event_type: str, detail: str, session_id: str | None) -> None:
        event_id = self._conn.execute(
            "INSERT INTO memory_events (memory_id, event_type, timestamp, detail) VALUES (?, ?, ?, ?)",
            (memory_id, event_type, self._now(), detail),
        ).lastrowid
        if session_id:
            self._conn.execute("INSERT INTO event_sessions VALUES (?, ?)", (session_id, event_id))
