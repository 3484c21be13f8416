"""How the index packs who has a term, and that damage of it is noticed."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentao.memory.recall.postings import (
    SPARSE,
    IndexDamaged,
    among,
    count,
    has,
    members,
    ordinals,
    pack,
    union,
    unpack,
)

SIZES = st.sampled_from([1, 7, 8, 9, 63, 64, 65, 200, 1_030, 9_000])


@st.composite
def packed(draw: st.DrawFn) -> tuple[int, list[int]]:
    """A size of a segment, and the documents that have a term: a few, or many."""
    size = draw(SIZES)
    chosen = draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=draw(st.sampled_from([1, 3, 40, 150]))))
    return size, sorted(chosen)


@given(packed())
def test_what_is_packed_comes_back(given: tuple[int, list[int]]) -> None:
    """Every question that can be put to packed postings is answered as by the plain list of documents."""
    size, documents = given
    postings = unpack(pack(array("H", documents), size), size)
    assert list(ordinals(postings)) == documents
    assert count(postings) == len(documents)
    some = set(range(0, size, 3))
    assert set(among(postings, some)) == some & set(documents)
    assert [o for o in range(size) if has(postings, o)] == documents


@given(packed(), st.data())
def test_a_union_has_the_documents_of_all(given: tuple[int, list[int]], data: st.DataObject) -> None:
    """Listed and packed postings may be mixed in a union."""
    size, documents = given
    others = sorted(data.draw(st.sets(st.integers(0, size - 1), max_size=30)))
    bits = union([unpack(pack(array("H", documents), size), size), others], size)
    assert list(members(bits)) == sorted({*documents, *others})


def test_neither_form_is_large() -> None:
    """A term that all have takes a bit for each document, a rare one two bytes for each that has it."""
    assert len(pack(array("H", range(6_400)), 6_400)) == 800
    assert len(pack(array("H", range(100)), 100 * SPARSE)) == 200


@pytest.mark.parametrize(
    ("blob", "size"),
    [
        (None, 10),
        ("text", 10),
        (b"", 10),
        (b"\0\0\0", 640),
        (b"\xff\xff", 640),
        (b"\0\x04", 10),
        (bytes(22), 640),
    ],
    ids=["nothing", "no bytes", "empty", "odd", "listed beyond the end", "bit beyond the end", "too many listed"],
)
def test_damage_is_noticed(blob: object, size: int) -> None:
    """What cannot be the postings of a term in a segment of this size is not read as such."""
    with pytest.raises(IndexDamaged):
        unpack(blob, size)
