"""The file system's side of a store: where its file really lies, whose it is, its rights, and its side files."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from agentao.errors import StoreError, StoreReadOnly

FOLDER_MODE = 0o700
FILE_MODE = 0o600
OTHERS = 0o077

HOUSE = ".agentao"
"""The folder that is ours: its mode is kept, and git ignores what is in it."""

MAGIC = b"SQLite format 3\x00"
"""The first bytes of a database. Source: https://www.sqlite.org/fileformat2.html, section 1.3."""

SIDE_FILES = ("-wal", "-shm", "-journal")


def side(path: Path, suffix: str) -> Path:
    """The side file that SQLite keeps beside ``path``."""
    return path.with_name(path.name + suffix)


def locate(path: Path, links: bool) -> Path:
    """``path`` without links. Raises ``StoreError`` where the place must not be used at all.

    ``links`` allows links that lead out of the project; the user's own home may hold them.
    """
    path = path.absolute()
    folder = path.parent
    root = folder.parent if folder.name == HOUSE else folder
    try:
        for name in (folder, path):
            if not links and name.is_symlink() and not _within(name, root):
                raise StoreError(
                    f"{name} is a link that leads outside the project, to {_target(name)}; it is not used."
                )
        real = path.resolve()
        _check_kind(folder, stat.S_ISDIR, "folder")
        _check_kind(path, stat.S_ISREG, "file")
        for name in (side(real, suffix) for suffix in SIDE_FILES):
            if name.is_symlink():
                raise StoreError(f"{name} is a link, to {_target(name)}; {path} is not used.")
    except (OSError, RuntimeError) as exc:
        # RuntimeError: links that lead to each other.
        raise StoreError(f"{path} cannot be read: {getattr(exc, 'strerror', None) or exc}.") from exc
    return real


def _target(link: Path) -> str:
    try:
        return str(link.resolve())
    except (OSError, RuntimeError):
        return "nowhere"


def _within(link: Path, root: Path) -> bool:
    try:
        return link.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        return False


def _check_kind(path: Path, is_kind: Callable[[int], bool], word: str) -> None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return
    if not is_kind(found.st_mode):
        raise StoreError(f"{path} is no {word}; it is left as it is. Rename it to make room.")
    user = os.geteuid() if hasattr(os, "geteuid") else found.st_uid
    shared = word == "folder" and found.st_mode & stat.S_ISVTX
    if found.st_uid != user and not shared:
        raise StoreError(f"{path} belongs to another user (number {found.st_uid}, you are {user}); it is not used.")


def make_folder(folder: Path) -> None:
    """Make ``folder``, and what is missing above it, for this user alone."""
    missing = []
    at = folder
    while not at.exists() and at != at.parent:
        missing.append(at)
        at = at.parent
    for step in reversed(missing):
        try:
            with contextlib.suppress(FileExistsError):
                step.mkdir(FOLDER_MODE)
                # The umask may have taken even the owner's rights.
                step.chmod(FOLDER_MODE)
        except OSError as exc:
            raise StoreReadOnly(f"The folder {step} cannot be made: {exc.strerror or exc}.") from exc


def make_file(path: Path) -> bool:
    """Make an empty file with the right mode before SQLite does: the modes of ``-wal`` and ``-shm`` follow from it.

    False when there was one.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE)
    except FileExistsError:
        return False
    except OSError as exc:
        raise StoreReadOnly(f"The file {path} cannot be made: {exc.strerror or exc}.") from exc
    try:
        os.fchmod(handle, FILE_MODE)
    finally:
        os.close(handle)
    if path.parent.name == HOUSE:
        ignore(path.parent)
    return True


def ignore(folder: Path) -> None:
    """Let git ignore what is in ``folder``, so that no user commits a database by accident."""
    with contextlib.suppress(OSError):
        handle = os.open(folder / ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            os.fchmod(handle, FILE_MODE)
            file.write("*\n")


def check_access(path: Path) -> None:
    """Raise where this user may not read and write the file and its folder; SQLite would tell only when it writes."""
    if not _may(path, os.R_OK):
        raise StoreError(f"{path} cannot be read: you have no right to.")
    if not _may(path, os.W_OK):
        raise StoreReadOnly(f"{path} cannot be written: you have no right to.")
    if not _may(path.parent, os.W_OK | os.X_OK):
        raise StoreReadOnly(f"{path} cannot be written: you have no right to write in its folder.")


def may_write(path: Path) -> bool:
    """Whether this user may write the file and beside it."""
    return _may(path, os.W_OK) and _may(path.parent, os.W_OK | os.X_OK)


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def tighten(path: Path) -> None:
    """Take the rights of all others from our file, its side files and our folder. What fails here is no hindrance."""
    house = [path.parent] if path.parent.name == HOUSE else []
    for name in (*house, path, *(side(path, suffix) for suffix in SIDE_FILES)):
        with contextlib.suppress(OSError):
            mode = stat.S_IMODE(name.stat().st_mode)
            if mode & OTHERS:
                name.chmod(mode & ~OTHERS)


def has_log(path: Path) -> bool:
    """Whether changes lie beside the file that are not in it yet."""
    return any(_holds(side(path, suffix)) for suffix in ("-wal", "-journal"))


def _holds(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def is_torn(path: Path) -> bool:
    """Whether the file does not even begin as a database does, and no rollback journal will put that right.

    An empty file is a new one, except where a ``-wal`` holds pages: SQLite would throw them away.
    """
    with path.open("rb") as file:
        start = file.read(len(MAGIC))
    if start == MAGIC or _holds(side(path, "-journal")):
        return False
    return bool(start) or _holds(side(path, "-wal"))


def copy_with_log(path: Path, copy: Path) -> Path:
    """A copy of the bytes of a file and its log."""
    import shutil  # for files that are damaged or cannot be written, which are rare

    shutil.copyfile(path, copy)
    for suffix in ("-wal", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(side(path, suffix), side(copy, suffix))
    return copy


def identity(path: Path | str) -> tuple[int, int] | None:
    """What tells this file from another one of the same name; None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked before every statement, and a ``Path`` costs as much as the question
    except OSError:
        return None
    return found.st_dev, found.st_ino


def sync_folder(folder: Path) -> None:
    """Bring renamings in ``folder`` to the disk, where the file system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """One process at a time; without effect where the file system has no such locks."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError, ImportError):
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
