"""Recall finds what answers the question, says why, and finds nothing where nothing answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agentao.memory.manager import MemoryManager
from agentao.memory.models import RecallCandidate, SaveMemoryRequest
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def manager() -> Iterator[MemoryManager]:
    """A manager over a project store and a user store without files, at a fixed time."""
    clock = fixed()
    manager = MemoryManager(
        project_store=SQLiteMemoryStore.open(None, clock=clock),
        user_store=SQLiteMemoryStore.open(None, clock=clock),
        clock=clock,
    )
    yield manager
    manager.close()


def fixed(days: float = 0) -> Callable[[], datetime]:
    return lambda: NOW + timedelta(days=days)


def save(manager: MemoryManager, key: str, value: str, tags: list[str] | None = None) -> str:
    return manager.upsert(SaveMemoryRequest(key=key, value=value, tags=tags or [])).id


def recall(manager: MemoryManager, query: str, days: float = 0) -> list[RecallCandidate]:
    retriever = MemoryRetriever(manager, clock=fixed(days))
    found = retriever.recall_candidates(query)
    assert retriever.error_count == 0, retriever.last_error
    return found


def titles(manager: MemoryManager, query: str, days: float = 0) -> list[str]:
    return [candidate.title for candidate in recall(manager, query, days)]


def test_factors_times_weights_are_the_score(manager: MemoryManager) -> None:
    """The explanation adds up, and every factor lies between 0 and 1."""
    save(manager, "python_version", "Use Python 3.11", ["python", "tooling"])
    save(manager, "python_formatter", "Format with ruff")
    for candidate in recall(manager, "Which python version and formatter?"):
        factors = candidate.factors
        assert all(0 <= value <= 1 for value in (factors.tag, factors.title, factors.keyword, factors.recency))
        expected = (4 * factors.tag + 3 * factors.title + 2 * factors.keyword + factors.recency) / 10
        assert candidate.score == pytest.approx(expected)


def test_reasons_name_what_matched(manager: MemoryManager) -> None:
    """In the order of the weights; recency alone is no reason."""
    save(manager, "python_version", "3.11", ["python"])
    (candidate,) = recall(manager, "python version")
    assert candidate.reasons == ("tag_match", "title_jaccard", "keyword_hit")
    assert candidate.factors.title == 1
    assert candidate.factors.keyword == 1
    assert candidate.factors.recency == 1


@pytest.mark.parametrize(
    "query", ["don't", '"', "c++", "(", "*", "a OR", "NEAR(", 'c++ 怎么写 "hello', "{a}:b", "\0", "\ud800"]
)
def test_no_question_is_an_error(manager: MemoryManager, query: str) -> None:
    """RQ-01: Any characters may stand in a question."""
    save(manager, "notes", "c++ says hello")
    recall(manager, query)


@pytest.mark.parametrize(
    "query", ["帮我写一首关于海的诗", "Где Сергей?", "明天天气怎么样", "", "   ", "what is it?", "的"]
)
def test_an_unrelated_question_recalls_nothing(manager: MemoryManager, query: str) -> None:
    """I18-05, RQ-06: Nothing relevant is stored, so nothing is recalled, however recent it is."""
    for number in range(50):
        save(manager, f"python_tooling_{number}", f"Python tool number {number} is run in Docker before each commit")
    assert titles(manager, query) == []


@pytest.mark.parametrize(
    "query", ["帮我写一首关于海的诗", "写一封情书", "一公里等于多少米", "how tall is the Eiffel Tower?"]
)
def test_single_characters_that_happen_to_occur_are_not_enough(manager: MemoryManager, query: str) -> None:
    """Chinese facts share a character with almost any Chinese question."""
    for number in range(50):
        save(
            manager,
            f"python_tool_{number}",
            f"第 {number} 个 Python 工具写在首页的一张表里，提交之前在容器里多跑一遍测试",
        )
    assert titles(manager, query) == []


@pytest.mark.parametrize(
    "query",
    [
        "今天晚上吃什么好",
        "今天是星期几",
        "朋友借钱不还怎么办",
        "冬天怎么保暖",
        "What is a good recipe for sourdough bread?",
    ],
)
def test_a_common_word_alone_is_not_enough(manager: MemoryManager, query: str) -> None:
    """A question about something else shares "today", "friend" or "good time" with some fact; that recalls nothing."""
    save(manager, "weekly_meeting", "每周一上午十点开例会，今天起改到线上")
    save(manager, "training", "每周三和周五晚上去健身房，周末跟朋友打羽毛球")
    save(manager, "token_lifetime", "访问令牌十五分钟过期，刷新令牌保存七天")
    save(manager, "standup", "We had a good time at the offsite and will keep it short")
    for number in range(20):
        save(manager, f"python_tool_{number}", f"第 {number} 个工具写在首页的一张表里")
    assert titles(manager, query) == []


@pytest.mark.parametrize(
    "query",
    [
        "what year is it?",
        "what time is it in here?",
        "Good evening!",
        "could you help me, please?",
        "let's begin",
        "Great job!",
        "excellent work, thanks",
        "ok, nice job team",
        "that sounds great",
        "I have another question",
        "give me a few ideas",
        "please explain monads",
        "几点了",
        "今天几号了",
        "晚上好",
        "你能帮忙吗",
        "我有几个问题",
        "请帮我解释一下闭包",
        "讲个故事",
        "工作做得很好",
    ],
)
def test_small_talk_recalls_nothing(manager: MemoryManager, query: str) -> None:
    """A greeting, a request and a question about the moment share words with facts that have nothing to do with it."""
    for value in (
        "Every year the time zone table is made anew, in the evening",
        "New people ask questions and get help with their ideas",
        "The sale begins with a few great ideas",
        "Explain only what was asked",
        "每年年底，晚上七点，今天的号放完为止",
        "新人有问题时先看解释，能帮忙的都帮",
        "讲解要短",
        "My sister has a job at the mint, I work in the harbour",
        "老王在码头工作",
        "Leave the keys with the porter",
    ):
        save(manager, f"note {len(value)}", value)
    assert titles(manager, query) == []


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("what day is the market?", "The market is held on the square"),
        ("what time does the choir start?", "The choir rehearses upstairs"),
        ("could you help me with the boiler?", "The boiler needs water every month"),
        ("which nice work shoes did I buy?", "Bought work boots in Bern"),
        ("is it a good job?", "A job at the mint"),
        ("翻译文件放哪里", "翻译文件放在 locales 目录"),
        ("集市是几号", "集市在广场上办"),
        ("请帮我解释一下闸机规则", "闸机规则贴在门口"),
    ],
)
def test_a_subject_among_small_talk_is_found(manager: MemoryManager, query: str, answer: str) -> None:
    """What is asked about besides counts as ever."""
    save(manager, "fact", answer)
    for number in range(20):
        save(manager, f"parcel {number}", f"Parcel {number} waits in the shed 包裹 {number} 在小屋里")
    assert [candidate.content for candidate in recall(manager, query)] == [answer]


@pytest.mark.parametrize(
    ("query", "answer"), [("我朋友叫什么", "李雷"), ("who is my friend?", "Sam"), ("how is the dog called?", "Rex")]
)
def test_a_common_word_is_enough_where_nothing_else_is_asked(manager: MemoryManager, query: str, answer: str) -> None:
    """Who asks with common words only is answered by them."""
    save(manager, "person_one", "李雷是我最好的朋友")
    save(manager, "person_two", "Sam is my best friend")
    save(manager, "animal", "Our dog is called Rex")
    assert any(answer in candidate.content for candidate in recall(manager, query))


def test_a_common_synonym_takes_no_weight_from_a_rare_word(manager: MemoryManager) -> None:
    """The word itself keeps its rarity, however common what means about the same is."""
    for number in range(30):
        save(manager, f"dinner_{number}", f"Dinner number {number} was fine")
    save(manager, "evening", "The supper was served on the porch")
    save(manager, "porch", "The porch was painted")
    found = recall(manager, "supper or paint")
    by_title = {candidate.title: candidate for candidate in found}
    assert found[0].title == "Evening"
    assert by_title["Evening"].factors.keyword > 0.4


def test_an_unknown_word_counts_less_against_a_match(manager: MemoryManager) -> None:
    """A word that no record has leaves the match incomplete, but less than a word that another record has."""
    save(manager, "cellar", "the cellar is damp")
    save(manager, "attic", "the attic is dry")
    unknown = recall(manager, "cellar zeppelin")[0].factors.keyword
    known = recall(manager, "cellar attic")[0].factors.keyword
    assert known < unknown < 1


@pytest.mark.parametrize(
    ("query", "answer", "other"),
    [
        ("Where did Ann meet the agency?", "Ann met the agency in Lisbon", "Ann met the agency with a lawyer"),
        ("What book does Ann read?", 'Ann is reading "Dune" again', "Ann is reading again"),
        ("安妮在哪里见中介", "安妮在杭州市见了中介", "安妮昨天见了中介"),
        ("安妮在看哪本书", "安妮在看《三体》", "安妮在看什么新东西"),
    ],
)
def test_the_form_of_a_question_says_what_is_looked_for(
    manager: MemoryManager, query: str, answer: str, other: str
) -> None:
    """Where asks for a place, a book for a title in quotation marks."""
    save(manager, "one", answer)
    save(manager, "two", other)
    assert recall(manager, query)[0].content == answer


def test_a_matching_fact_is_found_among_many(manager: MemoryManager) -> None:
    """RQ-06: At most the asked number of facts, the right one first."""
    for number in range(50):
        save(manager, f"python_tooling_{number}", f"Python tool number {number} is run in Docker before each commit")
    save(manager, "formatter", "We format with ruff")
    found = titles(manager, "which formatter do we use?")
    assert found[0] == "Formatter"
    assert len(found) <= 5


def test_the_same_long_text_is_shown_once(manager: MemoryManager) -> None:
    """Five keys with one sentence give one fact; a short value may be shared by several facts."""
    for number in range(5):
        save(manager, f"database_rule_{number}", "The database is only changed through migrations")
        save(manager, f"runtime_version_{number}", "3.12")
    assert len(titles(manager, "how is the database changed?")) == 1
    assert len(titles(manager, "runtime version")) == 5


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        (
            "how is the database changed?",
            ["The database is only\nchanged through migrations", "The database is only  changed through migrations"],
        ),
        (
            "怎么改数据库",
            [
                "数据库只能通过 Alembic 迁移脚本来修改，不要直接改表",
                "数据库只能通过Alembic迁移脚本来修改，\n不要直接改表",
            ],
        ),
    ],
)
def test_the_same_text_with_other_white_space_takes_one_place(
    manager: MemoryManager, query: str, texts: list[str]
) -> None:
    """RQ-08: A line break or a blank more or less makes no second fact."""
    for number, text in enumerate(texts):
        save(manager, f"rule_{number}", text)
    assert len(titles(manager, query)) == 1


@pytest.mark.parametrize(
    ("query", "tag"),
    [
        ("what should the new colleague read about terraform before Friday evening starts?", "terraform"),
        ("my brother wonders whether insurance costs rise again after the elections", "Insurance"),
        ("新来的同事想先了解一下证书和机房里那台旧机器的关系", "证书"),
        ("新来的同事想先了解一下F#和机房里那台旧机器的关系", "f#"),
        ("新来的同事想先了解一下v4.2和机房里那台旧机器的关系", "4.2"),
    ],
)
@pytest.mark.parametrize("days", [0, 400])
def test_a_tag_in_a_long_question_is_enough(manager: MemoryManager, query: str, tag: str, days: float) -> None:
    """RQ-12: Who names a tag, among whatever other words, is shown what has it, however old."""
    save(manager, "note", "ask Judith, number 44", [tag])
    for number in range(20):
        save(manager, f"parcel {number}", f"Parcel {number} waits in the shed 包裹 {number} 在小屋里", ["parcels"])
    assert titles(manager, query, days) == ["Note"]


@pytest.mark.parametrize("tag", ["The Who", "about us", "to be or not to be", "IT", "以后", "我们 这里"])
def test_a_tag_of_stop_words_is_found_by_itself(manager: MemoryManager, tag: str) -> None:
    """RQ-12: Asked alone it means the tag; within a sentence its words say nothing."""
    save(manager, "note", "ask Judith, number 44", [tag])
    save(manager, "parcel", "The parcel is about us, to be or not, 我们以后在这里", ["parcels"])
    (found,) = recall(manager, tag.upper())
    assert found.title == "Note" and "tag_match" in found.reasons
    assert titles(manager, f"and what {tag} was it?") == []


@pytest.mark.parametrize("tag", ["plan b for rainy days", "blue green canary red", "上线 前 检查 清单 二"])
def test_a_tag_of_many_words_is_a_tag(manager: MemoryManager, tag: str) -> None:
    """RQ-12: A tag is no less one for the number of its words, alone or inside a question."""
    save(manager, "note", "ask Judith, number 44", [tag])
    for query in (tag, f"what do we have about {tag}?"):
        (found,) = recall(manager, query)
        assert "tag_match" in found.reasons


def test_a_title_in_a_long_question_is_enough(manager: MemoryManager) -> None:
    """RQ-12: So is a title of one word, of which the text says nothing more."""
    save(manager, "sauna", "ask Judith, number 44")
    for number in range(20):
        save(manager, f"parcel {number}", f"Parcel {number} waits in the shed")
    assert titles(manager, "my neighbour wonders whether sauna costs rise again after elections") == ["Sauna"]


@pytest.mark.parametrize(
    ("query", "value"), [("f# style", "后端用F#写的"), ("G++怎么装", "装g++的脚本"), ("4.2", "版本是v4.2以上")]
)
def test_a_language_or_version_in_a_chinese_sentence_is_found(manager: MemoryManager, query: str, value: str) -> None:
    """It is what it is between blanks; the letter of its name alone is another word."""
    save(manager, "note", value)
    save(manager, "letters", "F and G are notes, 用C写的")
    assert titles(manager, query) == ["Note"]


@pytest.mark.parametrize("days", [0, 91, 400])
def test_age_never_hides_a_match(manager: MemoryManager, days: float) -> None:
    """RQ-13: An exact tag or key match is recalled after any time."""
    save(manager, "api_endpoint", "https://api.example.com", ["config"])
    assert titles(manager, "config", days) == ["Api endpoint"]
    assert titles(manager, "what is the api endpoint?", days) == ["Api endpoint"]


def test_the_newer_fact_is_in_the_context_too(manager: MemoryManager) -> None:
    """RQ-24: A correction under another key is recalled although the old fact repeats more of the question."""
    save(manager, "ssh_port", "服务器 SSH 端口是 22")
    for number in range(10):
        save(manager, f"server_{number}", f"服务器 {number} 号机房在上海")
    save(manager, "ssh_moved", "SSH 改到 49222 了")
    assert {"Ssh port", "Ssh moved"} <= set(titles(manager, "服务器 SSH 端口是多少"))


def test_the_excerpt_shows_the_match(manager: MemoryManager) -> None:
    """At most 200 characters, around what was asked for."""
    save(manager, "release", "背景资料。" * 46 + "但周五禁止发布")
    (candidate,) = recall(manager, "周五可以发布吗")
    assert len(candidate.excerpt) <= 200
    assert "周五禁止发布" in candidate.excerpt


def test_both_stores_are_asked_and_compared(manager: MemoryManager) -> None:
    """A user's fact and a project's fact stand in one order."""
    save(manager, "user_editor", "neovim", ["user"])
    save(manager, "project_editor", "vscode is the editor here")
    found = recall(manager, "which editor?")
    assert {candidate.scope for candidate in found} == {"user", "project"}


def test_excluded_records_are_left_out(manager: MemoryManager) -> None:
    """What stands in the stable block already does not stand in the other one."""
    shown = save(manager, "editor", "vim")
    save(manager, "editor_theme", "dark")
    found = MemoryRetriever(manager, clock=fixed()).recall_candidates("editor", exclude_ids={shown})
    assert [candidate.title for candidate in found] == ["Editor theme"]


def test_what_is_gone_is_not_recalled(manager: MemoryManager) -> None:
    """ST-04: Neither a deleted memory nor the old value of a changed one."""
    save(manager, "editor", "vim")
    save(manager, "editor", "emacs")
    assert [candidate.content for candidate in recall(manager, "editor")] == ["emacs"]
    manager.delete_by_title("Editor")
    assert recall(manager, "editor") == []


def test_a_failure_is_counted_and_never_raised(manager: MemoryManager) -> None:
    """A broken store costs the turn nothing but the recall; its cause is kept in one line."""
    save(manager, "editor", "vim")
    retriever = MemoryRetriever(manager, clock=fixed())
    manager.close()
    assert retriever.recall_candidates("editor") == []
    assert retriever.error_count == 1
    assert retriever.last_error and "\n" not in retriever.last_error


def test_near_misses_say_what_they_lacked(manager: MemoryManager) -> None:
    """The report names what was left out and why."""
    shown = save(manager, "editor", "vim")
    save(manager, "editor_theme", "dark")
    save(manager, "deploy", "the staging server is updated every night by the release manager")
    retriever = MemoryRetriever(manager, clock=fixed())
    report = retriever.explain("editor theme", exclude_ids={shown})
    assert [candidate.title for candidate in report.candidates] == ["Editor theme"]
    assert [(miss.candidate.title, miss.lacked) for miss in report.near_misses] == [
        ("Editor", "It stands in the stable block already.")
    ]
    report = retriever.explain("which editor theme and font size does the release page use in winter?")
    lacked = {miss.candidate.title: miss.lacked for miss in report.near_misses}
    assert "too little" in lacked["Deploy"]
    assert retriever.hit_count == 0


@pytest.mark.parametrize(
    ("word", "text", "tags"),
    [
        ("缓存", "用 Redis 放会话", []),
        ("缓存", "用 Redis 放会话", ["缓存"]),
        ("billing", "the ledger is append-only", ["billing"]),
    ],
)
def test_a_common_word_finds_what_it_is_the_title_or_tag_of(
    manager: MemoryManager, word: str, text: str, tags: list[str]
) -> None:
    """A word that most records have recalls nothing by itself, but for what it names as a whole."""
    save(manager, word if not tags else "owner", text, tags)
    for at in range(30):
        save(manager, f"item_{at}", f"{word} number {at} was looked at")
    assert [candidate.content for candidate in recall(manager, word)] == [text]


def test_words_of_deleted_and_changed_records_make_no_word_weak(manager: MemoryManager) -> None:
    """What no longer lives does not count: neither old texts nor deleted records hide a live one."""
    for at in range(45):
        save(manager, f"filler_{at}", f"something about pancakes and recipe {at}")
    for text in ("thirty", "forty"):
        for at in range(25):
            save(manager, f"svc_{at}", f"service number{at} gateway timeout is {text} seconds")
    assert len(recall(manager, "gateway timeout")) == 5
    for at in range(25):
        manager.delete_by_title(f"Svc {at}")
    save(manager, "last_one", "the gateway in the cellar")
    assert titles(manager, "where is the gateway?")[0] == "Last one"


def test_copies_of_one_text_hide_nothing_behind_them(manager: MemoryManager) -> None:
    """However many records say the same, it is shown once, and another answer has its place."""
    for at in range(100):
        save(manager, f"filler_{at}", f"pancake recipe {at}")
    save(manager, "older", "the release needs a green build first")
    for at in range(60):
        save(manager, f"rule_{at}", "every release of ours needs a green build and a signed tag")
    assert len(titles(manager, "what does a release need, a green build?")) == 2


def test_a_text_of_the_stable_block_is_not_said_again_by_another_record(manager: MemoryManager) -> None:
    """RQ-08: one sentence under several keys stands in the prompt once, in whichever block."""
    ids = [save(manager, f"key_{at}", "Our staging server lives in Frankfurt behind nginx") for at in range(5)]
    found = MemoryRetriever(manager, clock=fixed()).recall_candidates(
        "where is the staging server?", exclude_ids=ids[:1]
    )
    assert found == []


def test_more_than_forty_can_be_asked_for(manager: MemoryManager) -> None:
    """``top_k`` is what was asked for, as long as there are so many."""
    for at in range(70):
        save(manager, f"note_{at}", f"the zebra of number {at}")
    for at in range(100):
        save(manager, f"filler_{at}", f"pancake recipe {at}")
    assert len(MemoryRetriever(manager, clock=fixed()).recall_candidates("zebra", top_k=60)) == 60


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE recall_terms SET docs = X'ffff' WHERE term <> ''",
        "UPDATE recall_terms SET docs = X'' WHERE term <> ''",
        "UPDATE recall_pending SET terms = X'00'",
        "UPDATE recall_pending SET text = 7",
        "UPDATE recall_pending SET text = CAST(X'ff' AS TEXT)",
        "UPDATE recall_pending SET stamp = -1",
        "UPDATE recall_pending SET title_size = 'many'",
        "UPDATE recall_pending SET n = n + 9999999999",
        "UPDATE recall_segments SET size = 'large'",
        "ALTER TABLE recall_pending RENAME COLUMN stamp TO other",
        "INSERT INTO recall_gone VALUES (-1)",
    ],
)
def test_strange_bytes_in_the_index_are_mended(manager: MemoryManager, damage: str) -> None:
    """The index is made anew where its bytes make no sense; nothing is lost, and no error is told."""
    for at in range(100):
        save(manager, f"note_{at}", f"the zebra of number {at}" if at % 9 == 0 else f"a pancake {at}")
    with manager.stores[0].exclusive() as conn:
        conn.execute(damage)
    assert len(recall(manager, "zebra")) == 5


def test_a_fault_of_our_own_is_told_and_makes_no_index_anew(manager: MemoryManager) -> None:
    """What goes wrong in recall itself is counted, with its cause; the index, which is whole, stays as it is."""

    def broken() -> datetime:
        raise LookupError("no clock")

    save(manager, "editor", "vim")
    with manager.stores[0].exclusive() as conn:
        before = conn.execute("PRAGMA schema_version").fetchone()[0]
    retriever = MemoryRetriever(manager, clock=broken)
    assert retriever.recall_candidates("editor") == []
    assert retriever.error_count == 1
    assert retriever.last_error == "LookupError: no clock"
    with manager.stores[0].exclusive() as conn:
        assert conn.execute("PRAGMA schema_version").fetchone()[0] == before


@pytest.mark.parametrize("query", ["where is the carport?", "O'Haras", "车库"])
def test_a_keyword_that_stands_nowhere_else_is_recalled(manager: MemoryManager, query: str) -> None:
    """An older program chose its keywords itself; recall finds them as search does."""
    save(manager, "fleet", "two vans and a bicycle")
    record = manager.search("fleet")[0]
    manager.stores[0].upsert_many([replace(record, keywords=["carports", "oharas", "车库", "vans"])])
    assert titles(manager, query) == ["Fleet"]


@pytest.mark.parametrize(("query", "value"), [("vuejs", "The shop is made with Vue.js"), ("Ember.js", "emberjs 4")])
def test_a_library_is_found_with_and_without_the_dot(manager: MemoryManager, query: str, value: str) -> None:
    """Its file ending is written with a dot, as a part of the name, or left out."""
    save(manager, "library", value)
    assert titles(manager, query) == ["Library"]


def test_a_long_text_takes_no_place_for_words_it_has_by_chance(manager: MemoryManager) -> None:
    """Of two partial matches in as many words the one in a short text stands first, however new the long one is."""
    save(manager, "short", "The kiln needs a new lid before autumn")
    save(manager, "long", "A kiln was seen, and a lid. " + "Nothing came of the talks about trees and roads. " * 20)
    assert titles(manager, "who repairs the lid of the kiln in Hamburg?") == ["Short", "Long"]
