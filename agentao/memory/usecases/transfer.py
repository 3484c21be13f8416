"""Moving memories between stores: JSON Lines out and in, and a copy of everything in one file.

One line of an export is one live record as a JSON object with the record's field names: ``id scope type key_normalized
title content tags keywords source confidence sensitivity created_at updated_at``. An import takes such lines; ``key``
and ``value`` may stand for ``key_normalized`` and ``content``, and what is missing is worked out as for any save.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast, get_args

from agentao.errors import GuardError, SensitiveMemoryError, StoreError, UsageError
from agentao.memory.db import translate
from agentao.memory.models import CONTENT_MAX_CHARS, Confidence, MemoryRecord, MemoryType, Scope, Source
from agentao.memory.storage.rows import MEMORY_COLUMNS, REVIEW_COLUMNS, SUMMARY_COLUMNS
from agentao.memory.storage.times import to_stamp
from agentao.memory.store import SQLiteMemoryStore
from agentao.memory.text import one_line
from agentao.memory.usecases.outcomes import ImportOutcome, Refusal
from agentao.memory.usecases.writing import CONFIDENCE_OF, MemoryWriter, new_batch, oldest_first

_ID_MAX_CHARS = 64
_WORD_MAX_CHARS = 40
_KEYWORDS_MAX_CHARS = 8 * CONTENT_MAX_CHARS
"""More than any memory has: pieces of two and three Chinese signs say a text several times."""
_SQLITE_MAGIC = b"SQLite format 3\x00"
_BREAKS = str.maketrans({"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""JSON leaves these as they are, and many readers take them for line breaks."""


class Transfer:
    """Exports, imports and backups of both stores."""

    def __init__(self, writer: MemoryWriter) -> None:
        self._writer = writer
        self._stores = writer.stores

    # -- out -------------------------------------------------------------------------------------------------------

    def export_lines(self, scope: Scope | None) -> Iterator[str]:
        """One JSON object a record, oldest first, without line ends."""
        records = [record for store, part in self._stores.parts(scope) for record in store.records(part)]
        for record in oldest_first(records):
            yield line_of(record)

    def backup(self, path: Path) -> Path:
        """A copy of both stores in one new SQLite file, each row under its scope; consistent while others write.

        Raises:
            UsageError: something is at ``path`` already.
            StoreError: it cannot be written.
        """
        if path.exists() or path.is_symlink():
            raise UsageError(f"{path} exists already; a backup never overwrites. Give another name.")
        draft = path.with_name(f".{path.name}.{os.getpid()}.part")
        second = path.with_name(f".{path.name}.{os.getpid()}.user")
        try:
            self._stores.project.backup_to(draft)
            if not self._stores.shared:
                self._stores.user.backup_to(second)
                _merge(draft, second)
            _settle(draft)
            # The name is taken first: a rename alone would overwrite what has come to stand there meanwhile.
            path.open("xb").close()
            draft.replace(path)
        except FileExistsError:
            raise UsageError(f"{path} exists already; a backup never overwrites. Give another name.") from None
        except OSError as exc:
            raise StoreError(f"{path} cannot be written: {exc.strerror or exc}.") from exc
        finally:
            for left in (draft, second):
                for suffix in ("", "-wal", "-shm", "-journal"):
                    left.with_name(left.name + suffix).unlink(missing_ok=True)
        return path

    # -- in --------------------------------------------------------------------------------------------------------

    def import_lines(self, lines: Iterable[str], dry_run: bool) -> ImportOutcome:
        """Merge by scope and key; the newer ``updated_at`` wins. All lines of one store are one transaction.

        Raises:
            StoreError: nothing of the store in question was written.
        """
        load = _Load(self._writer)
        given = list(lines)
        if not dry_run:
            for store in self._stores.all:
                self._writer.before_write(store)
        with nullcontext() if dry_run else self._stores.transaction():
            for number, line in enumerate(given, 1):
                text = line.lstrip("\ufeff").strip()
                if text:
                    load.take(number, text)
            if not dry_run:
                load.write()
        return load.outcome(dry_run)


@dataclass(frozen=True, slots=True)
class _Incoming:
    """A line as a record; ``dated`` and ``tagged`` tell whether times and tags are the line's own."""

    record: MemoryRecord
    dated: bool
    tagged: bool


class _Load:
    """One import: what each line would do, worked out first, then written."""

    def __init__(self, writer: MemoryWriter) -> None:
        self._writer = writer
        self._stores = writer.stores
        self._now = writer.now()
        self._planned: dict[tuple[Scope, str], tuple[MemoryRecord, MemoryRecord | None]] = {}
        self._ids: set[str] = set()
        self._counts = {"added": 0, "updated": 0, "unchanged": 0, "kept": 0}
        self._refused: list[Refusal] = []

    def take(self, number: int, line: str) -> None:
        """Work out what one line does."""
        try:
            incoming = self._read(line)
        except GuardError as exc:
            self._refused.append(Refusal(number, str(exc)))
            return
        self._counts[self._plan(incoming)] += 1

    def write(self) -> None:
        """Write what was worked out, as one command that one undo takes back."""
        batch = new_batch()
        for record, before in self._planned.values():
            self._writer.put(
                self._stores.of(record.scope),
                record,
                "import",
                before=before,
                actor="import",
                extra={"batch": batch},
            )

    def outcome(self, dry_run: bool) -> ImportOutcome:
        """The counts."""
        return ImportOutcome(**self._counts, refused=tuple(self._refused), dry_run=dry_run)

    def _plan(self, incoming: _Incoming) -> str:
        record = incoming.record
        place = (record.scope, record.key_normalized)
        planned = self._planned.get(place)
        current = planned[0] if planned else self._live(*place)
        if current is None:
            added, before = self._as_new(record)
            self._planned[place] = (added, before)
            self._ids.add(added.id)
            return "added"
        if not incoming.tagged:
            record = self._with_tags_of(record, current)
        merged = replace(
            record, id=current.id, created_at=current.created_at if not incoming.dated else record.created_at
        )
        if _content(merged) == _content(current) and record.updated_at <= current.updated_at:
            return "unchanged"
        if not incoming.dated and _content(merged) == _content(current):
            return "unchanged"
        if record.updated_at <= current.updated_at:
            return "kept"
        merged = replace(merged, created_at=min(merged.created_at, current.created_at))
        self._planned[place] = (merged, planned[1] if planned else current)
        return "updated"

    def _with_tags_of(self, record: MemoryRecord, current: MemoryRecord) -> MemoryRecord:
        """A line without tags keeps the stored ones, and the type that follows from them."""
        words = self._writer.guard.extract_keywords(record.title, current.tags, record.content)
        return replace(record, tags=current.tags, type=current.type, keywords=words)

    def _live(self, scope: Scope, key: str) -> MemoryRecord | None:
        live = self._stores.of(scope).find_by_key(key, scope if self._stores.shared else None)
        return max(live, key=lambda record: (record.updated_at, record.id), default=None)

    def _as_new(self, record: MemoryRecord) -> tuple[MemoryRecord, MemoryRecord | None]:
        """The record under its own id where that is free or a deleted one of the same store has it; else a new id."""
        for store in self._stores.all:
            held = store.get(record.id, include_deleted=True)
            if held is None:
                continue
            if held.deleted_at is not None and store is self._stores.of(record.scope) and record.id not in self._ids:
                return record, held
            return replace(record, id=self._writer.new_id()), None
        return (replace(record, id=self._writer.new_id()) if record.id in self._ids else record), None

    def _read(self, line: str) -> _Incoming:
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            raise GuardError("The line is no JSON.") from None
        if not isinstance(data, dict):
            raise GuardError("The line is no JSON object.")
        guard = self._writer.guard
        key = _string(data, "key_normalized") or _string(data, "key") or _string(data, "title")
        title = _string(data, "title") or _string(data, "key") or key
        value = _string(data, "content") or _string(data, "value")
        tags = data.get("tags")
        raw_tags = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else [str(tags or "")]
        guard.check_record(f"{key}\n{title}" if key != title else key, value, raw_tags)
        clean = guard.validate_tags(tags)
        normalized = guard.validate_key(key)
        source = cast(Source, _choice(data, "source", get_args(Source), "explicit"))
        content = guard.validate_content(value)
        title = guard.validate_title(title)
        created, updated = _time(data, "created_at"), _time(data, "updated_at")
        return _Incoming(
            MemoryRecord(
                id=self._id(data),
                scope=guard.classify_scope(normalized, clean, cast(Scope | None, data.get("scope"))),
                type=guard.classify_type(normalized, clean, cast(MemoryType | None, data.get("type"))),
                key_normalized=normalized,
                title=title,
                content=content,
                tags=clean,
                keywords=self._keywords(data, title, clean, content),
                source=source,
                confidence=cast(Confidence, _choice(data, "confidence", get_args(Confidence), CONFIDENCE_OF[source])),
                sensitivity=self._sensitivity(data),
                created_at=created or updated or self._now,
                updated_at=updated or created or self._now,
            ),
            dated=bool(created or updated),
            tagged=tags is not None,
        )

    def _keywords(self, data: dict[str, Any], title: str, tags: list[str], content: str) -> list[str]:
        """Those of the line, so that a copy equals its original; worked out where it has none that could be ours."""
        given = data.get("keywords")
        if isinstance(given, list) and given and all(isinstance(word, str) for word in given):
            self._writer.guard.check_secrets(*given, field="keywords")
            if sum(map(len, given)) <= _KEYWORDS_MAX_CHARS and all(one_line(word) == word for word in given):
                return given
        return self._writer.guard.extract_keywords(title, tags, content)

    def _sensitivity(self, data: dict[str, Any]) -> str:
        word = _string(data, "sensitivity") or "normal"
        self._writer.guard.check_secrets(word, field="sensitivity")
        if len(word) > _WORD_MAX_CHARS or not word.isidentifier():
            raise GuardError("The field sensitivity is no single word.")
        return word

    def _id(self, data: dict[str, Any]) -> str:
        """The line's id where it is one that a store may have made; else a new one."""
        value = data.get("id")
        if (
            isinstance(value, str)
            and 0 < len(value) <= _ID_MAX_CHARS
            and value.isascii()
            and value.replace("-", "").replace("_", "").isalnum()
        ):
            with suppress(SensitiveMemoryError):
                self._writer.guard.check_secrets(value, field="id")
                return value
        return self._writer.new_id()


def line_of(record: MemoryRecord) -> str:
    """One line of an export."""
    data = asdict(record)
    del data["deleted_at"]
    return json.dumps(data, ensure_ascii=False).translate(_BREAKS)


def read_lines(path: Path) -> list[str]:
    """The lines to import from a file: an export, or a backup (or any store), whose live records are taken.

    Raises:
        UsageError: the file cannot be read as either.
        StoreError: it is a database that cannot be read.
    """
    try:
        with path.open("rb") as file:
            is_database = file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
        if not is_database:
            return path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {exc.strerror or exc}.") from exc
    except UnicodeDecodeError as exc:
        raise UsageError(f"{path} is no UTF-8 text; give a file that /memory export or a backup made.") from exc
    with TemporaryDirectory() as folder:
        # A copy is opened: opening a store may change its file, and a backup stays as it was made.
        copy = Path(folder) / "copy.db"
        source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        with translate(path), closing(source), closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        with closing(SQLiteMemoryStore.open(copy)) as store:
            return [line_of(record) for record in store.records()]


def _merge(draft: Path, second: Path) -> None:
    """Add the user store's rows to the copy of the project store; the columns then say which scope each row is of."""
    with translate(draft), closing(sqlite3.connect(draft, isolation_level=None)) as conn:
        conn.execute("ATTACH ? AS other", (str(second),))
        conn.execute("BEGIN IMMEDIATE")
        for table in ("memories", "memory_review_queue"):
            conn.execute(f"UPDATE {table} SET scope = 'project'")
        for table, columns, scope_at in (
            ("memories", MEMORY_COLUMNS, True),
            ("memory_review_queue", REVIEW_COLUMNS, True),
            ("session_summaries", SUMMARY_COLUMNS, False),
            ("memory_events", ("memory_id", "event_type", "timestamp", "detail"), False),
        ):
            names = ", ".join(columns)
            values = ", ".join("'user'" if scope_at and name == "scope" else name for name in columns)
            conn.execute(f"INSERT OR IGNORE INTO {table} ({names}) SELECT {values} FROM other.{table}")
        conn.execute("COMMIT")
        conn.execute("DETACH other")


def _settle(draft: Path) -> None:
    """Make the copy one plain file that needs no log beside it, and for this user alone."""
    with translate(draft), closing(sqlite3.connect(draft, isolation_level=None)) as conn:
        conn.execute("PRAGMA journal_mode=DELETE")
    draft.chmod(0o600)


def _content(record: MemoryRecord) -> tuple[object, ...]:
    return (record.title, record.content, record.tags, record.type, record.source, record.confidence)


def _string(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise GuardError(f"The field {name} is no text.")
    return value


def _choice(data: dict[str, Any], name: str, allowed: tuple[str, ...], default: str) -> str:
    value = data.get(name)
    if value is None:
        return default
    if value not in allowed:
        raise GuardError(f"The field {name} is unknown; use one of {', '.join(allowed)}.")
    return cast(str, value)


def _time(data: dict[str, Any], name: str) -> str:
    value = _string(data, name)
    if not value:
        return ""
    try:
        return to_stamp(datetime.fromisoformat(value.strip()))
    except (ValueError, OverflowError, OSError):
        raise GuardError(f"The field {name} is no ISO 8601 time.") from None
