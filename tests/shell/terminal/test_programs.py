"""The editor and the pager: what comes back, what goes wrong, and that the terminal is lent meanwhile."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentao.errors import UsageError
from agentao.shell.terminal.programs import edit_text, page_text


def script(folder: Path, body: str) -> str:
    path = folder / "program with blanks"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return f'"{path}" -w'


@contextmanager
def lending(log: list[str]) -> Iterator[None]:
    log.append("lent")
    yield
    log.append("back")


def test_the_editor_gets_the_text_and_gives_it_back(tmp_path: Path) -> None:
    """With its options, in a file that only this user can read, which is gone afterwards."""
    log: list[str] = []
    editor = script(
        tmp_path,
        f'cat "$2" > {tmp_path}/seen; ls -l "$2" > {tmp_path}/mode; echo "$2" > {tmp_path}/name; echo 新 > "$2"',
    )
    assert edit_text("旧\n", editor, suffix=".txt", lend=lambda: lending(log)) == "新\n"
    assert log == ["lent", "back"]
    assert (tmp_path / "seen").read_text() == "旧\n"
    assert (tmp_path / "mode").read_text().startswith("-rw-------")
    name = Path((tmp_path / "name").read_text().strip())
    assert name.suffix == ".txt"
    assert not name.exists()


def test_an_editor_that_changes_nothing_gives_nothing(tmp_path: Path) -> None:
    """The same text, but for line ends at its end, is no change."""
    assert edit_text("same", script(tmp_path, 'echo same > "$2"')) is None


@pytest.mark.parametrize(
    ("body", "word"), [("exit 3", "code 3"), ('rm "$2"', "no text"), ("kill -9 $$", "ended with code")]
)
def test_an_editor_that_fails_changes_nothing(tmp_path: Path, body: str, word: str) -> None:
    """Whatever it did, the error says that nothing was changed."""
    with pytest.raises(UsageError, match=word):
        edit_text("text", script(tmp_path, body))


def test_what_was_written_outlives_a_failing_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed text stays in a file that only this user can read, which the error names; an unchanged one does not."""
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(kept))
    with pytest.raises(UsageError, match=r"Your text is kept in .*\.txt\.$"):
        edit_text("text", script(tmp_path, 'echo 很长 > "$2"; exit 1'), suffix=".txt")
    (file,) = kept.iterdir()
    assert file.read_text() == "很长\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(UsageError, match=r"nothing was changed\.$"):
        edit_text("text", script(tmp_path, "exit 1"))
    assert list(kept.iterdir()) == [file]


def test_a_missing_editor_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the variable to set; none at all is told too."""
    with pytest.raises(UsageError, match="no-such-editor cannot be run"):
        edit_text("text", "no-such-editor --wait")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="Set EDITOR"):
        edit_text("text")


def test_the_pager_gets_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole text; ``less`` is told to pass colours on; none to be found is False."""
    less = tmp_path / "less"
    less.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/options\ncat > {tmp_path}/text\n')
    less.chmod(less.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert page_text("文字 " * 50_000)
    assert (tmp_path / "options").read_text() == "-R\n"
    assert (tmp_path / "text").read_text() == "文字 " * 50_000
    assert page_text("x", "less -FRX")
    assert (tmp_path / "options").read_text() == "-FRX\n"
    assert not page_text("x", "no-such-pager")


def test_a_pager_that_is_left_early_is_no_error(tmp_path: Path) -> None:
    """The user presses q in the middle."""
    assert page_text("line\n" * 200_000, script(tmp_path, "exit 0"))
