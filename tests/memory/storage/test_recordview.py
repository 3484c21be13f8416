"""A long list of records that is read when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentao.errors import NotFound
from agentao.memory.models import MemoryRecord
from agentao.memory.storage import recordview
from agentao.memory.storage.recordview import EAGER_MAX, RecordView, merged
from agentao.memory.store import SQLiteMemoryStore
from tests.support.stores import record, stamp

COUNT = EAGER_MAX + 50


@pytest.fixture(scope="module")
def store() -> Iterator[SQLiteMemoryStore]:
    with SQLiteMemoryStore.open(None) as store:
        store.upsert_many(record(n, created_at=stamp(n // 2)) for n in range(COUNT))
        yield store


def test_a_long_list_is_the_list(store: SQLiteMemoryStore) -> None:
    """Length, order, numbers from both ends, slices and equality are those of the list of all records."""
    found, whole = store.filter_by_tag("Alpha"), store.records()
    assert isinstance(found, RecordView)
    assert len(found) == len(whole) == COUNT
    assert list(found) == whole and found == whole
    assert (found[0], found[-1], found[777]) == (whole[0], whole[-1], whole[777])
    assert found[5:8] == whole[5:8] and found[-3:] == whole[-3:] and found[::400] == whole[::400]
    assert found != whole[1:]
    with pytest.raises(IndexError):
        found[COUNT]


def test_a_short_list_is_read_at_once(store: SQLiteMemoryStore) -> None:
    """Up to a thousand records come as a list."""
    assert isinstance(store.filter_by_tag("tag1"), list)
    assert store.filter_by_tag("tag1") == [r for r in store.records() if "tag1" in r.tags]


@pytest.mark.parametrize("eager_max", [0, 10_000])
def test_parts_of_several_stores_become_one_list(
    eager_max: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Oldest first over all of them, equal times by id, whether they are read already or not."""
    with SQLiteMemoryStore.open(tmp_path / "a.db") as a, SQLiteMemoryStore.open(tmp_path / "b.db") as b:
        for number in range(40):
            (a, b)[number % 3 == 0].write(record(number, created_at=stamp(number // 4)), "create")
        whole = sorted(a.records() + b.records(), key=lambda r: (r.created_at, r.id))
        monkeypatch.setattr("agentao.memory.storage.recordview.EAGER_MAX", eager_max)
        assert list(merged([a.filter_by_tag("alpha"), b.filter_by_tag("alpha")])) == whole
        assert list(merged([a.filter_by_tag("alpha"), list(b.filter_by_tag("alpha"))])) == whole
        assert list(merged([a.filter_by_tag("alpha"), []])) == a.records()
        assert list(merged([])) == []


def test_a_record_that_is_deleted_meanwhile_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that was made before a deletion does not show the deleted record as a live one."""
    monkeypatch.setattr(recordview, "PART", 2)
    monkeypatch.setattr("agentao.memory.storage.recordview.EAGER_MAX", 0)
    with SQLiteMemoryStore.open(tmp_path / "a.db") as store:
        made: list[MemoryRecord] = [record(number) for number in range(5)]
        for one in made:
            store.write(one, "create")
        found = store.filter_by_tag("alpha")
        store.write(replace(made[3], deleted_at=stamp(9)), "delete", before=made[3])
        assert [r.id for r in found] == ["m00000", "m00001", "m00002", "m00004"]
        with pytest.raises(NotFound, match="deleted meanwhile"):
            found[3]
