"""Rows of the tables to records and back. What another program wrote is read with tolerance, never trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast, get_args

from agentao.memory import models
from agentao.memory.models import (
    MEMORY_TYPES,
    SCOPES,
    Confidence,
    MemoryType,
    ReviewStatus,
    Scope,
    Source,
)

if TYPE_CHECKING:
    from agentao.memory.models import MemoryEvent, MemoryRecord, MemoryReviewItem, SessionSummaryRecord
from agentao.memory.storage.times import as_stamp, is_stamp

Row = Sequence[Any]

MEMORY_COLUMNS = (
    "id", "scope", "type", "key_normalized", "title", "content", "tags_json", "keywords_json", "source", "confidence",
    "sensitivity", "created_at", "updated_at", "deleted_at",
)  # fmt: skip
SUMMARY_COLUMNS = ("id", "session_id", "summary_text", "tokens_before", "messages_summarized", "created_at")
EVENT_COLUMNS = ("id", "memory_id", "event_type", "timestamp", "detail")
REVIEW_COLUMNS = (
    "id", "scope", "type", "key_normalized", "title", "content", "tags_json", "evidence", "source_session",
    "occurrences", "confidence", "status", "created_at", "updated_at",
)  # fmt: skip

_RECORD_FIELDS = tuple(name.removesuffix("_json") for name in MEMORY_COLUMNS)
_TAGS, _KEYWORDS = MEMORY_COLUMNS.index("tags_json"), MEMORY_COLUMNS.index("keywords_json")
_TYPES = frozenset(MEMORY_TYPES)
_SCOPES = frozenset(SCOPES)
_SOURCES = frozenset(get_args(Source))
_CONFIDENCES = frozenset(get_args(Confidence))
_STATUSES = frozenset(get_args(ReviewStatus))


def type_of(value: object) -> MemoryType:
    """A stored type; what is none of ours is read as a note."""
    return value if value in _TYPES else "note"


def words_of(text: object) -> list[str]:
    """The strings of a JSON list; empty for anything else."""
    if text == "[]" or not isinstance(text, str):
        return []
    if text.startswith('["') and text.endswith('"]') and "\\" not in text:
        # As this store writes it, and no escapes: half the time of a parser, and lists are half of a record's cost.
        words = text[2:-2].split('", "')
        if text.count('"') == 2 * len(words):
            return words
    import json  # here and below: opening a store, and reading what it wrote itself, do without

    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(values, list):
        return []
    return [v for v in values if isinstance(v, str)]


def as_json(value: str | Sequence[Any] | Mapping[str, Any] | None) -> str:
    """A list of strings as it stands in the ``_json`` columns, or the detail of an event, or a value in it."""
    quote, encode = _encoders()
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list) and set(map(type, value)) <= {str}:
        return "[" + ", ".join(map(quote, value)) + "]"
    return encode(value)


@cache
def _encoders() -> tuple[Callable[[str], str], Callable[[object], str]]:
    """For a string, and for anything."""
    import json.encoder

    return json.encoder.encode_basestring, json.JSONEncoder(ensure_ascii=False).encode


def _count(value: object) -> int:
    try:
        return int(cast(Any, value))
    except (TypeError, ValueError, OverflowError):
        return 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def record_of(row: Row, scope: Scope | None = None) -> MemoryRecord:
    """``row`` has ``MEMORY_COLUMNS``; ``scope`` is the file's, where the file decides."""
    (key, own_scope, kind, key_normalized, title, content, tags, keywords, source, confidence, sensitivity,
     created, updated, deleted) = row  # fmt: skip
    return models.MemoryRecord(
        _text(key),
        scope or (own_scope if own_scope in _SCOPES else "project"),
        type_of(kind),
        _text(key_normalized),
        _text(title),
        _text(content),
        words_of(tags),
        words_of(keywords),
        source if source in _SOURCES else "explicit",
        confidence if confidence in _CONFIDENCES else "explicit_user",
        _text(sensitivity) or "normal",
        as_stamp(created),
        as_stamp(updated),
        None if deleted is None else as_stamp(deleted),
    )


def changed(record: MemoryRecord, **changes: Any) -> MemoryRecord:
    """``record`` with other values in these fields."""
    from dataclasses import replace

    return replace(record, **changes)


def in_our_time(record: MemoryRecord) -> MemoryRecord:
    """``record`` with its times in the form of the store."""
    deleted = record.deleted_at
    if is_stamp(record.created_at) and is_stamp(record.updated_at) and (deleted is None or is_stamp(deleted)):
        return record
    return changed(
        record,
        created_at=as_stamp(record.created_at or record.updated_at),
        updated_at=as_stamp(record.updated_at or record.created_at),
        deleted_at=None if deleted is None else as_stamp(deleted),
    )


def row_of(record: MemoryRecord) -> tuple[str | None, ...]:
    """The values of ``MEMORY_COLUMNS``."""
    return (
        record.id, record.scope, record.type, record.key_normalized, record.title, record.content, as_json(record.tags),
        as_json(record.keywords), record.source, record.confidence, record.sensitivity, record.created_at,
        record.updated_at, record.deleted_at,
    )  # fmt: skip


def detail_of(
    before: MemoryRecord | None,
    after: Row,
    actor: str,
    session_id: str,
    extra: Mapping[str, Any] | None = None,
) -> str:
    """The detail of an event that changes a row; ``after`` has ``MEMORY_COLUMNS``. ``extra`` wins over the others."""
    parts = {
        "actor": as_json(actor),
        "session_id": as_json(session_id),
        "before": "null" if before is None else _row_as_json(row_of(before)),
        "after": _row_as_json(after),
    }
    parts.update((name, as_json(value)) for name, value in (extra or {}).items())
    return "{" + ", ".join([f'"{name}": {part}' for name, part in parts.items()]) + "}"


def _row_as_json(row: Row) -> str:
    """A record as it stands in the detail of an event. Lists are JSON in their row already."""
    tags, keywords = row[_TAGS], row[_KEYWORDS]
    parts = list(map(as_json, row))
    parts[_TAGS], parts[_KEYWORDS] = tags, keywords
    return "{" + ", ".join([f'"{name}": {part}' for name, part in zip(_RECORD_FIELDS, parts, strict=True)]) + "}"


def record_from_dict(data: dict[str, Any]) -> MemoryRecord:
    """The record that ``detail_of`` wrote; tolerant of missing and strange fields."""
    import json

    row = [
        json.dumps(data.get(name.removesuffix("_json"))) if name.endswith("_json") else data.get(name)
        for name in MEMORY_COLUMNS
    ]
    return record_of(row)


def summary_of(row: Row) -> SessionSummaryRecord:
    """``row`` has ``SUMMARY_COLUMNS``."""
    key, session_id, text, tokens, messages, created = row
    return models.SessionSummaryRecord(
        _text(key), _text(session_id), _text(text), _count(tokens), _count(messages), as_stamp(created)
    )


def summary_row_of(record: SessionSummaryRecord) -> tuple[str | int, ...]:
    """The values of ``SUMMARY_COLUMNS``."""
    return (
        record.id, record.session_id, record.summary_text, record.tokens_before, record.messages_summarized,
        as_stamp(record.created_at),
    )  # fmt: skip


def event_of(row: Row) -> MemoryEvent:
    """``row`` has ``EVENT_COLUMNS``. A detail that is no JSON object (older versions) is kept under ``text``."""
    import json

    key, memory_id, event_type, timestamp, detail = row
    try:
        data = json.loads(detail) if detail else {}
    except (ValueError, TypeError, RecursionError):
        data = None
    if not isinstance(data, dict):
        data = {"text": _text(detail)}
    return models.MemoryEvent(_count(key), _text(memory_id), _text(event_type), as_stamp(timestamp), data)


def review_of(row: Row, scope: Scope | None = None) -> MemoryReviewItem:
    """``row`` has ``REVIEW_COLUMNS``."""
    (key, own_scope, kind, key_normalized, title, content, tags, evidence, session, occurrences, confidence, status,
     created, updated) = row  # fmt: skip
    return models.MemoryReviewItem(
        _text(key),
        scope or (own_scope if own_scope in _SCOPES else "project"),
        type_of(kind),
        _text(key_normalized),
        _text(title),
        _text(content),
        words_of(tags),
        _text(evidence),
        _text(session),
        max(1, _count(occurrences)),
        cast(Confidence, confidence if confidence in _CONFIDENCES else "auto_summary"),
        cast(ReviewStatus, status if status in _STATUSES else "pending"),
        as_stamp(created),
        as_stamp(updated),
    )


def review_row_of(item: MemoryReviewItem) -> tuple[str | int, ...]:
    """The values of ``REVIEW_COLUMNS``."""
    return (
        item.id, item.scope, item.type, item.key_normalized, item.title, item.content, as_json(item.tags),
        item.evidence, item.source_session, item.occurrences, item.confidence, item.status, as_stamp(item.created_at),
        as_stamp(item.updated_at or item.created_at),
    )  # fmt: skip
