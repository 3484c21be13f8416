"""The scripts set up .venv by themselves, whatever went wrong before, and then stay out of the way.

Python, ``venv`` and pip are stood in for by two small scripts that write down how they were called.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = ("sh", "cmp", "cp", "dirname", "grep", "mkdir", "mv", "readlink", "rm", "tail", "touch", "cat", "kill")
LIMIT_S = 60

BASE_PYTHON = """#!/bin/sh
echo "base $*" >>"$CALLS"
if [ "$1" = -V ]; then echo "Python 3.9.2"; exit; fi
if [ "$1" = -c ]; then
    case $2 in
    *version_info*) [ -z "${TOO_OLD-}" ] || exit 1 ;;
    *ensurepip*) [ -z "${NO_VENV-}" ] || exit 1 ;;
    esac
    exec "$REAL_PYTHON" "$@"
fi
mkdir -p "$4/bin" && cp "$VENV_PYTHON" "$4/bin/python"
"""

VENV_PYTHON = """#!/bin/sh
echo "venv $*" >>"$CALLS"
case "$*" in
"-m pip install"*)
    [ -z "${HOLD-}" ] || cat "$HOLD" >/dev/null
    if [ -n "${PIP_SAYS-}" ]; then echo "$PIP_SAYS"; exit 1; fi ;;
"-P -m agentao"*) cat ;;
esac
"""

Checkout = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with the real scripts, beside the tools they may use."""
    checkout = tmp_path / "a checkout"
    shutil.copytree(ROOT / "scripts", checkout / "scripts")
    shutil.copy(ROOT / "pyproject.toml", checkout)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(found)
    for name, text in (("python3", BASE_PYTHON), ("venv-python", VENV_PYTHON)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    return checkout


def env(root: Path, **extra: str) -> dict[str, str]:
    tools = root.parent / "bin"
    return {
        "PATH": str(tools),
        "CALLS": str(root.parent / "calls"),
        "REAL_PYTHON": sys.executable,
        "VENV_PYTHON": str(tools / "venv-python"),
        **extra,
    }


def run(
    script: Path, root: Path, *words: str, cwd: Path | None = None, stdin: str = "", **extra: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(script), *words],
        cwd=cwd or root.parent,
        env=env(root, **extra),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def calls(root: Path, words: str) -> int:
    """How often something was called with these words since the tests' start."""
    path = root.parent / "calls"
    return path.read_text().count(words) if path.exists() else 0


def test_the_first_start_sets_up_and_later_starts_go_straight_in(root: Path) -> None:
    """Set-up happens once, talks on standard error only, and leaves standard input to the program."""
    agentao = root / "scripts" / "agentao"
    first = run(agentao, root, "--raw", stdin="a question\n")
    assert (first.returncode, first.stdout) == (0, "a question\n")
    assert first.stderr.count("\n") == 1
    assert calls(root, f"-m pip install -e {root}") == 1
    assert calls(root, "venv -P -m agentao --raw") == 1

    second = run(agentao, root, stdin="another\n")
    assert (second.returncode, second.stdout, second.stderr) == (0, "another\n", "")
    assert calls(root, "pip install") == 1
    assert calls(root, "base ") == 4


def test_it_starts_from_anywhere_and_through_a_link(root: Path, tmp_path: Path) -> None:
    """Any working directory, a symbolic link to the script, and a link to that link lead to the same checkout."""
    (tmp_path / "link").symlink_to(root / "scripts" / "agentao")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "again").symlink_to("../link")
    for script, cwd in (
        (tmp_path / "other" / "again", Path("/")),
        (tmp_path / "link", tmp_path / "other"),
        (Path("../scripts/agentao"), root / "scripts"),
    ):
        done = run(script, root, cwd=cwd, stdin="hi\n")
        assert (done.returncode, done.stdout) == (0, "hi\n"), done.stderr
    assert calls(root, "pip install") == 1
    by_name = subprocess.run(
        ["sh", "agentao"],
        cwd=root / "scripts",
        env=env(root),
        input="hi\n",
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert by_name.stdout == "hi\n"


def test_a_changed_project_file_is_installed_anew(root: Path) -> None:
    """After a pull that changed pyproject.toml, whatever its time stamp, the next start brings .venv up to date."""
    agentao = root / "scripts" / "agentao"
    run(agentao, root)
    project = root / "pyproject.toml"
    project.write_text(project.read_text() + "# more\n")
    os.utime(project, (1, 1))
    done = run(agentao, root)
    assert "up to date" in done.stderr
    assert calls(root, "pip install") == 2
    assert calls(root, "-m venv") == 1
    assert run(agentao, root).stderr == ""


def test_a_moved_checkout_gets_a_new_environment(root: Path, tmp_path: Path) -> None:
    """An environment does not survive a move, so it is made anew where the checkout stands now."""
    run(root / "scripts" / "agentao", root)
    moved = tmp_path / "moved"
    root.rename(moved)
    done = run(moved / "scripts" / "agentao", moved, stdin="hi\n")
    assert done.stdout == "hi\n"
    assert calls(moved, f"pip install -e {moved}") == 1


def test_a_first_start_that_was_cut_short_heals(root: Path) -> None:
    """Killed in the middle of the installation, the next start begins anew and ends well."""
    hold = root.parent / "hold"
    os.mkfifo(hold)
    started = subprocess.Popen(
        [str(root / "scripts" / "agentao")],
        env=env(root, HOLD=str(hold)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with hold.open("w"):  # opens when the installation has begun to wait
        os.killpg(started.pid, signal.SIGKILL)
        started.wait(LIMIT_S)
    done = run(root / "scripts" / "agentao", root, stdin="hi\n")
    assert (done.returncode, done.stdout) == (0, "hi\n"), done.stderr
    assert calls(root, "-m venv") == 2


def test_two_first_starts_at_once_install_once(root: Path) -> None:
    """The second waits for the first, says so, and starts when it is done."""
    hold = root.parent / "hold"
    os.mkfifo(hold)

    def begin(**extra: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(root / "scripts" / "agentao")],
            env=env(root, **extra),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    first = begin(HOLD=str(hold))
    with hold.open("w"):
        second = begin()
        assert second.stderr is not None
        assert "waiting" in second.stderr.readline()
    assert first.communicate("one\n", LIMIT_S)[0] == "one\n"
    assert second.communicate("two\n", LIMIT_S)[0] == "two\n"
    assert calls(root, "pip install") == 1


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("WARNING: Retrying ... NewConnectionError ... Failed to establish a new connection", "no network"),
        ("ERROR: No matching distribution found for rich>=99", "No matching distribution found for rich>=99"),
    ],
)
def test_a_failed_installation_is_one_clear_line(root: Path, said: str, expected: str) -> None:
    """No network, and any other fault of pip, is one line with the place of the details; the next start tries again."""
    agentao = root / "scripts" / "agentao"
    failed = run(agentao, root, PIP_SAYS=said)
    assert failed.returncode == 1
    assert failed.stdout == ""
    _, line = failed.stderr.splitlines()
    assert expected in line
    assert "setup.log" in line
    assert run(agentao, root, stdin="hi\n").stdout == "hi\n"


@pytest.mark.parametrize(
    ("variable", "expected"),
    [("TOO_OLD", "Python 3.11 or newer is needed, and only Python 3.9.2"), ("NO_VENV", "has no venv module")],
)
@pytest.mark.parametrize("script", ["agentao", "test"])
def test_an_unfit_python_is_one_clear_line(root: Path, script: str, variable: str, expected: str) -> None:
    """A Python that is too old, or without the venv module, is named in one line, and nothing is left behind."""
    done = run(root / "scripts" / script, root, **{variable: "1"})
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert expected in line
    assert not (root / ".venv").exists()


def test_no_python_at_all_is_one_clear_line(root: Path) -> None:
    """Without any Python the script says what is needed."""
    (root.parent / "bin" / "python3").unlink()
    done = run(root / "scripts" / "agentao", root)
    assert done.returncode == 1
    assert (
        done.stderr == "agentao: Python 3.11 or newer is needed, and no Python was found; install it and start again.\n"
    )


def test_a_newer_python_is_found_behind_an_old_one(root: Path) -> None:
    """Where ``python3`` is too old, a newer one by its full name is taken."""
    tools = root.parent / "bin"
    newer = tools / "python3.12"
    newer.write_text(BASE_PYTHON.replace("TOO_OLD", "NEVER"))
    newer.chmod(0o755)
    assert run(root / "scripts" / "agentao", root, TOO_OLD="1", stdin="hi\n").stdout == "hi\n"


def test_the_test_script_installs_the_extras_and_passes_its_words_on(root: Path) -> None:
    """scripts/test adds the development tools once, and runs pytest with the words given."""
    run(root / "scripts" / "agentao", root)
    assert run(root / "scripts" / "test", root, "-k", "guard").returncode == 0
    assert calls(root, f"pip install -e {root}[dev]") == 1
    assert calls(root, "venv -m pytest -n 2 -k guard") == 1
    run(root / "scripts" / "agentao", root)
    assert calls(root, "pip install") == 2


def test_every_script_may_be_run() -> None:
    """Each script but the part they share is executable, and says what it is for."""
    for path in (*(ROOT / "scripts").iterdir(), ROOT / ".ci" / "run"):
        if path.is_dir() or path.name == "environment":
            continue
        assert path.stat().st_mode & stat.S_IXUSR, path
        assert path.read_text().startswith("#!"), path
