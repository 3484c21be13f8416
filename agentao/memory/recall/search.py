"""Search as a user means it: literal text, in any case, in any script; no character has a special meaning.

All folded texts are read, part by part, for every search: at 100,000 memories that takes some 30 ms, needs no minimal
length of a term, and is right for one Chinese character, for ``c++`` and for a word that is nowhere.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, overload

from agentao.errors import NotFound
from agentao.memory.models import MemoryRecord, Scope
from agentao.memory.recall import sources
from agentao.memory.recall.documents import FIELD_END
from agentao.memory.recall.postings import IndexDamaged
from agentao.memory.recall.segments import Texts
from agentao.memory.text import fold

if TYPE_CHECKING:
    from agentao.memory.store import SQLiteMemoryStore

EAGER_MAX = 500
"""So many results are read at once; of a longer result each record is read when it is looked at."""

_FIELD = FIELD_END.encode()

WHOLE, HEAD, TAG, BODY = range(0, 8, 2)
"""Where a term first stands, best first: as the whole title or key, in one of them, in a tag or keyword, in the text.

Several terms that are the whole title or key together count as ``WHOLE``."""

INSIDE = 1
"""Added where a letter or digit of ASCII goes on before or after that first place, as in ``item50`` for ``item5``. A
later place may well be a whole word, and in the content only the longest term is looked at: more would slow down what
is found everywhere."""

_LETTERS = bytes(chr(byte).isalnum() and byte < 128 for byte in range(256))
"""1 for each byte that is a letter or digit of ASCII. Chinese has no such bounds of words."""

_NONE = bytes(256)


Hit = int
"""One number of the rank of where the terms stand, the age, the store and the number of the document, so that many are
quickly made and sorted; the best sort first."""

NUMBER_BITS = 32
STORE_BITS = 8
AGE_BITS = 32
NUMBER_MASK = (1 << NUMBER_BITS) - 1
STORE_MASK = (1 << STORE_BITS) - 1
RANK_AT = NUMBER_BITS + STORE_BITS + AGE_BITS

PAGE = 200
"""So many records are read together."""


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
    mixed = scope is not None and any(store.scope is None for store in stores)
    with sources.opened(stores, use_index=use_index, needles=wanted) as opened:
        hits: list[Hit] = []
        for at, source in enumerate(opened):
            hits += _hits(at, source, wanted)
        hits.sort()
        if limit is not None and not mixed:
            hits = hits[: max(0, limit)]
        if len(hits) > EAGER_MAX and not mixed:
            return Results(stores, hits, [source.unwritten for source in opened])
        places = _places(stores, hits, [source.ids for source in opened])
        if None in places:
            raise IndexDamaged("a document of the index has no record")
        found = _read(places)
        ranked = [(hit >> RANK_AT, found[place]) for hit, place in zip(hits, places, strict=True) if place in found]
    kept = [(rank, record) for rank, record in ranked if scope is None or record.scope == scope]
    kept.sort(key=lambda pair: pair[1].id)
    kept.sort(key=lambda pair: pair[1].updated_at, reverse=True)
    kept.sort(key=lambda pair: pair[0])
    return [record for _, record in kept][: None if limit is None else max(0, limit)]


class Results(Sequence[MemoryRecord]):
    """A long result: its records are read when they are looked at.

    One that has gone by then is left out of a part, and not found by its number.
    """

    def __init__(
        self, stores: Sequence[SQLiteMemoryStore], hits: Sequence[Hit], unwritten: Sequence[Mapping[int, str]]
    ) -> None:
        """``unwritten``: for each store the ids of those hits that the index does not know."""
        self._stores = stores
        self._hits = hits
        self._ids = [partial(sources.ids, *pair) for pair in zip(stores, unwritten, strict=True)]

    def __len__(self) -> int:
        return len(self._hits)

    @overload
    def __getitem__(self, at: int) -> MemoryRecord: ...
    @overload
    def __getitem__(self, at: slice) -> list[MemoryRecord]: ...
    def __getitem__(self, at: int | slice) -> MemoryRecord | list[MemoryRecord]:
        hits = self._hits[at] if isinstance(at, slice) else [self._hits[at]]
        places = _places(self._stores, hits, self._ids)
        found = _read(places)
        records = [found[place] for place in places if place in found]
        if isinstance(at, slice):
            return records
        if not records:
            raise NotFound("The memory was deleted or changed meanwhile.")
        return records[0]

    def __iter__(self) -> Iterator[MemoryRecord]:
        for at in range(0, len(self), PAGE):
            yield from self[at : at + PAGE]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


Place = tuple["SQLiteMemoryStore", str]


def _places(
    stores: Sequence[SQLiteMemoryStore],
    hits: Sequence[Hit],
    ids_of: Sequence[Callable[[Collection[int]], Mapping[int, str]]],
) -> list[Place | None]:
    """Store and id of each hit's record; None where the index no longer knows it."""
    found = [(hit >> NUMBER_BITS & STORE_MASK, hit & NUMBER_MASK) for hit in hits]
    ids = [look_up([number for other, number in found if other == at]) for at, look_up in enumerate(ids_of)]
    return [(stores[at], ids[at][number]) if number in ids[at] else None for at, number in found]


def _read(places: Sequence[Place | None]) -> dict[Place | None, MemoryRecord]:
    """The live records at these places."""
    found: dict[Place | None, MemoryRecord] = {}
    for store in dict.fromkeys(place[0] for place in places if place):
        ids = [place[1] for place in places if place and place[0] is store]
        for begin in range(0, len(ids), PAGE):
            part = store.get_many(ids[begin : begin + PAGE])
            found.update(((store, memory_id), record) for memory_id, record in part.items())
    return found


class Needle(NamedTuple):
    """A term in bytes; ``before`` and ``after`` are 1 for each byte next to it by which a word of it goes on."""

    text: bytes
    before: bytes
    after: bytes

    @classmethod
    def of(cls, term: str) -> Needle:
        """The needle of a folded term."""
        # Half of a surrogate pair stays itself, which no text holds; with "replace" it would find question marks.
        text = term.encode("utf-8", "surrogatepass")
        before, after = (_LETTERS if _LETTERS[edge] else _NONE for edge in (text[0], text[-1]))
        return cls(text, before, after)


def _hits(at: int, source: sources.StoreSource, wanted: Sequence[str]) -> list[Hit]:
    """The documents of one source in which every term occurs."""
    longest, *others = sorted(map(Needle.of, wanted), key=lambda needle: len(needle.text), reverse=True)
    title, key = (sign.join(wanted).encode("utf-8", "surrogatepass") + _FIELD for sign in " _")
    worst_head = len(wanted) * (HEAD + INSIDE) if others else -1
    text, before, after = longest
    size = len(text)
    gone, columns = source.gone, source.segments
    hits: list[Hit] = []
    for place, part in source.texts():
        joined, ends, bodies = part.joined, part.ends, part.bodies
        find = joined.find
        where = find(text)
        if where < 0 or any(needle.text not in joined for needle in others):
            continue
        numbers, stamps, first = columns[place].numbers, columns[place].stamps, part.first
        index = 0
        while where >= 0:
            index = bisect_right(ends, where, index)
            end = ends[index]
            behind = where + size
            if behind > end:
                # Half in one document and half in the next.
                where = find(text, where + 1)
                continue
            # Most hits stand in the content, which is the last field: they need no closer look.
            if where < bodies[index]:
                rank = _rank(part, index, where, longest)
            elif before[joined[where - 1]] or (behind < end and after[joined[behind]]):
                rank = BODY + INSIDE
            else:
                rank = BODY
            begin = ends[index - 1] if others and index else 0
            for needle in others:
                if (other := find(needle.text, begin, end)) < 0:
                    break
                rank += BODY if other >= bodies[index] else _rank(part, index, other, needle)
            else:
                if rank <= worst_head and (
                    joined.startswith(title, begin) or joined.startswith(key, joined.find(_FIELD, begin) + 1)
                ):
                    rank = WHOLE
                ordinal = first + index
                if (number := numbers[ordinal]) not in gone:
                    age = 0xFFFF_FFFF - stamps[ordinal]
                    hits.append((((rank << AGE_BITS | age) << STORE_BITS | at) << NUMBER_BITS) | number)
            where = find(text, end)
    return hits


def _rank(part: Texts, index: int, where: int, needle: Needle) -> int:
    """How good the needle's first place in a document is, which is not in the content."""
    text, before, after = needle
    joined, end = part.joined, part.ends[index]
    begin = part.ends[index - 1] if index else 0
    inside = (where > begin and before[joined[where - 1]]) or after[joined[where + len(text)]]
    title_end = joined.find(_FIELD, begin, end)
    key_end = joined.find(_FIELD, title_end + 1, end)
    if where > key_end:
        return TAG + inside
    return WHOLE if text in (joined[begin:title_end], joined[title_end + 1 : key_end]) else HEAD + inside
