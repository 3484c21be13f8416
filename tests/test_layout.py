"""The shape of the tree: what stands in the root, how long a file may grow, what no file may hold."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {".ci", ".gitignore", "README.md", "agentao", "pyproject.toml", "scripts", "tests"}
LINES_MAX = 450
LEFTOVERS = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")
NO_SUBJECT = {"utils", "helpers", "common", "misc"}


def tracked() -> list[str]:
    listing = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    if listing.returncode == 0:
        return [name for name in listing.stdout.splitlines() if (ROOT / name).exists()]
    return [str(path.relative_to(ROOT)) for top in TOP_LEVEL for path in (ROOT / top).rglob("*") if path.is_file()]


def sources(below: str) -> list[Path]:
    return sorted((ROOT / below).rglob("*.py"))


def test_the_root_holds_only_what_belongs_there() -> None:
    """Nothing but the fixed names stands in the root."""
    assert {name.split("/")[0] for name in tracked()} <= TOP_LEVEL


def test_no_module_outgrows_one_subject() -> None:
    """A module that grows beyond its limit is split by subject; no module is a drawer for odds and ends."""
    long = {
        str(path): count
        for path in sources("agentao")
        if (count := len(path.read_text("utf-8").splitlines())) > LINES_MAX
    }
    assert long == {}
    assert [path for path in sources("agentao") + sources("tests") if path.stem in NO_SUBJECT] == []


def test_nothing_is_left_for_later() -> None:
    """No file holds a mark for work that was put off; what people say in the examples may speak of such marks."""
    found = [
        name
        for name in tracked()
        if name.startswith(("agentao/", "scripts/", "tests/"))
        and not name.endswith(".txt")
        and LEFTOVERS.search((ROOT / name).read_text("utf-8", "replace"))
    ]
    assert found == []


def test_every_test_says_what_it_promises() -> None:
    """Each test has a docstring, and none is skipped, expected to fail, or slowed down by a sleep."""
    for path in sources("tests"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                assert ast.get_docstring(node), f"{path.name}: {node.name} has no docstring"
            if isinstance(node, ast.Attribute):
                dotted = ast.unparse(node)
                assert not re.fullmatch(r"(pytest\.)?(mark\.)?(skip|skipif|xfail)|time\.sleep", dotted), (
                    f"{path.name}: {dotted}"
                )


def test_only_the_shell_prints_and_catches_everything() -> None:
    """``print`` stands in shell/ only, and ``except Exception`` at the two error boundaries only."""
    for path in sources("agentao"):
        place = str(path.relative_to(ROOT / "agentao"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                assert place.startswith("shell/"), f"{place} prints"
            if isinstance(node, ast.ExceptHandler):
                caught = ast.unparse(node.type) if node.type else "everything"
                if re.search(r"\b(Exception|BaseException|everything)\b", caught):
                    assert place in ("shell/repl.py", "shell/cli.py"), f"{place} catches {caught}"
