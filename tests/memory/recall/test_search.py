"""Search is literal, knows every script, and shows the best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from agentao.memory.manager import MemoryManager
from agentao.memory.models import SaveMemoryRequest
from agentao.memory.recall.search import terms
from agentao.memory.store import SQLiteMemoryStore

Save = Callable[..., str]


@pytest.fixture
def manager() -> Iterator[MemoryManager]:
    """A manager over one store without a file."""
    manager = MemoryManager(project_store=SQLiteMemoryStore.open(None))
    yield manager
    manager.close()


def save(manager: MemoryManager, key: str, value: str, tags: list[str] | None = None) -> str:
    return manager.upsert(SaveMemoryRequest(key=key, value=value, tags=tags or [])).key_normalized


def keys(manager: MemoryManager, query: str) -> list[str]:
    return [record.key_normalized for record in manager.search(query)]


@pytest.mark.parametrize(
    "query",
    ["don't", '"', '" "', "c++", "(", "*", "a OR", "NEAR(", "-", "fronts:the", "{a}", "\\", "'", "--", ";", "[", "?"],
)
def test_no_character_has_a_special_meaning(manager: MemoryManager, query: str) -> None:
    """RQ-01, RQ-02: A query of any characters finds what holds them literally, else nothing; it is never an error."""
    save(manager, "other", "nothing of the kind")
    assert keys(manager, query) == []
    save(manager, "one", f"before {query} after")
    assert keys(manager, query) == ["one"]


def test_wildcards_of_sql_are_literal(manager: MemoryManager) -> None:
    """RQ-04: ``%`` and ``_`` find themselves only."""
    save(manager, "cotton", "100% cotton")
    save(manager, "power", "off_peak")
    save(manager, "plain", "plain")
    assert keys(manager, "%") == ["cotton"]
    assert keys(manager, "0%") == ["cotton"]
    assert keys(manager, "f_p") == ["power"]


def test_half_a_character_is_found_nowhere(manager: MemoryManager) -> None:
    """A lone surrogate, which no record holds, finds nothing: not the records with ``?``, in search and among tags."""
    save(manager, "asking", "why?", ["?"])
    for query in ("\ud800", "why \ud800", "\udcff?"):
        assert keys(manager, query) == []
        assert list(manager.filter_by_tag(query)) == []
    assert keys(manager, "?") == ["asking"]


def test_hyphenated_names_are_found(manager: MemoryManager) -> None:
    """RQ-02: A hyphen is a character like any other."""
    save(manager, "llm", "llama-swap fronts the endpoint")
    assert keys(manager, "llama-swap") == ["llm"]


@pytest.mark.parametrize("query", ["", "   ", "\t\n"])
def test_an_empty_query_finds_nothing(manager: MemoryManager, query: str) -> None:
    """RQ-05: No words is not a wish for all memories."""
    save(manager, "one", "value")
    assert keys(manager, query) == []


@pytest.mark.parametrize("query", ["运行测试", "测试", "测", "行测", "每次提交前先运行测试"])
def test_any_part_of_a_chinese_sentence_is_found(manager: MemoryManager, query: str) -> None:
    """I18-01, I18-04: Words of one, two and more characters are found inside a sentence."""
    save(manager, "commit_rule", "每次提交前先运行测试")
    save(manager, "other", "别的事情")
    assert keys(manager, query) == ["commit_rule"]


def test_no_hit_hides_the_others(manager: MemoryManager) -> None:
    """I18-02: A word between spaces and the same word inside clauses are all found."""
    for number in range(10):
        save(manager, f"clause_{number}", f"第{number}次我们昨晚才发现这个问题")
    save(manager, "alone", "他 昨晚 没来")
    assert len(keys(manager, "昨晚")) == 11


@pytest.mark.parametrize(
    ("value", "query"),
    [("Ärger mit Proxy", "ärger"), ("Ärger mit Proxy", "ÄRGER"), ("Червоний код", "червоний"), ("ΑΘΗΝΑ", "αθηνα"),
     ("Straße", "STRASSE"), ("ＦＵＬＬ", "full"), ("e\u0301t\u00e9", "\u00e9t\u00e9")],
)  # fmt: skip
def test_case_width_and_composition_make_no_difference(manager: MemoryManager, value: str, query: str) -> None:
    """I18-06: Search folds every script, not only ASCII."""
    save(manager, "one", value)
    save(manager, "two", "else")
    assert keys(manager, query) == ["one"]


def test_all_terms_must_occur_and_quoted_words_are_one(manager: MemoryManager) -> None:
    """Terms may stand in different fields; a quoted phrase must stand as it is."""
    save(manager, "package_manager", "we use uv", ["tooling"])
    save(manager, "manager_of_package", "uv too")
    assert sorted(keys(manager, "UV package")) == ["manager_of_package", "package_manager"]
    assert keys(manager, '"package manager" uv') == ["package_manager"]
    assert keys(manager, "tooling uv") == ["package_manager"]
    assert keys(manager, "tooling vim") == []


@pytest.mark.parametrize("query", ["api endpoint", "api_endpoint", "example.com", "config", "Api"])
def test_every_field_is_searched(manager: MemoryManager, query: str) -> None:
    """Title, key, content and tags."""
    save(manager, "api_endpoint", "https://api.example.com", ["config"])
    assert keys(manager, query) == ["api_endpoint"]


def test_the_best_places_come_first_then_the_newest(manager: MemoryManager) -> None:
    """The whole title before a part of it, before a tag, before the text."""
    save(manager, "notes", "an editor is a tool")
    save(manager, "tools", "vim", ["editor"])
    save(manager, "editor_theme", "dark")
    save(manager, "editor", "vim")
    save(manager, "later_notes", "no editor is perfect")
    assert keys(manager, "editor") == ["editor", "editor_theme", "tools", "later_notes", "notes"]


def test_a_whole_word_comes_before_a_part_of_one(manager: MemoryManager) -> None:
    """Issue 5: in the title as in the text ``item5`` comes before newer ``item50`` and ``xitem5``; a place in the title
    stays better than one in the text, and an underscore or another script beside a word makes it no part of one."""
    save(manager, "text_end", "see item5")
    save(manager, "text_chinese", "见item5和")
    save(manager, "item5_title", "a")
    save(manager, "text_part", "see item50")
    save(manager, "text_part_before", "see xitem5")
    save(manager, "title_item50", "b")
    save(manager, "xitem5", "c")
    save(manager, "2_next", "starts with a digit, which stands right behind the text of the one before")
    assert keys(manager, "item5") == [
        "item5_title", "xitem5", "title_item50", "text_chinese", "text_end", "text_part_before", "text_part"
    ]  # fmt: skip
    assert keys(manager, "item5 see") == ["text_end", "text_part_before", "text_part"]


def test_signs_and_chinese_have_no_bounds_of_words(manager: MemoryManager) -> None:
    """What a term itself does not begin or end with a letter or digit, none beside it makes a part: newest first."""
    save(manager, "one", "测试 c++ x")
    save(manager, "two", "先测试c++1")
    save(manager, "three", "a测试b c++b")
    assert keys(manager, "测试") == keys(manager, "c++") == ["three", "two", "one"]


@pytest.mark.parametrize("query", ["Fact 5", "fact_5", '"fact 5"', "fact  5"])
def test_a_whole_title_comes_first_however_many_words_it_has(manager: MemoryManager, query: str) -> None:
    """Issue 5: a query that is the whole title or key finds its memory first, typed as one term or as several."""
    save(manager, "fact_5", "old")
    for number in (50, 51, 35):
        save(manager, f"fact_{number}", "new")
    save(manager, "fact_5_of_6", "newest")
    assert keys(manager, query)[0] == "fact_5"


def test_deleted_and_changed_memories(manager: MemoryManager) -> None:
    """What is gone is not found, and an old value is not found under the new one."""
    save(manager, "editor", "vim")
    save(manager, "Editor", "emacs")
    assert keys(manager, "vim") == []
    manager.delete_by_title("Editor")
    assert keys(manager, "emacs") == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [("a b", ["a", "b"]), ('"a b" c', ["a b", "c"]), ('a"b', ['a"b']), ('"a', ['"a']), ('""', ['""']), ("A a", ["a"]),
     ('"a b"c', ['"a', 'b"c'])],
)  # fmt: skip
def test_terms_of_a_query(query: str, expected: list[str]) -> None:
    """What is highlighted is what is looked for; a lone quote is a character."""
    assert terms(query) == expected


def test_keywords_are_searched_too(manager: MemoryManager) -> None:
    """A word that stands only among the keywords is found: an older program's, or one that lost its apostrophe."""
    save(manager, "fleet", "O'Brien runs l'atelier")
    manager.stores[0].upsert_many([replace(manager.search("fleet")[0], keywords=["obrien", "latelier", "garage"])])
    assert keys(manager, "obrien") == keys(manager, "latelier") == keys(manager, "garage") == ["fleet"]
