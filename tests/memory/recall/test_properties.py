"""What holds for recall and search whatever is stored and asked."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentao.memory.manager import MemoryManager
from agentao.memory.models import EXCERPT_MAX_CHARS, MemoryRecord, RecallCandidate
from agentao.memory.recall import index, ranking, sources
from agentao.memory.recall.excerpt import excerpt
from agentao.memory.recall.question import parse
from agentao.memory.recall.search import search
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore

NOW = datetime(2026, 6, 1, tzinfo=UTC)
NEARLY = 0.005
WORDS = [
    "deploy",
    "release",
    "branch",
    "server",
    "cache",
    "token",
    "editor",
    "vim",
    "painting",
    "painted",
    "paints",
    "部署",
    "数据库",
    "编辑器",
    "端口",
    "测试",
    "package_manager",
    "getUserName",
    "v3.11",
    "src/api/handler.py",
    "c++",
    "Kubernetes",
    "Melanie",
    "running",
    "ran",
]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
records = st.lists(st.tuples(texts, texts, st.lists(st.sampled_from(WORDS), max_size=2)), min_size=1, max_size=12)


def made(number: int, title: str, content: str, tags: list[str]) -> MemoryRecord:
    day = number % 5 + 1
    return MemoryRecord(
        f"id{number:05}", "project", "note", f"key_{number}", title, content, tags,
        created_at=f"2026-05-0{day}T00:00:00.000000+00:00", updated_at=f"2026-05-0{day}T00:00:00.000000+00:00",
    )  # fmt: skip


def opened(found: Iterable[MemoryRecord]) -> MemoryManager:
    manager = MemoryManager(project_store=SQLiteMemoryStore.open(None))
    manager.stores[0].upsert_many(found)
    return manager


def recall(manager: MemoryManager, question: str, *, use_index: bool = True, top_k: int = 5) -> list[RecallCandidate]:
    retriever = MemoryRetriever(manager, clock=lambda: NOW, use_index=use_index)
    found = retriever.recall_candidates(question, top_k=top_k)
    assert retriever.error_count == 0, retriever.last_error
    return found


def summary(found: Iterable[RecallCandidate]) -> list[tuple[str, float, tuple[str, ...]]]:
    return [(each.memory_id, round(each.score, 9), each.matched) for each in found]


@given(records, texts, st.randoms(use_true_random=False))
def test_the_order_of_rows_makes_no_difference(
    rows: list[tuple[str, str, list[str]]], question: str, shuffle: random.Random
) -> None:
    """The same records give the same candidates, whatever the order in which they were written."""
    found = [made(number, *row) for number, row in enumerate(rows)]
    first, second = opened(found), opened(shuffle.sample(found, len(found)))

    assert summary(recall(first, question)) == summary(recall(second, question))
    assert [record.id for record in first.search("er")] == [record.id for record in second.search("er")]
    first.close()
    second.close()


@given(records, texts)
def test_the_explanation_adds_up(rows: list[tuple[str, str, list[str]]], question: str) -> None:
    """Factors lie in [0, 1], times the weights they are the score, best first; reasons name those that are not 0."""
    manager = opened(made(number, *row) for number, row in enumerate(rows))
    found = recall(manager, question)
    for each in found:
        f = each.factors
        assert all(0 <= value <= 1 for value in (f.tag, f.title, f.keyword, f.recency))
        assert each.score == pytest.approx((4 * f.tag + 3 * f.title + 2 * f.keyword + f.recency) / 10)
        named = {"tag_match": f.tag, "title_jaccard": f.title, "keyword_hit": f.keyword}
        assert each.reasons == tuple(name for name, value in named.items() if value > 0)
        assert len(each.excerpt) <= EXCERPT_MAX_CHARS
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    manager.close()


@given(st.lists(st.sampled_from(["oak", "elm", "yew", "ash", "fir"]), unique=True, min_size=2, max_size=5))
def test_a_record_gains_from_one_more_matching_word(trees: list[str]) -> None:
    """All else equal, who shares one more word of the question stands higher."""
    more, fewer = " ".join(trees), " ".join([*trees[:-1], "stone"])
    manager = opened([made(1, "Trees", fewer, []), made(6, "Trees", more, [])])
    found = recall(manager, " ".join(trees))
    assert found[0].memory_id == "id00006"
    if len(found) > 1:
        assert found[0].factors.keyword > found[1].factors.keyword
    manager.close()


def test_a_full_match_outweighs_one_in_a_lower_factor() -> None:
    """A tag before a title before a keyword, all else equal."""
    manager = opened(
        [
            made(1, "Some words", "nothing here", ["printer"]),
            made(6, "Printer", "nothing here", []),
            made(11, "Some words", "printer nothing here", []),
        ]
    )
    assert [each.memory_id for each in recall(manager, "printer")] == ["id00001", "id00006", "id00011"]
    manager.close()


def test_the_index_and_the_records_give_the_same_answers() -> None:
    """Segments, merges, waiting documents and what is gone change no answer: reading every record gives the same."""
    draw = random.Random(7)
    manager = MemoryManager(project_store=SQLiteMemoryStore.open(None))
    (store,) = manager.stores

    def batch(numbers: Iterable[int]) -> list[MemoryRecord]:
        return [
            made(n, " ".join(draw.choices(WORDS, k=2)), " ".join(draw.choices(WORDS, k=9)), draw.sample(WORDS, 1))
            for n in numbers
        ]

    for begin in range(0, 700, 70):
        store.upsert_many(batch(range(begin, begin + 70)))
    store.upsert_many(batch(draw.sample(range(700), 150)))
    for number in draw.sample(range(700), 120):
        manager.delete(f"id{number:05}")
    store.upsert_many(batch(range(700, 720)))
    with store.exclusive() as conn:
        assert index.check(conn) == (True, True)
        assert index.whole(conn)

    for _ in range(25):
        question = " ".join(draw.choices(WORDS, k=draw.randint(1, 5)))
        with_index = recall(manager, question, top_k=10)
        without = recall(manager, question, use_index=False, top_k=10)
        # Words of documents that are gone stay counted for a while, so scores differ a little, and near ones change
        # places; further apart the order is the same.
        scores = {each.memory_id: each.score for each in without}
        for one, other in zip(with_index, without, strict=True):
            assert one.score == pytest.approx(other.score, abs=NEARLY)
            assert scores.get(one.memory_id, without[-1].score) == pytest.approx(one.score, abs=NEARLY)
    for query in ("deploy", "cache token", "部", '"painted paints"', "er", "zzz", "handler.py c++"):
        expected = [r for r in store.records() if all(term in text_of(r) for term in query.strip('"').split(" "))]
        if not query.startswith('"'):
            assert {record.id for record in manager.search(query)} == {record.id for record in expected}
    manager.close()


def text_of(record: MemoryRecord) -> str:
    return "\n".join((record.title, record.content, record.key_normalized, *record.tags)).casefold()


def test_a_long_result_is_read_as_it_is_looked_at() -> None:
    """More hits than are read at once are all there, best first, counted, sliced and iterated like a list."""
    manager = opened(made(number, "Note", f"the common word {number}", []) for number in range(1_200))
    found = manager.search("common")
    assert len(found) == 1_200
    assert len({record.id for record in found}) == 1_200
    assert [record.id for record in found[:3]] == [found[at].id for at in range(3)]
    assert [record.updated_at for record in found] == sorted((r.updated_at for r in found), reverse=True)
    manager.delete(found[0].id)
    assert len(list(manager.search("common"))) == 1_199
    assert len(search(manager.stores, "common", limit=7)) == 7
    manager.close()


@given(st.text(max_size=600), st.lists(st.text(min_size=1, max_size=5), max_size=4))
def test_an_excerpt_is_part_of_the_text(text: str, terms: list[str]) -> None:
    """At most 200 characters, nothing but the text itself and an ellipsis where it is cut."""
    shown = excerpt(text, [terms])
    assert len(shown) <= EXCERPT_MAX_CHARS
    assert shown == text or shown.removeprefix("…").removesuffix("…") in text


many_records = st.lists(st.tuples(texts, texts, st.lists(st.sampled_from(WORDS), max_size=2)), min_size=10, max_size=60)


@given(many_records, texts, st.integers(1, 8))
def test_looking_at_the_most_promising_first_loses_nothing(
    given: list[tuple[str, str, list[str]]], question: str, shortlist: int
) -> None:
    """The best are found, in their order, although few of the documents are scored."""
    manager = opened(made(number, *parts) for number, parts in enumerate(given))

    def scores() -> list[float]:
        with sources.opened(manager.stores) as corpus:
            matches = ranking.Ranking(parse(question), corpus, NOW.timestamp()).matches(shortlist=shortlist)
            return [round(match.factors.score, 9) for match in matches]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "FEW", 10_000)
        all_scored = scores()
        patch.setattr(ranking, "FEW", 0)
        patch.setattr(ranking, "FIRST_BATCH", 1)
        assert scores() == all_scored
