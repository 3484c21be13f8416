"""Results as JSON: stable keys, whole records, nothing that steers a terminal."""

from __future__ import annotations

import json
import re

import pytest

from agentao.errors import NotFound, SensitiveMemoryError
from agentao.shell import results
from agentao.shell.json_view import CONVERTERS, RECORD_FIELDS, dumps, error_json, to_json
from tests.shell.views.test_render import all_results
from tests.support.samples import NASTY, PACKAGES, SAMPLES

KEYS = {
    "list": {"memories", "count", "total"},
    "search": {"memories", "count", "total"},
    "show": {"memories", "count"},
    "saved_new": {"change", "memory", "before", "persistent", "note"},
    "deleted": {"change", "memories", "count"},
    "tags": {"tags", "count"},
    "notice": {"change", "message"},
    "history": {"events", "count", "more"},
    "undone": {"change", "event_type", "steps", "left"},
    "exported": {"path", "count"},
    "exported_to_screen": {"memories", "count"},
    "imported": {"added", "updated", "unchanged", "kept", "refused", "dry_run"},
    "crystallized": {"items", "count", "total", "messages", "pending"},
    "review": {"items", "count", "total"},
    "approved": {"decision", "memories", "count", "items", "failures"},
    "session": {"summaries", "count", "session_id"},
    "status": {
        "memories",
        "count",
        "session_summaries",
        "last_summary_chars",
        "pending_review",
        "stores",
        "stable_block",
        "dynamic_block",
        "recall",
        "session_id",
        "enabled",
        "project_trusted",
    },
    "why": {
        "query",
        "message",
        "memory_on",
        "sent",
        "stable",
        "dropped",
        "recalled",
        "near_misses",
        "error",
        "unread",
    },
    "context": {"model", "parts", "used_tokens", "window_tokens", "share", "cached_share", "last_prefix_change"},
    "models": {"current", "url", "names", "problem", "changed"},
    "diagnosis": {"ok", "checks"},
    "config": {"config", "file", "exists", "not_read"},
}


def test_every_result_has_json() -> None:
    """A new kind of answer needs JSON too."""
    assert set(CONVERTERS) == all_results()


@pytest.mark.parametrize("name", SAMPLES)
def test_json_is_valid_and_steers_no_terminal(name: str) -> None:
    """SEC-10: what is printed is ASCII or visible, and reads back as the very same data."""
    data = to_json(SAMPLES[name])
    for text in (dumps(data), dumps(data, ascii_only=True)):
        assert json.loads(text) == data
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028\u2029]", text)
    assert dumps(data, ascii_only=True).isascii()


@pytest.mark.parametrize("name", KEYS)
def test_keys_are_stable(name: str) -> None:
    """Scripts depend on these names."""
    assert set(to_json(SAMPLES[name])) == KEYS[name]


def test_a_record_has_its_field_names() -> None:
    """The names of the record's fields, in their order."""
    (record,) = to_json(results.Memories((PACKAGES,), 1))["memories"]
    assert tuple(record) == RECORD_FIELDS
    assert record["content"] == "uv"
    assert record["tags"] == ["tooling"]


def test_hostile_text_comes_back_whole() -> None:
    """Nothing of a stored text is lost on the way through JSON."""
    records = json.loads(dumps(to_json(SAMPLES["list"])))["memories"]
    assert NASTY in [record["content"] for record in records]


def test_an_error_has_kind_and_message() -> None:
    """``{"error": {"kind": …, "message": …}}``."""
    assert error_json(NotFound("gone"), "gone") == {"error": {"kind": "not_found", "message": "gone"}}
    assert error_json(SensitiveMemoryError("a key"), "a key")["error"]["kind"] == "secret"
