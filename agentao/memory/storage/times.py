"""The one form of time in a store: UTC, ISO 8601, to the microsecond, with ``+00:00``; as text it sorts as time."""

from __future__ import annotations

from datetime import UTC, datetime

STAMP_CHARS = 32
"""Length of ``2026-01-31T12:00:00.000000+00:00``."""

EPOCH = "1970-01-01T00:00:00.000000+00:00"
"""Stands for a time that cannot be read."""


def utc_now() -> datetime:
    """The present time, in UTC."""
    return datetime.now(UTC)


def to_stamp(moment: datetime) -> str:
    """``moment`` in the form of the store. A moment without a zone is this machine's local time."""
    return (moment if moment.tzinfo is UTC else moment.astimezone(UTC)).isoformat(timespec="microseconds")


def is_stamp(text: object) -> bool:
    """Whether ``text`` already has the form of the store."""
    return isinstance(text, str) and len(text) == STAMP_CHARS and text.endswith("+00:00")


def as_stamp(text: object) -> str:
    """Any stored time in the form of the store; ``EPOCH`` where it is no time at all.

    A time without a zone is this machine's local time: so older versions write it.
    """
    if is_stamp(text):
        return str(text)
    try:
        return to_stamp(datetime.fromisoformat(str(text).strip()))
    except (ValueError, OverflowError, OSError):
        return EPOCH
