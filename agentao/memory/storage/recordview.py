"""Many records at once: a sequence that knows their order and reads them in parts when they are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, overload

from agentao.errors import NotFound
from agentao.memory.models import MemoryRecord

EAGER_MAX = 1_000
"""Up to so many records are read at once (about 10 ms); a list that is longer is seldom looked at as a whole."""

PART = 200

Key = tuple[str, str, int]
"""What the records are ordered by (``created_at``, a title), id, and the number of the reader."""


class Reader(Protocol):
    """Where the records are read."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        """The live records with these ids."""


class RecordView(Sequence[MemoryRecord]):
    """Live records by their keys. One that is deleted before it is looked at is passed over, or not found by number."""

    def __init__(self, keys: list[Key], readers: Sequence[Reader]) -> None:
        self.keys = keys
        self.readers = readers
        self._part: dict[tuple[int, str], MemoryRecord] = {}

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, at: int) -> MemoryRecord: ...
    @overload
    def __getitem__(self, at: slice) -> list[MemoryRecord]: ...
    def __getitem__(self, at: int | slice) -> MemoryRecord | list[MemoryRecord]:
        if isinstance(at, slice):
            return list(RecordView(self.keys[at], self.readers))
        number = range(len(self.keys))[at]
        _, key, reader = self.keys[number]
        if (reader, key) not in self._part:
            self._read(number - number % PART)
        try:
            return self._part[reader, key]
        except KeyError:
            raise NotFound(f"The memory {key} was deleted meanwhile.") from None

    def __iter__(self) -> Iterator[MemoryRecord]:
        for start in range(0, len(self.keys), PART):
            self._read(start)
            part = self._part
            for _, key, reader in self.keys[start : start + PART]:
                if (reader, key) in part:
                    yield part[reader, key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _read(self, start: int) -> None:
        part = self.keys[start : start + PART]
        self._part = {
            (number, key): record
            for number, reader in enumerate(self.readers)
            for key, record in reader.by_ids([key for _, key, own in part if own == number]).items()
        }


class _Given:
    """Records that are read already."""

    def __init__(self, records: Iterable[MemoryRecord]) -> None:
        self._records = {record.id: record for record in records}

    def by_ids(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        return {key: self._records[key] for key in ids}


def merged(parts: Sequence[Sequence[MemoryRecord]]) -> Sequence[MemoryRecord]:
    """The records of all parts, each oldest first, in one sequence, oldest first; equal times by id."""
    parts = [part for part in parts if len(part)]
    if len(parts) == 1:
        return parts[0]
    if not any(isinstance(part, RecordView) for part in parts):
        return sorted((r for part in parts for r in part), key=lambda record: (record.created_at, record.id))
    keys: list[Key] = []
    readers: list[Reader] = []
    for part in parts:
        first = len(readers)
        if isinstance(part, RecordView):
            readers += part.readers
            keys += [(created, key, first + own) for created, key, own in part.keys]
        else:
            readers.append(_Given(part))
            keys += [(record.created_at, record.id, first) for record in part]
    return RecordView(sorted(keys), readers)
