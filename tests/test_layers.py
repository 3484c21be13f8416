"""The arrows between the layers: memory <- agent <- shell, and each outside package behind its one adapter."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.stores import fill

PACKAGE = Path(__file__).parents[1] / "agentao"
MODULES = sorted(PACKAGE.rglob("*.py"))

FORBIDDEN_BELOW = {
    "memory": ("agentao.agent", "agentao.shell", "agentao.config"),
    "agent": ("agentao.shell", "agentao.config"),
}
HOME_OF = {
    "sqlite3": ("memory/",),
    "openai": ("agent/openai_client.py",),
    "rich": ("shell/",),
    "prompt_toolkit": ("shell/",),
    "typer": ("shell/",),
}


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    """No module reaches upwards, and an outside package is imported behind its adapter only."""
    place = str(path.relative_to(PACKAGE))
    for name in imports(ast.parse(path.read_text(encoding="utf-8"))):
        for layer, above in FORBIDDEN_BELOW.items():
            if place.startswith(f"{layer}/"):
                assert not any(within(name, other) for other in above), f"{place} imports {name}"
        for package, homes in HOME_OF.items():
            if within(name, package):
                assert place.startswith(homes), f"{place} imports {name}"
        if place.startswith("memory/") and not within(name, "agentao.memory") and not within(name, "agentao.errors"):
            assert name.split(".")[0] in sys.stdlib_module_names or name in ("agentao", "agentao.errors"), (
                f"{place} imports {name}, which is not in the standard library"
            )


def loaded_by(code: str) -> set[str]:
    """The modules a clean interpreter holds after running ``code``."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE.parent,
        env=dict(os.environ),
        timeout=60,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("agentao.memory", {"openai", "rich", "prompt_toolkit", "typer", "agentao.agent", "agentao.shell"}),
        ("agentao.agent", {"openai", "rich", "prompt_toolkit", "typer", "agentao.shell"}),
    ],
)
def test_a_layer_loads_nothing_from_above(module: str, absent: set[str]) -> None:
    """Importing a layer in a clean interpreter loads no layer above it and no heavy package."""
    assert loaded_by(f"import {module}") & absent == set()


def test_the_memory_package_loads_only_the_standard_library() -> None:
    """The core needs nothing installed: every module it loads is the standard library's or ours."""
    before = loaded_by("pass")
    strangers = {
        name
        for name in loaded_by("import agentao.memory") - before
        if name.split(".")[0] not in sys.stdlib_module_names and not within(name, "agentao")
    }
    assert strangers == set()


def test_recall_loads_what_it_needs_with_its_names_and_no_more(tmp_path: Path) -> None:
    """Opening a store and asking it wait for no import; what only saving, prompts and faults need is not loaded."""
    fill(tmp_path / "memory.db", 3)
    code = f"""
import sys
from agentao.memory import MemoryManager, MemoryRetriever, SQLiteMemoryStore
before = set(sys.modules)
manager = MemoryManager(project_store=SQLiteMemoryStore.open({str(tmp_path / "memory.db")!r}))
assert MemoryRetriever(manager).recall_candidates("What is fact 2?")
print(set(sys.modules) - before, file=sys.stderr)
assert set(sys.modules) == before
"""
    assert (
        loaded_by(code) & {"agentao.memory.secrets.scan", "agentao.memory.renderer", "logging", "json", "shutil"}
        == set()
    )


def test_the_version_is_told_without_a_heavy_import() -> None:
    """``--version`` loads neither openai nor rich nor typer nor prompt_toolkit."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "agentao", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE.parent,
        env=dict(os.environ),
        timeout=60,
    )
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert loaded & {"openai", "rich", "typer", "prompt_toolkit", "sqlite3", "asyncio"} == set()
    assert done.stdout.startswith("agentao ")
