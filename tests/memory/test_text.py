"""Folding, and what happens to text that a reader cannot see."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from agentao.memory.text import fold, one_line, same_text, split_lines, strip_controls, strip_invisible, visible
from tests.support.hostile_text import hostile_text

FAMILY = "👨\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ＣＰＵ使用率", "cpu使用率"),
        ("ÄRGER", "ärger"),
        ("Straße", "strasse"),
        ("ЧЕРВОНИЙ", "червоний"),
        ("pass\u200bword", "password"),
        ("ab\u202ecd\u2066", "abcd"),
        ("❤\ufe0f", "❤"),
    ],
)
def test_fold_is_what_texts_are_compared_by(text: str, folded: str) -> None:
    """Full width, case of any script and invisible characters make no difference."""
    assert fold(text) == folded


@given(hostile_text)
def test_folding_twice_changes_nothing(text: str) -> None:
    """A folded text is its own folded form."""
    once = fold(text)

    assert fold(once) == once


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2066", "\u2069", "\U000e0041", "\ufeff", "\u00ad", "\u3164"])
def test_invisible_characters_are_dropped(hidden: str) -> None:
    """Zero-width, direction-changing, tag and filler characters leave titles and tags."""
    assert strip_invisible(f"pass{hidden}word") == "password"


@pytest.mark.parametrize(
    "text",
    [FAMILY, "❤\ufe0f", "1\ufe0f\u20e3", "क्\u200dष", "می\u200cخواهم", "葛\U000e0100"],
    ids=["family", "heart", "key cap", "half form", "Persian", "variant"],
)
def test_joiners_that_a_script_or_an_emoji_needs_stay(text: str) -> None:
    """What changes how a visible sign is drawn is not invisible."""
    assert strip_invisible(text) == text
    assert visible(text) == text


def test_many_variation_selectors_carry_no_hidden_message() -> None:
    """One selector may follow a sign; a row of them is a message that nobody sees."""
    assert strip_invisible("😀" + "\ufe0f\ufe01\ufe02\ufe03") == "😀\ufe0f"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\x00b secret", "ab secret"),
        ("\x1b[31mred", "[31mred"),
        ("a\r\nb\rc\x85d\u2028e\x0bf", "a\nb\nc\nd\ne\nf"),
        ("tab\tstays", "tab\tstays"),
        ("lone \ud800 half", "lone  half"),
        ("\ud83d\ude80", "🚀"),
    ],
)
def test_controls_never_get_in(text: str, clean: str) -> None:
    """NUL, ESC and lone surrogates are dropped, every line break is one, and two halves become their character."""
    assert strip_controls(text) == clean


@given(hostile_text)
def test_a_stripped_text_can_be_stored_and_read(text: str) -> None:
    """What is left encodes as UTF-8 and has no control character but line breaks and tabs."""
    clean = strip_controls(text)

    assert clean.encode("utf-8").decode("utf-8") == clean
    assert not [char for char in clean if unicodedata.category(char) == "Cc" and char not in "\n\t"]
    assert strip_controls(clean) == clean


def test_hidden_characters_are_shown_as_escapes() -> None:
    """Where text is printed, what cannot be seen stands there as its code."""
    assert visible("a\u202eb\x1b\U000e0041\ud800") == "a\\u202eb\\x1b\\U000e0041\\ud800"
    assert visible("line\nand\ttab") == "line\nand\ttab"


@given(hostile_text)
def test_a_visible_text_moves_no_terminal(text: str) -> None:
    """No control or direction-changing character survives on its way to a screen."""
    shown = visible(text)

    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t"]
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2028\u2029\ufeff")
    assert visible(shown) == shown


@given(hostile_text)
def test_one_line_has_no_second_line(text: str) -> None:
    """A title or a tag is one trimmed line, by every reader's idea of a line."""
    line = one_line(text)

    assert line.splitlines() in ([], [line])
    assert split_lines(line) == [line]
    assert line == line.strip()


@pytest.mark.parametrize(
    "variants",
    [
        ["The database is only changed\nthrough migrations", "the database  is only changed through migrations "],
        [
            "数据库只能通过迁移脚本来修改，不要直接连生产库执行语句",
            "数据库只能通过迁移脚本来修改，\n不要直接连生产库执行语句",
        ],
        [
            "提交代码之前都要先用 ruff 和 mypy 检查一遍全部的文件",
            "提交代码之前都要先用ruff和 mypy\u3000检查一遍全部的文件",
        ],
        [
            "テストは必ず pytest で実行し、結果を記録してから報告する",
            "テストは必ずpytestで実行し、結果を記録してから報告する",
        ],
    ],
)
def test_white_space_makes_no_other_text(variants: list[str]) -> None:
    """A line break, a doubled blank or one between Chinese and Latin words leaves the text the same."""
    assert len(set(map(same_text, variants))) == 1
    assert same_text(variants[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the meeting is in room 1 12 on every Monday", "the meeting is in room 11 2 on every Monday"),
        ("每周一的例会改到第二会议室 1 12 桌旁边的空位上", "每周一的例会改到第二会议室 11 2 桌旁边的空位上"),
    ],
)
def test_words_and_numbers_are_not_run_together(one: str, other: str) -> None:
    """Where a blank parts two numbers or Latin words it counts."""
    assert same_text(one) != same_text(other)
    assert same_text("3.12") == ""
