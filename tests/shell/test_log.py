"""The log: made at its first line, for its owner alone, never with the key, never endless."""

from __future__ import annotations

import logging
import stat
from pathlib import Path

from agentao.shell import log

KEY = "sk-test-SENTINEL"


def record(text: str, error: Exception | None = None) -> logging.LogRecord:
    info = (type(error), error, None) if error else None
    return logging.LogRecord("agentao.x", logging.ERROR, __file__, 1, text, (), info)


def test_the_key_in_use_and_other_secrets_are_masked(tmp_path: Path) -> None:
    """Neither message nor traceback shows the key, or anything that looks like one."""
    path = tmp_path / "home" / "agentao.log"
    other = "ghp_" + "a1B2" * 9
    log.LogFile(path, log.masking(KEY)).emit(record(f"with {KEY} and {other}", RuntimeError(f"broke: {KEY}")))
    text = path.read_text(encoding="utf-8")
    assert "broke" in text
    assert KEY not in text
    assert other not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_nothing_is_made_before_there_is_something_to_write(tmp_path: Path) -> None:
    """A run without a fault leaves no log."""
    log.LogFile(tmp_path / "home" / "agentao.log", log.masking(KEY))
    assert list(tmp_path.iterdir()) == []


def test_a_full_log_is_set_aside(tmp_path: Path) -> None:
    """One older file is kept; together they stay within twice the limit."""
    path = tmp_path / "agentao.log"
    handler = log.LogFile(path, lambda text: text)
    for _ in range(25):
        handler.emit(record("x" * (log.LOG_MAX_BYTES // 10)))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["agentao.log", "agentao.log.1"]
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 2 * log.LOG_MAX_BYTES


def test_a_log_that_cannot_be_written_costs_its_line_only(tmp_path: Path) -> None:
    """A folder in its place raises nothing."""
    (tmp_path / "agentao.log").mkdir()
    log.LogFile(tmp_path / "agentao.log", lambda text: text).emit(record("lost"))


def test_a_link_in_its_place_is_not_written_through(tmp_path: Path) -> None:
    """The log never lands in a file that someone else chose."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "agentao.log").symlink_to(victim)
    log.LogFile(tmp_path / "agentao.log", lambda text: text).emit(record("lost"))
    assert victim.read_text() == "mine"
