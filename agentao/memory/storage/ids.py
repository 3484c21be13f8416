"""Ids: of records and summaries, which sort by creation; of review items, which are short to type; of sessions."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from agentao.memory.models import Clock

_SORTED = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""62 digits in ASCII order, so that ids sort as the numbers they stand for."""
_TYPED = "0123456789abcdefghjkmnpqrstvwxyz"
"""32 digits without those that are misread (i, l, o, u). Source: Crockford's base 32."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIME_CHARS = 9
"""Microseconds until the year 2398; the first eight characters differ when 62 microseconds lie between."""
_RANDOM_CHARS = 5
"""25 bits that keep two processes apart which save in the same microsecond."""
_REVIEW_CHARS = 8


class RecordIds:
    """Makes ids that sort by creation, also where the clock stands still or steps back within one process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = -1

    def __call__(self) -> str:
        micros = (self._clock().astimezone(UTC) - _EPOCH) // timedelta(microseconds=1)
        self._last = max(micros, self._last + 1)
        return _digits(self._last, _TIME_CHARS) + random_id(_RANDOM_CHARS)


def random_id(length: int = _REVIEW_CHARS) -> str:
    """Random digits; the first few already tell one review item from another."""
    return "".join(_TYPED[byte & 31] for byte in os.urandom(length))


def new_session_id(clock: Clock) -> str:
    """A session's id: its start in UTC, readable, and random digits."""
    return f"{clock().astimezone(UTC):%Y%m%dT%H%M%S}-{random_id(6)}"


def _digits(number: int, length: int) -> str:
    out = []
    for _ in range(length):
        number, digit = divmod(number, len(_SORTED))
        out.append(_SORTED[digit])
    return "".join(reversed(out))
