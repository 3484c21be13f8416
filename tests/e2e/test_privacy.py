"""What must stay the user's own: keys, files, histories, and places outside the project."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import Start
from tests.support.fake_openai import FakeOpenAI, error, say
from tests.support.terminal import AGENTAO, CTRL_D, environment, model

SENTINEL = "sk-test-SENTINEL-0123456789abcdef"
BREAK = """
import agentao.{module} as broken
def fail(*args, **kwargs):
    key = {key!r}
    raise RuntimeError("it broke with " + key)
broken.{name} = fail
"""


def modes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): oct(stat.S_IMODE(path.stat().st_mode)) for path in (folder, *folder.rglob("*"))
    }


def test_files_are_readable_by_their_owner_alone(start: Start, home: Path, project: Path) -> None:
    """SEC-13: stores with their side files, history and log are 0600, the folders 0700, whatever the umask."""
    previous = os.umask(0o022)
    try:
        with FakeOpenAI(error(500), error(500), error(500), error(500)) as server:
            term = start(env=model(server.base_url))
            term.enter("/memory add user_editor nvim")
            term.prompt()
            term.enter("/memory add build make")
            term.prompt()
            running = {**modes(home / ".agentao"), **{f"p/{k}": v for k, v in modes(project / ".agentao").items()}}
            term.send(CTRL_D)
            term.end()
    finally:
        os.umask(previous)

    assert {"memory.db", "history", "p/memory.db"} <= set(running)
    folders = {name: mode for name, mode in running.items() if name in (".", "p/.")}
    assert folders == {".": "0o700", "p/.": "0o700"}
    files = {name: mode for name, mode in running.items() if name not in folders and not name.endswith(".gitignore")}
    assert set(files.values()) == {"0o600"}


def test_a_saved_memory_is_not_offered_to_git(start: Start, project: Path) -> None:
    """SEC-14: in a git repository the memory folder does not show up as a change; the user's files stay as they are."""
    project.joinpath(".git").rmdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True, timeout=30)
    (project / ".gitignore").write_text("mine\n")
    subprocess.run(["git", "add", "."], cwd=project, check=True, timeout=30)
    term = start()
    term.enter("/memory add build make")
    term.prompt()
    changed = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=project, check=True, timeout=30, capture_output=True, text=True
    )
    assert changed.stdout == "A  .gitignore\n"
    assert (project / ".gitignore").read_text() == "mine\n"


@pytest.mark.parametrize("linked", [".agentao", "memory.db"])
def test_a_link_out_of_the_project_is_not_followed(start: Start, project: Path, tmp_path: Path, linked: str) -> None:
    """SEC-16: a project that ships its memory as a link is told of; what the link points to stays as it was."""
    outside = tmp_path / "outside"
    outside.mkdir()
    victim = outside / "memory.db"
    victim.write_bytes(b"")
    if linked == ".agentao":
        (project / ".agentao").symlink_to(outside)
    else:
        (project / ".agentao").mkdir()
        (project / ".agentao" / "memory.db").symlink_to(victim)
    term = start()
    assert ".agentao" in term.text.replace("\n", "")
    assert "link" in term.text
    term.enter("/memory add build make")
    term.prompt()

    assert victim.read_bytes() == b""
    assert sorted(path.name for path in outside.iterdir()) == ["memory.db"]


@pytest.mark.parametrize(
    ("module", "name"),
    [("shell.app", "build_services"), ("shell.repl", "build_services"), ("agent.agent", "Agent"),
     ("shell.perform", "perform")],
)  # fmt: skip
def test_an_unforeseen_fault_shows_neither_key_nor_traceback(home: Path, project: Path, module: str, name: str) -> None:
    """SEC-12: a fault at start-up, in a request or in a command is one line; the log has it, without the key."""
    code = BREAK.format(module=module, name=name, key=SENTINEL) + (
        "import sys\nsys.argv = ['agentao']\nfrom agentao.__main__ import main\nsys.exit(main())\n"
    )
    done = subprocess.run(
        [AGENTAO[0], "-c", code],
        input=b"hello\n/memory list\n",
        capture_output=True,
        cwd=project,
        env=environment(home, **model("http://127.0.0.1:9/v1") | {"OPENAI_API_KEY": SENTINEL}),
        timeout=60,
        check=False,
    )
    log = home / ".agentao" / "agentao.log"
    shown = (done.stdout + done.stderr).decode()
    assert done.returncode != 0 or "Something went wrong" not in shown
    assert "SENTINEL" not in shown
    assert "Traceback" not in shown
    if "Something went wrong" in shown:
        text = log.read_text(encoding="utf-8")
        assert "it broke with" in text
        assert "SENTINEL" not in text
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_secret_never_reaches_the_history(start: Start, home: Path) -> None:
    """A line with a secret is sent as typed, and kept out of the input history."""
    secret = "sk-proj-" + "Ab3" * 16
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.enter(f"my key is {secret}")
        term.prompt()
        term.enter("an ordinary line")
        term.prompt()

    history = (home / ".agentao" / "history").read_text(encoding="utf-8")
    assert "an ordinary line" in history
    assert secret not in history
    assert server.requests[0].last_user == f"my key is {secret}"


@pytest.mark.parametrize("fault", ["folder", "unreadable bytes"])
def test_a_history_that_cannot_be_used_costs_a_warning(start: Start, home: Path, fault: str) -> None:
    """INS-05: a folder in the history's place, or bad bytes in it, never keep the prompt away."""
    (home / ".agentao").mkdir()
    history = home / ".agentao" / "history"
    if fault == "folder":
        history.mkdir()
    else:
        history.write_bytes(b"\xff\xfe\x00garbage\n+ok \xe2\x80\n\n# x\n+fine\n")
    with FakeOpenAI(say("hello you")) as server:
        term = start(env=model(server.base_url))
        assert ("input history" in term.text) == (fault == "folder")
        term.enter("hi")
        term.prompt()
        assert "hello you" in term.text
        term.enter("/memory list")
        term.prompt()
