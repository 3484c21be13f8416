"""Results as JSON. Keys are stable: records have their field names, a list stands beside its ``count``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any

from agentao.errors import AgentaoError
from agentao.memory.models import MemoryEvent, MemoryRecord, SessionSummaryRecord
from agentao.memory.text import visible
from agentao.shell import results

RECORD_FIELDS = (
    "id",
    "scope",
    "type",
    "key_normalized",
    "title",
    "content",
    "tags",
    "keywords",
    "source",
    "confidence",
    "created_at",
    "updated_at",
)

Data = dict[str, Any]


def to_json(result: results.Result) -> Data:
    """The result as plain data."""
    return CONVERTERS[type(result)](result)


def error_json(error: AgentaoError, message: str) -> Data:
    """``{"error": {"kind": …, "message": …}}``."""
    return {"error": {"kind": error.kind, "message": message}}


def dumps(data: Data, *, ascii_only: bool = False) -> str:
    """JSON text that steers no terminal; with ``ascii_only`` it also survives any encoding."""
    shown = json.dumps(data, ensure_ascii=ascii_only, indent=2)
    return re.sub(r"[^\n -~]", _escaped, shown)


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    if visible(char) == char:
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def record_json(record: MemoryRecord | None) -> Data | None:
    """A record by its field names; ``deleted_at`` only where it is deleted."""
    if record is None:
        return None
    data = {name: getattr(record, name) for name in RECORD_FIELDS}
    return data if record.deleted_at is None else {**data, "deleted_at": record.deleted_at}


def _records(records: Iterable[MemoryRecord]) -> Data:
    found = [record_json(record) for record in records]
    return {"memories": found, "count": len(found)}


def _event(event: MemoryEvent) -> Data:
    return asdict(event)


def _plain(result: Any) -> Data:
    """The fields of a result, records by their field names, paths as text."""
    return {field.name: _value(getattr(result, field.name)) for field in fields(result)}


def _value(value: Any) -> Any:
    if isinstance(value, MemoryRecord):
        return record_json(value)
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _value(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_value(each) for each in value]
    return value


def _memories(result: results.Memories) -> Data:
    return {**_records(result.memories), "total": result.total}


def _shown(result: results.MemoryShown) -> Data:
    found = [
        {**(record_json(record) or {}), "history": [_event(event) for event in events]}
        for record, events in result.memories
    ]
    return {"memories": found, "count": len(found)}


def _saved(result: results.MemorySaved) -> Data:
    outcome = result.outcome
    return {
        "change": outcome.change,
        "memory": record_json(outcome.record),
        "before": record_json(outcome.before) if outcome.change == "changed" else None,
        "persistent": outcome.persistent,
        "note": outcome.note,
    }


def _changed(result: results.MemoriesChanged) -> Data:
    return {"change": result.change, **_records(result.memories)}


def _tags(result: results.Tags) -> Data:
    return {"tags": [{"tag": tag, "count": count} for tag, count in result.tags], "count": len(result.tags)}


def _notice(result: results.Notice) -> Data:
    return {**result.data, "message": " ".join(result.lines)}


def _history(result: results.MemoryHistory) -> Data:
    return {"events": [_event(event) for event in result.events], "count": len(result.events), "more": result.more}


def _undone(result: results.Undone) -> Data:
    return {"change": "undone", **_plain(result.outcome)}


def _exported(result: results.Exported) -> Data:
    if result.path is not None:
        return {"path": str(result.path), "count": len(result.lines)}
    return {"memories": [json.loads(line) for line in result.lines], "count": len(result.lines)}


def _imported(result: results.Imported) -> Data:
    return _plain(result.outcome)


def _items(result: results.ReviewList | results.Crystallized) -> Data:
    items = [_value(item) for item in result.items]
    data: Data = {"items": items, "count": len(items), "total": result.total}
    if isinstance(result, results.Crystallized):
        data.update(messages=result.messages, pending=result.pending)
    return data


def _reviewed(result: results.Reviewed) -> Data:
    return {
        "decision": result.decision,
        **_records(result.memories),
        "items": [_value(item) for item in result.items],
        "failures": list(result.failures),
    }


def _summary(summary: SessionSummaryRecord) -> Data:
    return asdict(summary)


def _summaries(result: results.Summaries) -> Data:
    found = [_summary(summary) for summary in result.summaries]
    return {"summaries": found, "count": len(found), "session_id": result.session_id}


def _status(result: results.Status) -> Data:
    memory = result.memory
    return {
        "memories": {scope: {"count": memory.totals[scope], "types": kinds} for scope, kinds in memory.counts.items()},
        "count": sum(memory.totals.values()),
        "session_summaries": memory.summaries,
        "last_summary_chars": memory.last_summary_chars,
        "pending_review": memory.pending,
        "stores": [_value(store) for store in memory.stores],
        "stable_block": {
            "chars": memory.block_chars,
            "limit_chars": memory.block_limit_chars,
            "tokens": result.block_tokens,
            "shown": memory.block_shown,
            "dropped": memory.block_dropped,
            "others": memory.block_others,
            "session_chars": memory.plan.session_chars,
            "facts": [_plain(fact) for fact in (*result.facts, *result.dropped)],
        },
        "dynamic_block": {"chars": result.dynamic_chars, "limit_chars": result.dynamic_limit_chars},
        "recall": _plain(result.recall),
        "session_id": memory.session_id,
        "enabled": memory.enabled,
        "project_trusted": memory.project_trusted,
    }


def _why(result: results.Why) -> Data:
    return {
        "query": result.query,
        "message": result.message,
        "memory_on": result.memory_on,
        "sent": result.sent,
        "stable": [_plain(fact) for fact in result.stable],
        "dropped": [_plain(fact) for fact in result.dropped],
        "recalled": [_recalled(each) for each in result.recalled],
        "near_misses": [_recalled(each) for each in result.near_misses],
        "error": result.error,
        "unread": result.unread,
    }


def _recalled(each: results.Recalled) -> Data:
    data: Data = _plain(each.candidate)
    data.pop("content")
    data.update(updated_at=each.updated_at, in_block=each.in_block)
    return {**data, "lacked": each.lacked} if each.lacked else data


def _context(result: results.ContextShown) -> Data:
    usage = result.usage
    return {
        "model": result.model,
        "parts": [{"name": name, "tokens": tokens} for name, tokens in usage.parts],
        "used_tokens": usage.used_tokens,
        "window_tokens": usage.window_tokens,
        "share": usage.share,
        "cached_share": usage.cached_share,
        "last_prefix_change": usage.last_prefix_change,
    }


def _config(result: results.Config) -> Data:
    return {
        "config": {entry.key: {"value": entry.value, "origin": entry.origin} for entry in result.values},
        "file": str(result.file),
        "exists": result.exists,
        "not_read": str(result.not_read) if result.not_read else None,
    }


def _diagnosis(result: results.Diagnosis) -> Data:
    return {"ok": not result.failed, "checks": [_plain(check) for check in result.checks]}


def _nothing(result: results.Result) -> Data:
    return {}


CONVERTERS: dict[type, Callable[[Any], Data]] = {
    results.Memories: _memories,
    results.MemoryShown: _shown,
    results.MemorySaved: _saved,
    results.MemoriesChanged: _changed,
    results.Tags: _tags,
    results.Notice: _notice,
    results.MemoryHistory: _history,
    results.Undone: _undone,
    results.Exported: _exported,
    results.Imported: _imported,
    results.Crystallized: _items,
    results.ReviewList: _items,
    results.Reviewed: _reviewed,
    results.Summaries: _summaries,
    results.Status: _status,
    results.Why: _why,
    results.ContextShown: _context,
    results.Models: _plain,
    results.Diagnosis: _diagnosis,
    results.Config: _config,
    results.RawMode: _plain,
    results.Reasoning: _plain,
    results.Leave: _nothing,
    results.EditDraft: _nothing,
    results.HelpTopics: _plain,
    results.HelpCommand: _plain,
}
