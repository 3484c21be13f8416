"""Search as a user means it: literal text, in any case, in any script; no character has a special meaning.

All folded texts are read, part by part, for every search: at 100,000 memories that takes some 30 ms, needs no minimal
length of a term, and is right for one Chinese character, for ``c++`` and for a word that is nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from agentao.memory.models import MemoryRecord, Scope
from agentao.memory.recall import sources
from agentao.memory.recall.documents import FIELD_END
from agentao.memory.recall.segments import TEXT_END, IndexDamaged
from agentao.memory.text import fold

if TYPE_CHECKING:
    from agentao.memory.store import SQLiteMemoryStore

EAGER_MAX = 1_000
"""So many results are read at once; of a longer result each record is read when it is looked at."""

_END = TEXT_END.encode()
_FIELD = FIELD_END.encode()

WHOLE, HEAD, TAG, BODY = range(4)
"""Where a term stands, best first: it is the whole title or key, in one of them, in a tag or keyword, in the text."""


class Hit(NamedTuple):
    """One record that was found; hits sort best first: where the terms stand, then the newest."""

    rank: int
    age: int
    store: int
    number: int


def terms(query: str) -> list[str]:
    """The distinct folded terms of a query: words, and ``"quoted words"`` as one; a lone quote is a character."""
    found: list[str] = []
    rest = query.strip()
    while rest:
        end = rest.find('"', 1) if rest[0] == '"' else -1
        if rest[1:end].strip() and end > 0 and not rest[end + 1 : end + 2].strip():
            found.append(rest[1:end])
            rest = rest[end + 1 :].lstrip()
        else:
            word, *more = rest.split(maxsplit=1)
            found.append(word)
            rest = more[0] if more else ""
    return [term for term in dict.fromkeys(map(fold, found)) if term]


def search(
    stores: Sequence[SQLiteMemoryStore], query: str, scope: Scope | None = None, limit: int | None = None
) -> Sequence[MemoryRecord]:
    """Live records in which every term occurs in at least one of title, content, key, tags and keywords; best first.

    A query without terms finds nothing. Raises: the ``StoreError`` family.
    """
    wanted = terms(query)
    asked = [store for store in stores if scope is None or store.scope in (None, scope)]
    if not wanted or not asked:
        return []
    try:
        return _search(asked, wanted, scope, limit, use_index=True)
    except IndexDamaged:
        sources.distrust(asked)
    try:
        return _search(asked, wanted, scope, limit, use_index=True)
    except IndexDamaged:
        return _search(asked, wanted, scope, limit, use_index=False)


def _search(
    stores: Sequence[SQLiteMemoryStore],
    wanted: Sequence[str],
    scope: Scope | None,
    limit: int | None,
    *,
    use_index: bool,
) -> Sequence[MemoryRecord]:
    needles = [term.encode("utf-8", "replace") for term in wanted]
    with sources.opened(stores, use_index=use_index) as opened:
        hits = sorted(hit for at, source in enumerate(opened) for hit in _hits(at, source, needles))
        mixed = scope is not None and any(store.scope is None for store in stores)
        if limit is not None and not mixed:
            hits = hits[: max(0, limit)]
        numbers = [[hit.number for hit in hits if hit.store == at] for at in range(len(stores))]
        ids = [source.ids(found) for source, found in zip(opened, numbers, strict=True)]
        if any(len(known) < len(found) for known, found in zip(ids, numbers, strict=True)):
            raise IndexDamaged("a document of the index has no record")
        results = Results([(stores[hit.store], ids[hit.store][hit.number]) for hit in hits])
        if len(hits) > EAGER_MAX and not mixed:
            return results
        found = [(hit.rank, record) for hit, record in zip(hits, results, strict=True)]
    kept = [(rank, record) for rank, record in found if scope is None or record.scope == scope]
    kept.sort(key=lambda pair: pair[1].id)
    kept.sort(key=lambda pair: pair[1].updated_at, reverse=True)
    kept.sort(key=lambda pair: pair[0])
    return [record for _, record in kept][: None if limit is None else max(0, limit)]


class Results(Sequence[MemoryRecord]):
    """Records of several stores, each read when it is looked at."""

    def __init__(self, places: Sequence[tuple[SQLiteMemoryStore, str]]) -> None:
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> MemoryRecord: ...
    @overload
    def __getitem__(self, at: slice) -> list[MemoryRecord]: ...
    def __getitem__(self, at: int | slice) -> MemoryRecord | list[MemoryRecord]:
        if isinstance(at, slice):
            return [self._read(*place) for place in self._places[at]]
        return self._read(*self._places[at])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @staticmethod
    def _read(store: SQLiteMemoryStore, memory_id: str) -> MemoryRecord:
        record = store.get(memory_id, include_deleted=True)
        if record is None:
            raise IndexDamaged("a document of the index has no record")
        return record


def _hits(at: int, source: sources.StoreSource, needles: Sequence[bytes]) -> Iterator[Hit]:
    """The documents of one source in which every needle occurs."""
    longest = max(needles, key=len)
    others = [needle for needle in needles if needle is not longest]
    for place, first, texts in source.texts():
        if any(needle not in texts for needle in needles):
            continue
        columns = source.segments[place]
        numbers, stamps = columns.numbers, columns.stamps
        ordinal, counted = first, 0
        hit = texts.find(longest)
        while hit >= 0:
            begin = texts.rfind(_END, counted, hit) + 1 or counted
            ordinal += texts.count(_END, counted, begin)
            end = texts.index(_END, hit)
            if all(texts.find(needle, begin, end) >= 0 for needle in others) and numbers[ordinal] not in source.gone:
                rank = sum(_rank(texts, begin, end, needle) for needle in needles)
                yield Hit(rank, -stamps[ordinal], at, numbers[ordinal])
            counted = end + 1
            ordinal += 1
            hit = texts.find(longest, counted)


def _rank(texts: bytes, begin: int, end: int, needle: bytes) -> int:
    """Where the needle stands in the document ``texts[begin:end]``."""
    title_end = texts.index(_FIELD, begin, end)
    key_end = texts.index(_FIELD, title_end + 1, end)
    at = texts.find(needle, begin, end)
    if at < key_end:
        title, key = texts[begin:title_end], texts[title_end + 1 : key_end]
        return WHOLE if needle in (title, key) else HEAD
    return TAG if at < texts.rfind(_FIELD, begin, end) else BODY
