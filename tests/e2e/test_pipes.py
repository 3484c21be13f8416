"""The program without a terminal: every line is run, answers are plain, exit codes tell what failed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import live
from tests.support.fake_openai import FakeOpenAI, call, error, say
from tests.support.terminal import AGENTAO, environment, model

LIMIT_S = 30
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def run(home: Path, project: Path) -> Run:
    """Runs the program with ``lines`` on its standard input."""

    def begin(
        lines: str | bytes = "", *words: str, cwd: Path = project, **extra: str
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*AGENTAO, *words],
            input=lines.encode() if isinstance(lines, str) else lines,
            capture_output=True,
            cwd=cwd,
            env=environment(home, **extra),
            timeout=LIMIT_S,
            check=False,
        )

    return begin


def test_a_fresh_home_remembers_and_lists(run: Run, tmp_path: Path) -> None:
    """IN-08: the first lines ever, piped in: a fact is saved, listed and counted, without escape codes; code 0."""
    done = run("remember that I prefer nvim\n/memory list\n/memory status\n")
    out = done.stdout.decode()

    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert "agentao>" not in out
    assert out.count("nvim") >= 2
    assert "1 memory" in out or "1" in out

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "nvim" in run("/memory list\n", cwd=elsewhere).stdout.decode()


def test_a_project_fact_stays_in_its_project(run: Run, tmp_path: Path) -> None:
    """What holds in one project is not listed in another."""
    assert run("/memory add test_command make check\n").returncode == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "make check" in run("/memory list\n").stdout.decode()
    assert "make check" not in run("/memory list\n", cwd=elsewhere).stdout.decode()


def test_all_lines_are_run_and_the_first_failure_is_the_exit_code(run: Run) -> None:
    """A failed line stops nothing; errors are on standard error; the code is that of the first failure."""
    done = run("/memory delete nothing-like-it\n/memroy\n/memory list\n")
    assert done.returncode == 1
    assert b"Nothing is remembered" in done.stdout
    assert b"/memory" in done.stderr
    assert run("/memroy\n/memory delete nothing-like-it\n").returncode == 2


def test_answers_and_what_is_said_about_them_keep_apart(run: Run) -> None:
    """The answer is on standard output as the model sent it; a server's failure is one line and exit code 4."""
    answer = "# Title\n\n- **bold** and `code`\n"
    with FakeOpenAI(say(answer), error(401, "bad key")) as server:
        done = run("hello\nagain\n", **model(server.base_url))
    assert done.stdout.decode() == answer
    assert done.stderr.decode().count("\n") == 1
    assert done.returncode == 4


def test_a_save_by_the_model_is_told(run: Run, project: Path) -> None:
    """Also in a pipe a tool call's save is seen."""
    with FakeOpenAI(call("save_memory", {"key": "package_manager", "value": "uv"}), say("Noted.")) as server:
        done = run("we use uv\n", **model(server.base_url))
    assert live(project / ".agentao" / "memory.db") == [("package_manager", "uv")]
    assert "Package manager" in done.stdout.decode() + done.stderr.decode()


def test_lines_of_every_kind_of_ending_and_broken_bytes_are_taken(run: Run) -> None:
    """IN-05: a byte-order mark, CRLF, no last line end, and invalid UTF-8 do no harm."""
    with FakeOpenAI() as server:
        done = run(b"\xef\xbb\xbf/memory list\r\n\r\nbad \xe2\x80 bytes", **model(server.base_url))
    assert done.returncode == 0
    assert b"Nothing is remembered" in done.stdout
    assert [recorded.last_user for recorded in server.requests] == ["bad \ufffd bytes"]


def test_a_question_that_needs_a_yes_is_not_asked_in_a_pipe(run: Run) -> None:
    """UX-10: without a terminal nothing is cleared, and the exit code says so; ``--yes`` does it."""
    run("/memory add editor nvim\n")
    refused = run("/memory clear\ny\n")
    assert refused.returncode == 2
    assert b"--yes" in refused.stderr
    assert b"nvim" in run("/memory list\n").stdout
    assert run("/memory clear --yes\n").returncode == 0
    assert b"nvim" not in run("/memory list\n").stdout


@pytest.mark.parametrize("redirection", ["</dev/null", "<&-", "<&- >&-", "</dev/null 2>&-", "<&- >&- 2>&-"])
def test_an_empty_or_closed_input_ends_at_once(home: Path, project: Path, redirection: str) -> None:
    """IN-08: with nothing to read, or closed streams, the program ends with a word and a code, and damages nothing."""
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *AGENTAO],
        capture_output=True,
        cwd=project,
        env=environment(home),
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr
    if "2>&-" not in redirection:
        assert b"Standard input was empty" in done.stderr
    database = (home / ".agentao" / "memory.db").read_bytes()
    assert database.startswith(b"SQLite format 3\0")


def test_a_reader_that_goes_away_is_no_fault(home: Path, project: Path) -> None:
    """IN-08: when the pipe behind breaks, the program ends without a word."""
    done = subprocess.run(
        ["sh", "-c", 'yes /memory list | "$@" | head -n 1', "sh", *AGENTAO],
        capture_output=True,
        cwd=project,
        env=environment(home),
        timeout=LIMIT_S,
        check=False,
    )
    assert done.stdout == b"Nothing is remembered yet.\n"
    assert done.stderr == b""


@pytest.mark.parametrize(
    "words", ["-p hi", "memory list", "memory list --all", "--help", "--version", "/memory list", "hi"]
)
@pytest.mark.parametrize(
    ("redirection", "reason", "unbuffered"),
    [
        (">/dev/full", "No space left on device", ""),
        (">/dev/full", "No space left on device", "1"),
        (">&-", "Bad file descriptor", ""),
    ],
)
def test_an_answer_is_not_lost_without_a_word(
    home: Path, project: Path, words: str, redirection: str, reason: str, unbuffered: str
) -> None:
    """IN-08: where standard output is full or closed, one line says so, the code is not 0, and nothing is logged."""
    given, lines = (words.split(), "") if words.startswith(("-", "memory")) else ([], f"{words}\n{words}\n")
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *AGENTAO, *given],
        input=lines.encode(),
        capture_output=True,
        cwd=project,
        env=environment(home, PYTHONUNBUFFERED=unbuffered),
        timeout=LIMIT_S,
        check=False,
    )
    assert done.stderr.decode() == f"standard output: {reason}\n"
    assert done.returncode == 1
    assert not (home / ".agentao" / "agentao.log").exists()


def test_output_of_another_encoding_shows_replacements(run: Run) -> None:
    """I18-12: on a code page without the characters, the list shows stand-ins and the exit code is 0."""
    assert run("/memory add check ✓ 记忆\n").returncode == 0
    done = run("/memory list\n", PYTHONUTF8="0", PYTHONIOENCODING="cp1252")
    assert done.returncode == 0
    assert b"Check" in done.stdout
    assert b"?" in done.stdout
    assert b"Traceback" not in done.stderr


def test_without_a_locale_text_is_utf_8(home: Path, project: Path) -> None:
    """I18-13: in a container without a locale, Chinese arrives, is stored and shown as it is."""
    bare = {name: environment(home)[name] for name in ("PATH", "HOME", "PYTHONPATH", "AGENTAO_PROJECT")}
    done = subprocess.run(
        AGENTAO,
        input="记住 我叫小明\n/memory list\n".encode(),
        capture_output=True,
        cwd=project,
        env={**bare, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "小明" in done.stdout.decode()
    assert any("小明" in str(content) for _, content in live(home / ".agentao" / "memory.db"))
