"""Who asks for a kind of thing is answered by what belongs to it."""

from __future__ import annotations

import pytest

from agentao.memory.manager import MemoryManager
from agentao.memory.models import SaveMemoryRequest
from agentao.memory.recall import hyponyms, hyponyms_everyday, hyponyms_work
from agentao.memory.recall.stemmer import stem
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore

FILLING = [
    ("formatter_width", "The line width is 100 columns"),
    ("release_day", "发布安排在每周四下午"),
    ("backup_time", "The nightly backup starts at three"),
    ("review_rule", "合并之前要两个人批准，新人先学规范"),
    ("report", "周报用固定的格式，数字要核对，术语见附表"),
]


def recalled(question: str, *saved: tuple[str, str]) -> list[str]:
    """The contents that a store of these and some others recalls for a question, best first."""
    manager = MemoryManager(project_store=SQLiteMemoryStore.open(None))
    for key, value in (*FILLING, *saved):
        manager.upsert(SaveMemoryRequest(key=key, value=value))
    found = MemoryRetriever(manager).recall_candidates(question)
    manager.close()
    return [candidate.content for candidate in found]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which instrument is it?", "She practises the violin on Sundays"),
        ("what pets do we have", "Our cat sleeps on the router"),
        ("which database?", "Orders are kept in PostgreSQL 15"),
        ("Which country was it?", "They flew to Norway in May"),
        ("她在学什么乐器", "最近每晚练吉他"),
        ("我们用哪个数据库", "订单存在 PostgreSQL 15 里"),
        ("哪种编程语言", "新服务一律用 Rust 写"),
    ],
)
def test_one_of_a_kind_answers_for_the_kind(question: str, answer: str) -> None:
    """An instrument is asked for, a violin is stored: found, in both languages and across them."""
    assert answer in recalled(question, ("note", answer))


def test_the_word_itself_stands_first() -> None:
    """What belongs to a kind counts less than the kind's own name."""
    itself, member = "The instrument is kept in the cellar", "The violin is kept in the attic"
    assert recalled("which instrument?", ("one", itself), ("other", member)) == [itself, member]


def test_it_goes_one_way_only() -> None:
    """Who asks for a violin does not want a guitar."""
    assert recalled("where is my violin", ("note", "The guitar needs new strings")) == []


def test_every_member_has_its_kind_and_every_kind_its_names() -> None:
    """No line of the tables is lost, and no word is found under another."""
    for line in (hyponyms_everyday.KINDS + hyponyms_work.KINDS).replace("\n ", " ").strip().splitlines():
        names, _, members = line.partition(":")
        for member in members.split():
            assert any(kind.endswith(names) for kind in hyponyms.of(stem(member))), member
        for name in names.split():
            assert any(kind.endswith(names) for kind in hyponyms.named(stem(name))), name
