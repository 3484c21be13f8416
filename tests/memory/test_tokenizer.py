"""What counts as a word, in every script and spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentao.memory.text import fold
from agentao.memory.tokenizer import keywords, tag_key, terms, vocabulary, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("package_manager", ["package", "manager"]),
        ("packageManager", ["package", "manager"]),
        ("package-manager", ["package", "manager"]),
        ("src/api/handler.py", ["src", "api", "handler"]),
        ("PostgreSQL 15", ["postgresql", "15"]),
        ("c++ and C#", ["c++", "c#"]),
        ("Melanie's book", ["melanie", "book"]),
        ("don't do that", []),
        ("Python版本", ["python", "版本"]),
        ("每次提交前先运行测试", ["每次", "次提", "提交", "交前", "前先", "先运", "运行", "行测", "测试"]),
        ("ＦＵＬＬ　ｗｉｄｔｈ", ["full", "width"]),
        ("Где Сергей", ["где", "сергей"]),
        ("v3.11", ["v3.11"]),
    ],
)
def test_words_of_every_spelling(text: str, expected: list[str]) -> None:
    """Names, paths, versions, apostrophes, full width and CJK give the words a person would look for."""
    assert keywords([text]) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("packages", "package"),
        ("deploying", "deploy"),
        ("stopped", "stop"),
        ("getUserName", "get_user_name"),
        ("Ärger", "arger"),
        ("ПРОКСИ", "прокси"),
        ("v3.11", "3.11"),
        ("ﾃｽﾄ", "テスト"),
    ],
)
def test_spellings_that_mean_the_same(one: str, other: str) -> None:
    """Inflection, case, accents, width and the manner of joining words make no difference to recall."""
    assert terms(one) == terms(other)


@pytest.mark.parametrize("name", ["c++", "C#", "J#", "v4.2", "V3.0.9", "20.04"])
@pytest.mark.parametrize(
    ("before", "after"), [("学", "要多久"), ("改用", ""), ("", "への移行"), ("우리는", "을"), ("ก", "ข")]
)
def test_a_language_or_version_ends_where_another_script_begins(name: str, before: str, after: str) -> None:
    """Beside a script without blanks its sign and its digits belong to it as between blanks, in texts and tags."""
    assert terms(f"{before}{name}{after}") == terms(f"{before} {name} {after}")
    assert tag_key(f"{before}{name}{after}") == tag_key(f"{before} {name} {after}")
    assert terms(name)[0] in terms(f"{before}{name}{after}")


@pytest.mark.parametrize(("text", "expected"), [("c++20", ["c++", "20"]), ("迁到C#12了", ["迁到", "c#", "12"])])
def test_a_language_keeps_its_sign_before_its_version(text: str, expected: list[str]) -> None:
    """The language is found by its name and the version by its number, though no blank stands between them."""
    assert keywords([text]) == expected


@pytest.mark.parametrize(("joined", "release"), [("Vue3.4", "vue3"), ("PHP8.2", "php8"), ("ubuntu22.04.1", "ubuntu22")])
def test_a_version_joined_to_its_name_is_a_version(joined: str, release: str) -> None:
    """It gives the words and the tag that name and version give apart, and is found by the name of the release."""
    name = joined.rstrip("0123456789.")
    apart = f"{name} {joined.removeprefix(name)}"
    for text in (joined, f"升级到{joined}之后"):
        assert set(terms(apart)) <= set(terms(text))
        assert release in {term for word in words(text) for term in word.also}
    assert tag_key(joined) == tag_key(apart)


@pytest.mark.parametrize(("text", "word"), [("最近每晚练吉他", "吉他"), ("他想学尤克里里", "尤克里里")])
def test_a_word_of_the_tables_is_found_in_a_sentence(text: str, word: str) -> None:
    """A Chinese word of the tables is one word, of any length and though it holds a connecting character."""
    assert word in keywords([text])


def test_fold_is_idempotent_and_unicode_aware() -> None:
    """Folding twice changes nothing, and it folds every script."""
    for text in ("ÄRGER", "ЧЕРВОНИЙ", "Ⅷ", "ＡＢ", "ß", "ŉ", "ﬀ"):
        assert fold(fold(text)) == fold(text)
    assert fold("ÄRGER Червоний") == fold("ärger ЧЕРВОНИЙ")


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ["ab" + "1" * 4000, "ab1" * 1300, "aB" * 2000, "abC" + "dE1" * 1300 + "_", "a1" * 9])
def test_a_long_word_of_letters_and_digits_is_taken_apart_at_once(text: str) -> None:
    """No name, hash or number makes the tokenizer try every way to part it."""
    assert keywords([text])


@given(st.text(st.characters(max_codepoint=127), max_size=40))
def test_ascii_is_read_alike_in_any_company(text: str) -> None:
    """A text in ASCII has a quicker pattern of its own, which finds what the one for all scripts finds."""
    *found, last = words(f"{text} 中")
    assert found == list(words(text)) and last.surface == "中"


@given(
    st.lists(
        st.sampled_from(
            [
                *"数据库为什么的中华人民共和国ひらカナ한글ＡＢ１，。 \n_aZ9.'’+#-/:é",
                "c++",
                "v1.2",
                "camelCase",
                "README.md",
            ]
        )
    )
)
def test_the_fast_way_finds_the_same_words(parts: list[str]) -> None:
    """What is saved is read without places, which must change nothing else: the same words in the same order."""
    text = "".join(parts)
    assert [word[2:] for word in vocabulary(text)] == [word[2:] for word in words(text)]
