"""The table of synonyms."""

from __future__ import annotations

import pytest

from agentao.memory.manager import MemoryManager
from agentao.memory.models import SaveMemoryRequest
from agentao.memory.recall import synonyms, synonyms_everyday, synonyms_near, synonyms_work
from agentao.memory.recall.stemmer import stem
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore

ENGLISH = [f"Parcel {number} waits in the green shed behind the bakery" for number in range(25)]
CHINESE = [f"第 {number} 个包裹放在面包店后面的绿色小屋里" for number in range(25)]


def recalled(question: str, *contents: str) -> list[str]:
    """The contents of those that are recalled, best first."""
    manager = MemoryManager(project_store=SQLiteMemoryStore.open(None))
    for number, content in enumerate(contents):
        manager.upsert(SaveMemoryRequest(key=f"note {number}", value=content))
    found = MemoryRetriever(manager).recall_candidates(question)
    manager.close()
    return [candidate.content for candidate in found]


def test_every_word_of_a_group_finds_all_others() -> None:
    """Each entry, in any inflection, leads to the terms of all its groups and to nothing else."""
    wanted: dict[str, set[str]] = {}
    for line in (synonyms_everyday.GROUPS + synonyms_near.GROUPS + synonyms_work.GROUPS).strip().splitlines():
        group = {stem(entry) for entry in line.split()}
        for term in group:
            wanted.setdefault(term, set()).update(group - {term})
    assert {term: set(synonyms.of(term)) for term in wanted} == wanted
    assert synonyms.of("xylophone") == ()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("域名", "The domain is paid until autumn"),
        ("截止", "The deadline is the last Friday"),
        ("我们的队列怎么样", "One queue holds everything that is slow"),
        ("服务器和域名", "The server and its domain belong to the club"),
        ("鸟", "A parrot lives upstairs"),
        ("水果是什么", "He brings mangos whenever he comes"),
    ],
)
def test_a_chinese_word_finds_what_stands_there_in_english(question: str, answer: str) -> None:
    """No character of the word occurs in an English store; that its synonym, or one of the kind, does is enough."""
    assert recalled(question, answer, *ENGLISH) == [answer]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which domain do we have for the wiki?", "域名在年底到期"),
        ("when is the deadline for the poster?", "截止日期是月底"),
        ("which server is for photos?", "服务器在地下室"),
        ("what font are we using for posters?", "字体用思源黑体"),
    ],
)
def test_an_english_word_finds_what_stands_there_in_chinese(question: str, answer: str) -> None:
    """Among other words of the question, too, which nothing answers."""
    assert recalled(question, answer, *CHINESE) == [answer]


@pytest.mark.parametrize("question", ["任务调度变更走什么流程", "我用的是什么图表控件", "容器镜像推到哪个仓库"])
def test_one_synonym_in_a_longer_chinese_question_is_not_enough(question: str) -> None:
    """A common English word means something of almost any Chinese question."""
    notes = ("The process of dyeing wool takes two days", "Put the chart on the wall", "A box of old keys")
    assert recalled(question, *notes, *ENGLISH) == []
