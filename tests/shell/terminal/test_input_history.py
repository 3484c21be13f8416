"""The history's file: what is written, what is read back, and what may be wrong with it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from agentao.shell.terminal.input_history import ENTRY_MAX_CHARS, FILE_MAX_BYTES, READ_MAX_BYTES, InputHistory


def history(path: Path, *, may_keep: bool = True) -> InputHistory:
    return InputHistory(path, may_keep=lambda text: may_keep)


def entries(path: Path) -> list[str]:
    """What a later run reads, oldest first."""
    return list(history(path).load_history_strings())[::-1]


def test_entries_come_back_as_they_were(tmp_path: Path) -> None:
    """Lines of several, with blanks, quotes and other scripts, survive; the file is its owner's alone."""
    path = tmp_path / "history"
    kept = history(path)
    for text in ("first", "two\nlines\n+ with a plus", "  你好 '\"\\ 🚀 "):
        kept.append_string(text)
    assert entries(path) == ["first", "two\nlines\n+ with a plus", "  你好 '\"\\ 🚀 "]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_blank_input_and_secrets_are_not_written(tmp_path: Path) -> None:
    """Blank input is forgotten; what may not be kept is there for this run only."""
    path = tmp_path / "history"
    secret = history(path, may_keep=False)
    secret.append_string("\u3000 ")
    secret.append_string("key sk-1")
    assert secret.get_strings() == ["key sk-1"]
    assert entries(path) == []


def test_stray_halves_are_replaced(tmp_path: Path) -> None:
    """A lone surrogate cannot be written to a file; it becomes a replacement character."""
    path = tmp_path / "history"
    history(path).append_string("bad \udce2\ud83d end")
    assert entries(path) == ["bad \ufffd\ufffd end"]


def test_a_damaged_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """Foreign bytes are passed over, entries between them are kept, and writing goes on."""
    path = tmp_path / "history"
    path.write_bytes(b"\xff\xfe\x00garbage\n+ok \xe2\x80\n\n# x\n+fine\nmore garbage")
    assert entries(path) == ["ok \ufffd", "fine"]
    history(path).append_string("new")
    assert entries(path)[-1] == "new"


def test_a_file_that_cannot_be_used_costs_a_word(tmp_path: Path) -> None:
    """A folder in its place is told of once; entries are remembered for this run."""
    kept = history(tmp_path)
    assert str(tmp_path) in kept.problem
    kept.append_string("hello")
    assert kept.get_strings() == ["hello"]


def test_a_lifetime_of_typing_is_read_from_its_end(tmp_path: Path) -> None:
    """Of a very long file only the newest part is read, whole entries only, and the file is shortened."""
    path = tmp_path / "history"
    entry = "\n# t\n+" + "x" * 90 + "{:09d}\n"
    path.write_text("".join(entry.format(number) for number in range(FILE_MAX_BYTES // 100)), encoding="utf-8")
    found = entries(path)
    assert found[-1].endswith(f"{FILE_MAX_BYTES // 100 - 1:09d}")
    assert all(len(text) == 99 for text in found)
    assert path.stat().st_size <= READ_MAX_BYTES
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("chars", [ENTRY_MAX_CHARS, ENTRY_MAX_CHARS + 1])
def test_a_pasted_document_is_not_kept(tmp_path: Path, chars: int) -> None:
    """An entry beyond the limit is remembered for this run only."""
    path = tmp_path / "history"
    history(path).append_string("x" * chars)
    assert len(entries(path)) == (1 if chars <= ENTRY_MAX_CHARS else 0)
