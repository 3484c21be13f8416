"""The command line: the same commands from the same table, JSON for scripts, exit codes, and help."""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agentao import __version__
from agentao.errors import UsageError
from agentao.shell.cli import main
from agentao.shell.command_line import Chosen, as_typed, read, wants_help
from agentao.shell.commands import TABLE
from agentao.shell.help_page import help_for, help_page
from agentao.shell.views.render import render
from tests.support.samples import NOW, SAMPLES

ROOT = Path(__file__).parents[2]


def chosen(*words: str) -> Chosen:
    assert wants_help(list(words), TABLE) is None
    return read(list(words), TABLE)


# -- two parsers, one table of cases -----------------------------------------------------------------------------------

CASES: list[tuple[str, list[str]]] = [
    ("memory", ["memory"]),
    ("memory list", ["memory", "list"]),
    ("memory ls", ["memory", "ls"]),
    ("memory --all", ["memory", "--all"]),
    ("memory list --limit 5 --type note", ["memory", "list", "--limit", "5", "--type", "note"]),
    ("memory list --limit=5", ["memory", "list", "--limit=5"]),
    ("memory search don't", ["memory", "search", "don't"]),
    ("memory search a b", ["memory", "search", "a", "b"]),
    ("memory search a b", ["memory", "search", "a b"]),
    ("memory search --foo", ["memory", "search", "--foo"]),
    ("memory search -5", ["memory", "search", "-5"]),
    ("memory search --limit 2 x", ["memory", "search", "--limit", "2", "x"]),
    ("memory search x --limit 2", ["memory", "search", "x", "--limit", "2"]),
    ("memory search -- --all", ["memory", "search", "--", "--all"]),
    ("memory add k v w", ["memory", "add", "k", "v", "w"]),
    ("memory add --tags a,b k v", ["memory", "add", "--tags", "a,b", "k", "v"]),
    ("memory add k --scope x", ["memory", "add", "k", "--scope", "x"]),
    ('memory add "two words" v', ["memory", "add", "two words", "v"]),
    ("memory add k", ["memory", "add", "k"]),
    ("memory delete a b", ["memory", "delete", "a", "b"]),
    ("memory delete x --foo", ["memory", "delete", "x", "--foo"]),
    ("memory import f --dry-run", ["memory", "import", "f", "--dry-run"]),
    ("memory export --scope user f", ["memory", "export", "--scope", "user", "f"]),
    ("memory export", ["memory", "export"]),
    ("memory clear --yes", ["memory", "clear", "--yes"]),
    ("memory review", ["memory", "review"]),
    ("memory review approve --replace ab", ["memory", "review", "approve", "--replace", "ab"]),
    ("memory review reject all --yes", ["memory", "review", "reject", "all", "--yes"]),
    ("config show", ["config", "show"]),
    ("config", ["config"]),
    ("backup a file", ["backup", "a", "file"]),
]

ERRORS: list[tuple[str, list[str]]] = [
    ("memory search", ["memory", "search"]),
    ("memory add", ["memory", "add"]),
    ("memory list x", ["memory", "list", "x"]),
    ("memory list --foo", ["memory", "list", "--foo"]),
    ("memory list --limt 5", ["memory", "list", "--limt", "5"]),
    ("memory list --limit", ["memory", "list", "--limit"]),
    ("memory list --limit x", ["memory", "list", "--limit", "x"]),
    ("memory list --limit 0", ["memory", "list", "--limit", "0"]),
    ("memory list --sort age", ["memory", "list", "--sort", "age"]),
    ("memory review approve", ["memory", "review", "approve"]),
    ("memory review approve a b", ["memory", "review", "approve", "a", "b"]),
    ("memory lsit", ["memory", "lsit"]),
    ("memory frobnicate", ["memory", "frobnicate"]),
    ("memroy list", ["memroy", "list"]),
    ("config shwo", ["config", "shwo"]),
]


@pytest.mark.parametrize(("line", "words"), CASES, ids=[" ".join(words) for _, words in CASES])
def test_a_typed_line_and_the_command_line_mean_the_same(line: str, words: list[str]) -> None:
    """Both parsers give the same call."""
    assert chosen(*words).call == TABLE.parse(line)


@pytest.mark.parametrize(("line", "words"), ERRORS, ids=[line for line, _ in ERRORS])
def test_both_parsers_give_the_same_error(line: str, words: list[str]) -> None:
    """The same words, with ``agentao`` in place of the slash; one line, exit code 2."""
    with pytest.raises(UsageError) as typed:
        TABLE.parse(line)
    with pytest.raises(UsageError) as given:
        read(words, TABLE)
    wanted = re.sub(r"/help (\w+)", r"agentao \1 --help", str(typed.value))
    wanted = re.sub(r"(?<![\w/])/(?=[a-z])", "agentao ", wanted)
    assert str(given.value) == wanted
    assert given.value.exit_code == 2
    assert "\n" not in str(given.value)


@pytest.mark.parametrize("words", [["--foo"], ["-x"], ["--project"], ["-p"], ["--project="], ["--no-memry"]])
def test_other_slips_are_one_line(words: list[str]) -> None:
    """A wrong option of the start is one line with the usage."""
    with pytest.raises(UsageError) as caught:
        read(words, TABLE)
    assert "Usage: agentao" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("words", ["-p hi memory list", "--json -p hi --no-memory there", "--prompt=hi -- there"])
def test_no_question_is_dropped_for_a_command(words: str) -> None:
    """A question and further words are refused, with how a question of several words is given."""
    with pytest.raises(
        UsageError, match=r"^'(\w+|--)' is one word too many behind -p\. Usage: agentao -p \"question\"$"
    ):
        read(words.split(), TABLE)


def test_a_command_of_the_running_shell_says_so() -> None:
    """``agentao clear`` is answered with where the command lives."""
    with pytest.raises(UsageError, match="start agentao, then type it"):
        read(["clear"], TABLE)


# -- options that may stand anywhere -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["memory", "search", "x", "--json"], "x"),
        (["memory", "search", "--json", "x", "y"], "x y"),
        (["--json", "memory", "search", "x"], "x"),
    ],
)
def test_json_may_stand_anywhere(words: list[str], value: str) -> None:
    """It belongs to the command line, not to the text."""
    found = chosen(*words)
    assert found.json
    assert found.call is not None
    assert found.call.values["query"] == value


def test_nothing_behind_two_dashes_is_an_option() -> None:
    """Everything can be looked for and deleted, whatever it is called."""
    found = chosen("memory", "delete", "--", "--json", "--yes", "--project", "x", "--help")
    assert (found.json, found.start.project) == (False, None)
    assert found.call is not None
    assert found.call.values == {"target": "--json --yes --project x --help"}
    assert chosen("memory", "search", "-p", "x").call.values["query"] == "-p x"  # type: ignore[union-attr]


def test_yes_may_stand_anywhere_where_it_means_something() -> None:
    """And is refused where nothing is asked."""
    assert chosen("memory", "review", "approve", "--yes", "all").call.yes  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="Unknown option --yes"):
        read(["memory", "list", "--yes"], TABLE)


def test_the_start_options_are_read() -> None:
    """In front of the command, behind it, or alone."""
    found = chosen("memory", "list", "--json", "--project", "/x", "--no-memory")
    assert (found.json, found.start.project, found.start.memory_on) == (True, "/x", False)
    alone = chosen("--trust-project", "--raw", "-p", "why")
    assert (alone.call, alone.start.trust_project, alone.start.raw, alone.start.prompt) == (None, True, True, "why")
    assert chosen("-p", "").start.prompt == ""
    assert chosen("--no-memory").start.prompt is None


# -- help --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", [entry for entry in TABLE if entry.where != "shell"], ids=lambda entry: entry.name)
def test_every_command_has_a_page(entry: Any) -> None:
    """Usage, what it does, every argument and option with its help, examples."""
    page = help_page(entry, TABLE)
    assert page.startswith(f"Usage: agentao {entry.name}")
    for part in (entry.summary, "Options:", "--json", "Examples:", *(param.help for param in entry.params)):
        assert "".join(part.split()) in "".join(page.split())
    assert all(len(line) <= 100 for line in page.splitlines())


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


def test_help_can_be_asked_for_in_every_way(capsys: pytest.CaptureFixture[str]) -> None:
    """``--help``, ``-h`` and ``help`` of the program, a group and a command."""
    page = help_page(TABLE.get("memory add"), TABLE) + "\n"  # type: ignore[arg-type]
    for words in (
        ("memory", "add", "--help"),
        ("memory", "add", "-h"),
        ("help", "memory", "add"),
        ("-h", "memory", "add"),
    ):
        assert shown(capsys, *words) == page
    for words in (("--help",), ("-h",), ("help",)):
        text = shown(capsys, *words)
        assert all(part in text for part in ("memory", "doctor", "--no-memory", "--install-completion", "Exit codes"))
    for words in (("memory", "--help"), ("memory", "-h"), ("memory", "help"), ("help", "memory")):
        text = shown(capsys, *words)
        for entry in TABLE.under("memory"):
            assert entry.where == "shell" or entry.name.removeprefix("memory ") in text
    assert "approve" in shown(capsys, "memory", "review", "--help")


def test_help_can_be_looked_for_as_a_word() -> None:
    """``memory search help`` searches."""
    assert chosen("memory", "search", "help").call.values["query"] == "help"  # type: ignore[union-attr]
    assert wants_help(["memory", "search", "--", "--help"], TABLE) is None


def test_help_of_nothing_known_is_one_line() -> None:
    """With the nearest name."""
    with pytest.raises(UsageError, match="Did you mean agentao memory list"):
        help_for(["memory", "lsit", "--help"], TABLE)


# -- words that name commands ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("/memory undo takes it back.", "agentao memory undo takes it back."),
        ("Yes (/memory undo).", "Yes (agentao memory undo)."),
        ("/memory review approve ID, /memory", "agentao memory review approve ID, agentao memory"),
        ("/doctor checks it; so does /config show.", "agentao doctor checks it; so does agentao config show."),
        ('"/memory undo" stays, a/memory and /memoryx too', '"/memory undo" stays, a/memory and /memoryx too'),
        ("/compact, /clear and /memory off", "/compact, /clear and /memory off"),
        ("/home/me/.agentao/memory", "/home/me/.agentao/memory"),
    ],
)
def test_commands_are_named_as_they_are_typed(text: str, typed: str) -> None:
    """Advice on the command line names its commands; what only a running shell has, paths and quotes stay."""
    assert as_typed(text, TABLE) == typed


@pytest.mark.parametrize("name", [name for name in SAMPLES if not name.startswith("help")])
def test_no_view_names_a_command_of_another_place(name: str) -> None:
    """What is shown on the command line never advises a line of the running shell that has a form of its own there."""
    buffer = io.StringIO()
    Console(file=buffer, width=100, markup=False).print(
        render(SAMPLES[name], 100, now=NOW, named=lambda text: as_typed(text, TABLE))
    )
    assert not re.findall(r"(?<!\S)/(?:memory(?! on| off| crystallize)|doctor|config|backup)", buffer.getvalue())


# -- the program itself ------------------------------------------------------------------------------------------------


def run(
    home: Path, *words: str, cwd: Path | None = None, stdin: str = "", **environ: str
) -> subprocess.CompletedProcess[str]:
    folder = cwd or home / "project"
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.run(
        [sys.executable, "-m", "agentao", *words],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **environ},
        timeout=60,
    )


def data(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def error(done: subprocess.CompletedProcess[str]) -> tuple[int, str]:
    assert done.stdout == ""
    return done.returncode, json.loads(done.stderr)["error"]["kind"]


def test_memories_from_the_command_line(tmp_path: Path) -> None:
    """Add, list, search, delete, undo with ``--json``, each its own process; user scope holds in another project."""
    added = data(run(tmp_path, "memory", "add", "--tags", "user,editor", "preferred_editor", "nvim", "--json"))
    assert (added["change"], added["memory"]["scope"]) == ("new", "user")
    data(run(tmp_path, "memory", "add", "包管理器", "uv", "--json"))
    listed = data(run(tmp_path, "memory", "list", "--json"))
    assert listed["count"] == 2
    assert [record["title"] for record in listed["memories"]] == ["包管理器", "Preferred editor"]
    assert data(run(tmp_path, "memory", "search", "包管理", "--json"))["count"] == 1
    elsewhere = data(run(tmp_path, "memory", "--json", cwd=tmp_path / "other"))
    assert [record["title"] for record in elsewhere["memories"]] == ["Preferred editor"]
    named = data(run(tmp_path, "memory", "--json", "--project", str(tmp_path / "project"), cwd=tmp_path / "other"))
    assert named["count"] == 2
    assert data(run(tmp_path, "memory", "delete", "包管理器", "--json"))["memories"][0]["content"] == "uv"
    assert data(run(tmp_path, "memory", "undo", "--yes", "--json"))["event_type"] == "delete"
    assert data(run(tmp_path, "memory", "status", "--json"))["count"] == 2


def test_a_project_is_the_same_by_every_path_to_it(tmp_path: Path) -> None:
    """ST-25: through a link, by a relative path, with Chinese and blanks in its name: one project, one file."""
    project = tmp_path / "我的 项目"
    (project / ".agentao").mkdir(parents=True)
    (tmp_path / "link").symlink_to(project)
    inside = project / "sub"
    by_rule = {"AGENTAO_PROJECT": ""}
    data(run(tmp_path, "memory", "add", "one", "1", "--json", cwd=tmp_path / "link", **by_rule))
    data(run(tmp_path, "memory", "add", "two", "2", "--json", cwd=inside, **by_rule))
    data(run(tmp_path, "memory", "add", "three", "3", "--json", "--project", "../link", cwd=tmp_path / "other"))
    for cwd, words in ((project, ()), (tmp_path / "link", ()), (tmp_path / "other", ("--project", "../我的 项目"))):
        assert data(run(tmp_path, "memory", "project", "--json", *words, cwd=cwd, **by_rule))["count"] == 3
    assert (project / ".agentao" / "memory.db").is_file()
    assert not (tmp_path / "other" / ".agentao").exists() and not (inside / ".agentao").exists()


def test_errors_have_kinds_and_exit_codes(tmp_path: Path) -> None:
    """JSON on standard error with the exit code of its kind; plain words without ``--json``."""
    assert error(run(tmp_path, "memory", "show", "nope", "--json")) == (1, "not_found")
    assert error(run(tmp_path, "memory", "add", "🚀", "x", "--json")) == (1, "refused")
    assert error(run(tmp_path, "memory", "list", "--foo", "--json")) == (2, "usage")
    assert error(run(tmp_path, "frob", "--json")) == (2, "usage")
    plain = run(tmp_path, "memory", "show", "nope")
    assert (plain.returncode, plain.stdout, plain.stderr.count("\n")) == (1, "", 1)
    assert "; agentao memory list shows" in plain.stderr
    assert "; agentao memory list shows" in run(tmp_path, "memory", "show", "nope", "--json").stderr


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "add", "k", "v"),
        ("memory", "delete", "Old"),
        ("memory", "undo", "--yes"),
        ("memory", "clear", "--yes"),
        ("memory", "import", "../lines.jsonl"),
        ("memory", "purge", "--yes"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_one_command_never_claims_a_write_that_is_lost(tmp_path: Path, words: Sequence[str]) -> None:
    """ST-10: where the store cannot be written, a command that writes says why and ends with 3; looking goes on."""
    (tmp_path / "lines.jsonl").write_text('{"key": "k", "value": "v"}\n')
    for command in (("add", "Old", "x"), ("add", "Older", "y"), ("delete", "Older")):
        run(tmp_path, "memory", *command)
    file = tmp_path / "project" / ".agentao" / "memory.db"
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("PRAGMA user_version = 999")
    before = file.read_bytes()
    done = run(tmp_path, *words)
    assert (done.returncode, done.stdout) == (3, "")
    assert "Nothing was written: " in done.stderr and "written by a newer version" in done.stderr
    assert "this run" not in done.stderr and done.stderr.count("\n") == 1
    code, kind = error(run(tmp_path, *words, "--json"))
    assert (code, kind.partition("_")[0]) == (3, "store")
    assert data(run(tmp_path, "memory", "--json"))["count"] == 1
    assert file.read_bytes() == before


def test_a_clear_that_failed_in_part_is_a_failure(tmp_path: Path) -> None:
    """ST-06: it says which part was cleared and which was not, and ends with 3."""
    run(tmp_path, "memory", "add", "user_name", "Ada")
    run(tmp_path, "memory", "add", "port", "8080")
    with closing(sqlite3.connect(tmp_path / "project" / ".agentao" / "memory.db")) as conn:
        conn.execute("PRAGMA user_version = 999")
    done = run(tmp_path, "memory", "clear", "--yes")
    assert (done.returncode, done.stdout) == (3, "")
    assert "The project memories were not cleared" in done.stderr
    assert "Removed 1 user memory, 0 project memories" in done.stderr
    assert [record["title"] for record in data(run(tmp_path, "memory", "--json"))["memories"]] == ["Port"]


def test_a_question_without_a_terminal_is_exit_code_2(tmp_path: Path) -> None:
    """Nothing is removed, whatever stands on standard input; ``--yes`` does it."""
    run(tmp_path, "memory", "add", "k", "v")
    asked = run(tmp_path, "memory", "clear", stdin="y\n")
    assert asked.returncode == 2
    assert "--yes" in asked.stderr
    assert data(run(tmp_path, "memory", "--json"))["count"] == 1
    assert run(tmp_path, "memory", "clear", "--yes").returncode == 0
    assert data(run(tmp_path, "memory", "--json"))["count"] == 0


def test_one_question_one_answer(tmp_path: Path) -> None:
    """``-p`` answers on standard output; what it saved is told beside it; piped text is added."""
    done = run(tmp_path, "-p", "remember that I prefer nvim")
    assert done.returncode == 0
    assert "nvim" in done.stdout
    assert "Saved, new: user" in done.stderr
    assert "Saved" not in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    assert data(run(tmp_path, "memory", "--json"))["count"] == 1
    piped = run(tmp_path, "-p", "remember that", stdin="the port is 8080\n")
    assert piped.returncode == 0
    assert data(run(tmp_path, "memory", "search", "8080", "--json"))["count"] == 1
    empty = run(tmp_path, "-p", " ")
    assert (empty.returncode, empty.stdout) == (2, "")


def test_no_memory_holds_for_one_question(tmp_path: Path) -> None:
    """``--no-memory`` saves nothing."""
    assert run(tmp_path, "--no-memory", "-p", "remember that I prefer nvim").returncode == 0
    assert data(run(tmp_path, "memory", "--json"))["count"] == 0


@pytest.mark.parametrize("words", [("--version",), ("--help",), ("memory", "--help"), ("doctor",), ("config", "show")])
def test_looking_makes_no_file(tmp_path: Path, words: Sequence[str]) -> None:
    """Version, help, doctor and settings leave nothing behind."""
    done = run(tmp_path, *words)
    assert done.returncode == 0
    assert done.stdout
    assert done.stderr == ""
    assert not (tmp_path / ".agentao").exists()
    assert list((tmp_path / "project").iterdir()) == []


def test_the_version_is_told(tmp_path: Path) -> None:
    """Alone, and among other words."""
    assert run(tmp_path, "--version").stdout == f"agentao {__version__}\n"
    assert run(tmp_path, "--no-memory", "--version").stdout == f"agentao {__version__}\n"


def test_settings_are_shown_with_their_origin(tmp_path: Path) -> None:
    """``config show --json`` names where each value stands, and never the key."""
    shown = data(run(tmp_path, "config", "show", "--json", OPENAI_API_KEY="sk-SENTINEL", OPENAI_MODEL="m"))
    assert shown["config"]["model.name"] == {"value": "m", "origin": "environment OPENAI_MODEL"}
    assert "SENTINEL" not in json.dumps(shown)


def test_a_broken_settings_file_is_one_line(tmp_path: Path) -> None:
    """With its place; exit code 2; no traceback."""
    (tmp_path / ".agentao").mkdir()
    (tmp_path / ".agentao" / "config.toml").write_text("[model]\nname = 3\n")
    done = run(tmp_path, "memory")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "config.toml, line 2: model.name must be" in done.stderr


def test_a_narrow_code_page_breaks_nothing(tmp_path: Path) -> None:
    """I18-12: what cp1252 lacks is replaced, and JSON stays whole."""
    run(tmp_path, "memory", "add", "✓ 记忆", "值 │ █")
    narrow = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    listed = run(tmp_path, "memory", "list", **narrow)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "?" in listed.stdout
    assert data(run(tmp_path, "memory", "--json", **narrow))["memories"][0]["content"] == "值 │ █"


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    """``agentao memory export | head -1`` ends without a traceback."""
    lines = "".join(json.dumps({"key": f"k{n}", "value": "x" * 400}) + "\n" for n in range(400))
    (tmp_path / "lines.jsonl").write_text(lines)
    assert run(tmp_path, "memory", "import", str(tmp_path / "lines.jsonl")).returncode == 0
    command = f"{sys.executable} -m agentao memory export | head -1 >/dev/null"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        capture_output=True,
        text=True,
        cwd=tmp_path / "project",
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    assert done.stderr == ""


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    """``--help`` needs neither typer, rich nor openai, nor a database."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "agentao", "--help"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert loaded & {"typer", "openai", "rich", "rich.console", "prompt_toolkit", "sqlite3", "asyncio"} == set()
