"""Moving memories and keeping them safe: export, import, backup."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from agentao.errors import StoreError, UsageError
from agentao.shell.command import Arg, command
from agentao.shell.commands.memory import unquoted
from agentao.shell.commands.words import ABOUT_SCOPES
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.shell.results import Exported, Imported, Notice

EXPORT_START = b'{"id"'
"""How a file begins that an export wrote; only such a file (or an empty one) is written over."""


def file_names(ctx: CommandContext, typed: str) -> Iterator[tuple[str, str]]:
    """Files and folders that begin with what was typed."""
    given = Path(typed).expanduser()
    folder, start = (given, "") if typed.endswith("/") or not typed else (given.parent, given.name)
    try:
        entries = sorted(entry for entry in folder.iterdir() if entry.name.startswith(start))
        for entry in entries[:100]:
            if start or not entry.name.startswith("."):
                kept = typed[: len(typed) - len(start)]
                yield kept + entry.name + ("/" if entry.is_dir() else ""), ""
    except OSError:
        return


@command(
    "memory export",
    topic="files",
    examples=("/memory export notes.jsonl", "/memory export --scope user ~/mine.jsonl"),
)
def memory_export(
    ctx: CommandContext,
    file: Annotated[
        str | None, Arg("Where to write; without it, to the screen.", rest=True, complete=file_names)
    ] = None,
    *,
    scope: Annotated[Literal["user", "project"] | None, Arg("Only this scope.", about_choices=ABOUT_SCOPES)] = None,
) -> "Exported":
    """Write all memories as JSON Lines.

    The fields are those of a record: id, scope, type, key_normalized, title, content, tags, keywords, source,
    confidence, sensitivity, created_at, updated_at.
    """
    from agentao.shell.results import Exported

    lines = tuple(ctx.manager.export_lines(scope))
    if file is None:
        return Exported(lines)
    path = place(file)
    _write_private(path, "".join(line + "\n" for line in lines))
    return Exported(lines, path)


@command(
    "memory import", topic="files", examples=("/memory import --dry-run notes.jsonl", "/memory import notes.jsonl")
)
def memory_import(
    ctx: CommandContext,
    file: Annotated[str, Arg("An export or a backup.", rest=True, complete=file_names)],
    *,
    dry_run: Annotated[bool, Arg("Only say what would happen.")] = False,
) -> "Imported":
    """Merge an export; the newer of two wins."""
    from agentao.memory.usecases.transfer import read_lines
    from agentao.shell.results import Imported

    return Imported(ctx.manager.import_lines(read_lines(place(file)), dry_run=dry_run))


@command("backup", topic="files", examples=("agentao backup ~/agentao-2026-09-01.db", "/backup ~/agentao.db"))
def backup(
    ctx: CommandContext,
    file: Annotated[str, Arg("A file that does not exist yet.", rest=True, complete=file_names)],
) -> "Notice":
    """Copy both stores into one file."""
    from agentao.shell.results import Notice

    path = ctx.manager.backup(place(file))
    size = path.stat().st_size
    line = f"Copied both stores to {path} ({size:,} bytes). /memory import reads it back."
    return Notice((line,), {"backup": str(path), "bytes": size})


def place(typed: str) -> Path:
    """The file that was named, from the working directory on; ``~`` is the user's folder."""
    name = unquoted(typed)
    try:
        path = Path(name).expanduser()
    except RuntimeError:
        raise UsageError(f"{name}: there is no such user's folder.") from None
    if "\0" in name or path.is_dir():
        raise UsageError(f"{name} is a folder or no name of a file; name a file.")
    return path.absolute()


def _write_private(path: Path, text: str) -> None:
    """Put the text in the file's place in one step, readable for this user alone."""
    import os
    import tempfile

    try:
        if path.exists():
            with path.open("rb") as file:
                start = file.read(len(EXPORT_START))
            if start not in (b"", EXPORT_START):
                raise UsageError(f"{path} exists and is no export, so it is left alone. Give another name.")
        number, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(number, "w", encoding="utf-8", newline="") as file_out:
                file_out.write(text)
            Path(draft).replace(path)
        finally:
            Path(draft).unlink(missing_ok=True)
    except OSError as exc:
        raise StoreError(f"{path} cannot be written: {exc.strerror or exc}. Give another place.") from exc
