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
