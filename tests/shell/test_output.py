"""Where answers and errors go: a terminal, a pipe, a pager, JSON."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentao.config import Settings
from agentao.errors import NotFound
from agentao.shell.commands import TABLE
from agentao.shell.output import Output
from agentao.shell.perform import perform
from tests.support.samples import NASTY, SAMPLES
from tests.support.shell_context import open_bench


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


SETTINGS = Settings(Path("/h"), Path("/p"))


def test_a_pipe_gets_plain_whole_lines() -> None:
    """No escape code, nothing wrapped, an export exactly as it will be read again."""
    out = io.StringIO()
    output = Output(SETTINGS, out, io.StringIO())
    for name in SAMPLES:
        output.result(SAMPLES[name])
    assert "\x1b" not in out.getvalue()
    assert SAMPLES["exported_to_screen"].lines[0] + "\n" in out.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(("color", "dumb"), [(True, False), (False, False), (False, True)])
def test_a_terminal_gets_what_it_can_show(monkeypatch: pytest.MonkeyPatch, color: bool, dumb: bool) -> None:
    """Colours where they are wanted, columns told where signs are unsure, nothing at all on a dumb terminal."""
    monkeypatch.setenv("TERM", "dumb" if dumb else "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    out = Terminal()
    Output(Settings(Path("/h"), Path("/p"), color=color, dumb_terminal=dumb), out, io.StringIO()).result(
        SAMPLES["list"]
    )
    assert ("\x1b[1m" in out.getvalue()) is color
    assert ("G" in out.getvalue() and "\x1b[" in out.getvalue()) is not dumb
    if dumb:
        assert "\x1b" not in out.getvalue()


def test_json_goes_out_and_errors_go_beside() -> None:
    """Each on its own stream, each readable by a program."""
    out, err = io.StringIO(), io.StringIO()
    output = Output(None, out, err, json=True)
    output.result(SAMPLES["list"])
    output.error(NotFound("nothing is called x\u202e"))
    assert json.loads(out.getvalue())["count"] == 9
    assert json.loads(err.getvalue()) == {"error": {"kind": "not_found", "message": "nothing is called x\u202e"}}
    assert err.getvalue().isascii()


def test_an_error_is_one_clean_line() -> None:
    """Whatever stands in it."""
    err = io.StringIO()
    Output(None, io.StringIO(), err).error(NotFound(f"nothing\nis called {NASTY}"))
    assert err.getvalue().count("\n") == 1
    assert "\x1b" not in err.getvalue()


def test_a_pager_opens_only_where_it_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal and with ``--pager``; a pipe gets the text itself, and so does a user without a pager."""
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ncat > {tmp_path}/seen\n")
    pager.chmod(0o755)
    settings = Settings(Path("/h"), Path("/p"), pager=str(pager))
    for out, page, paged in ((Terminal(), True, True), (Terminal(), False, False), (io.StringIO(), True, False)):
        (tmp_path / "seen").unlink(missing_ok=True)
        Output(settings, out, io.StringIO()).result(SAMPLES["list"], page=page)
        assert (tmp_path / "seen").exists() is paged
        assert (out.getvalue() == "") is paged
    Output(settings, Terminal(), io.StringIO()).result(SAMPLES["list"], page=True)
    assert "\x1b[" in (tmp_path / "seen").read_text()
    assert "G " not in (tmp_path / "seen").read_text().replace("Package manager", "")
    none = Terminal()
    Output(Settings(Path("/h"), Path("/p"), pager="no-such-pager"), none, io.StringIO()).result(
        SAMPLES["tags"], page=True
    )
    assert "tooling" in none.getvalue()


@pytest.mark.parametrize(("typed", "removed"), [("y\n", True), ("\n", False), ("", False), ("n\n", False)])
def test_a_question_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, removed: bool
) -> None:
    """UX-10: Enter alone and the end of input remove nothing; the question stands on standard error."""
    from agentao.shell.cli import _ask

    bench = open_bench(tmp_path)
    bench.run("/memory add k v")
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    perform(TABLE.parse("memory clear"), bench.ctx, _ask, None)
    assert (bench.manager.count() == 0) is removed
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "1 project memory" in shown.err


def test_ctrl_c_at_a_question_removes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """UX-10."""
    from agentao.shell.cli import _ask

    class Interrupted(io.StringIO):
        """Ctrl-C instead of an answer."""

        def readline(self, size: int | None = -1) -> str:
            """Never a line."""
            raise KeyboardInterrupt

    bench = open_bench(tmp_path)
    bench.run("/memory add k v")
    monkeypatch.setattr(sys, "stdin", Interrupted())
    perform(TABLE.parse("memory clear"), bench.ctx, _ask, None)
    assert bench.manager.count() == 1


def test_the_table_is_quick_to_import() -> None:
    """What stands between the user and the prompt loads nothing that only an answer needs."""
    heavy = (
        "rich",
        "typer",
        "json",
        "difflib",
        "agentao.shell.results",
        "agentao.shell.views.render",
        "agentao.memory.models",
    )
    code = f"import sys, agentao.shell.commands; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=60
    )
    assert done.stdout.strip() == "[]", done.stderr
