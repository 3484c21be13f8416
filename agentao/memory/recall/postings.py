"""Postings: which documents of a segment have a term.

Packed as their ordinals (16 bits each, little-endian, ascending) where at most one document of 64 has the term, as a
bitmap (document o is bit o % 8 of byte o // 8) where more have it: small either way, and a document is found in a long
one without reading it (as in Roaring bitmaps; Chambi, Lemire, Kaser and Godin, 2016).
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence, Set

Postings = Sequence[int]
"""The ordinals, or a bitmap if they are ``bytes``."""

SPARSE = 64
"""At most one document of so many has a term whose ordinals are listed."""

_BLOCK = 128
_EMPTY = bytes(_BLOCK)
_NOT_ZERO = re.compile(rb"[^\0]", re.DOTALL)
_BITS = tuple(tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256))


class IndexDamaged(Exception):
    """The tables of the index do not fit together; it is made again from the records."""


def pack(ordinals: array[int], size: int) -> bytes:
    """The postings of a term in a segment of ``size`` documents; ``ordinals``: ascending, of type H."""
    if len(ordinals) * SPARSE > size:
        return union([ordinals], size).to_bytes(size + 7 >> 3, "little")
    if sys.byteorder == "big":
        ordinals = ordinals[:]
        ordinals.byteswap()
    return ordinals.tobytes()


def unpack(blob: object, size: int) -> Postings:
    """What ``pack`` made for a segment of ``size`` documents. Raises: ``IndexDamaged``."""
    if not isinstance(blob, bytes) or not blob:
        raise IndexDamaged("the postings of a term have the wrong type")
    if len(blob) == size + 7 >> 3:
        if blob[-1] >> ((size - 1) % 8 + 1):
            raise IndexDamaged("the postings of a term name a document that is not there")
        return blob
    if len(blob) % 2 or len(blob) * SPARSE > size * 2:
        raise IndexDamaged("the postings of a term have the wrong size")
    found = array("H", blob)
    if sys.byteorder == "big":
        found.byteswap()
    if found[-1] >= size:
        raise IndexDamaged("the postings of a term name a document that is not there")
    return found


def count(postings: Postings) -> int:
    """How many documents have the term."""
    return int.from_bytes(postings, "little").bit_count() if isinstance(postings, bytes) else len(postings)


def ordinals(postings: Postings) -> Sequence[int]:
    """The documents that have the term, ascending."""
    if not isinstance(postings, bytes):
        return postings
    found: list[int] = []
    for begin in range(0, len(postings), _BLOCK):
        block = postings[begin : begin + _BLOCK]
        # Most blocks of a rare one are empty, which is quickly seen.
        if block != _EMPTY:
            for hit in _NOT_ZERO.finditer(block):
                first = (begin + hit.start()) << 3
                bits = _BITS[hit[0][0]]
                if len(bits) == 1:
                    found.append(first + bits[0])
                else:
                    found += [first + bit for bit in bits]
    return found


def has(postings: Postings, ordinal: int) -> bool:
    """Whether the document has the term."""
    if isinstance(postings, bytes):
        return bool(postings[ordinal >> 3] >> (ordinal & 7) & 1)
    at = bisect_left(postings, ordinal)
    return at < len(postings) and postings[at] == ordinal


def among(postings: Postings, some: Set[int]) -> Collection[int]:
    """Those of ``some`` that have the term."""
    if isinstance(postings, bytes):
        return [o for o in some if postings[o >> 3] >> (o & 7) & 1]
    if len(postings) <= 8 * len(some):
        return some & set(postings)
    return [o for o in some if has(postings, o)]


def union(lists: Iterable[Postings], size: int) -> int:
    """The documents of a segment of ``size`` that have one of the terms, document o as bit o."""
    bits = 0
    listed = bytearray()
    for postings in lists:
        if isinstance(postings, bytes):
            bits |= int.from_bytes(postings, "little")
        else:
            listed = listed or bytearray(size + 7 >> 3)
            for o in postings:
                listed[o >> 3] |= 1 << (o & 7)
    return bits | int.from_bytes(listed, "little")


def members(bits: int) -> Sequence[int]:
    """The documents of a ``union``, ascending."""
    return ordinals(bits.to_bytes(bits.bit_length() + 7 >> 3, "little"))
