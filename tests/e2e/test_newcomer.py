"""A newcomer's walk: what /help shows leads to saving, listing, searching, deleting and undoing."""

from __future__ import annotations

import re

import pytest

from tests.e2e.conftest import Start


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (20, 40), (50, 200)])
def test_the_most_used_commands_stand_where_help_ends(start: Start, rows: int, columns: int) -> None:
    """However small the window, what /help leaves on the screen names how to save, list, find, remove and undo."""
    term = start(rows=rows, columns=columns)
    term.enter("/help")
    term.prompt()
    shown = " ".join(" ".join(term.display).split())
    assert '"remember that …"' in shown
    for command in ("/memory", "/memory search WORDS", "/memory delete TITLE", "/memory undo", "/help memory delete"):
        assert command in shown


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (20, 40)])
@pytest.mark.parametrize(
    ("said", "value", "word", "lines"),
    [
        ("remember that I prefer nvim", "I prefer nvim", "nvim", ("/memory", "/memory search", "/memory delete")),
        ("记住 我喜欢 nvim", "我喜欢 nvim", "喜欢", ("/memory 列表", "/memory 搜索", "/memory 删除")),
    ],
    ids=["english", "chinese"],
)
def test_a_memory_is_saved_listed_found_deleted_and_brought_back(
    start: Start, rows: int, columns: int, said: str, value: str, word: str, lines: tuple[str, str, str]
) -> None:
    """A guess at a title that is none is answered with the titles in which it occurs; that one does it."""
    listing, search, delete = lines

    def enter(line: str) -> str:
        term.enter(line)
        term.prompt()
        return " ".join(term.new.split())

    term = start(rows=rows, columns=columns)
    assert "Saved, new" in enter(said)
    assert value in enter(listing)
    assert value in enter(f"{search} {word}")
    near = re.search(r'it occurs in "(.+?)"\.', enter(f"{delete} {word}"))
    assert near is not None
    assert "Deleted" in enter(f"{delete} {near[1]}")
    assert "Nothing is remembered" in enter(listing)
    assert "Taken back" in enter("/memory undo")
    assert value in enter(listing)


@pytest.mark.parametrize(
    ("asked", "command"),
    [("删除", "/memory delete"), ("保存", "/memory add"), ("撤销", "/memory undo"), ("save", "/memory add")],
)
def test_help_is_found_by_everyday_words(start: Start, asked: str, command: str) -> None:
    """``/help`` with what one wants to do, in English or Chinese, shows the command for it."""
    term = start()
    term.enter(f"/help {asked}")
    term.prompt()
    assert f"\n{command}" in term.new


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (20, 40)])
def test_the_keys_are_listed_by_help(start: Start, rows: int, columns: int) -> None:
    """/help names /help keys, which says how to type several lines, complete, search, edit, stop and leave."""
    term = start(rows=rows, columns=columns)
    term.enter("/help")
    term.prompt()
    assert "/help keys" in " ".join(term.new.split())
    term.enter("/help keys")
    term.prompt()
    for key in ("Alt-Enter", "Tab", "Ctrl-R", "Ctrl-X Ctrl-E", "Ctrl-C", "Ctrl-Z", "Ctrl-D"):
        assert key in term.new
    assert all(len(row) <= columns for row in term.display)
