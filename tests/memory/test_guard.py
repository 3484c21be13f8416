"""The guard: keys, titles, content, tags, classes."""

from __future__ import annotations

import pytest

from agentao.errors import GuardError, SensitiveMemoryError
from agentao.memory.guard import MemoryGuard


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("Python 版本", "python_版本"),
        ("C", "c"),
        ("c++", "c_plus_plus"),
        ("c#", "c_sharp"),
        ("की", "की"),
        ("का", "का"),
        ("User name", "user_name"),
        ("编辑器", "编辑器"),
        ("🚀", ""),
    ],
)
def test_normalize_key(key: str, expected: str) -> None:
    """Keys keep what tells them apart, in any script."""
    assert MemoryGuard().normalize_key(key) == expected
    assert MemoryGuard().normalize_key(expected) == expected


def test_bad_keys_are_refused() -> None:
    """A key without letters, or too long, is refused, never cut."""
    guard = MemoryGuard()

    with pytest.raises(GuardError, match="no letter"):
        guard.validate_key("🚀")
    with pytest.raises(GuardError, match="81 characters, at most 80"):
        guard.validate_key("a" * 81)


def test_title() -> None:
    """A title is the key as typed, made readable."""
    assert MemoryGuard().validate_title("package_manager") == "Package manager"
    assert MemoryGuard().validate_title("c++") == "C++"


def test_tags_in_each_form() -> None:
    """A list, a JSON list and words with commas mean the same tags."""
    guard = MemoryGuard()

    for tags in (["User", "#Preference", "user"], '["User", "#Preference"]', "User, #Preference"):
        assert guard.validate_tags(tags) == ["user", "preference"]


@pytest.mark.parametrize(
    ("key", "tags", "expected"),
    [
        ("package_manager", ["tooling"], "project_fact"),
        ("user_name", None, "profile"),
        ("user_role", [], "profile"),
        ("preferred_editor", ["user", "preference"], "preference"),
        ("user_preferred_language", None, "preference"),
        ("something", None, "note"),
    ],
)
def test_classify_type(key: str, tags: list[str] | None, expected: str) -> None:
    """The examples of the decisions have the types named there."""
    assert MemoryGuard().classify_type(key, tags) == expected


def test_secrets_are_refused_and_masked() -> None:
    """A key of a provider is refused without being repeated, and masked in summaries."""
    secret = "sk-proj-" + "a1B2" * 10
    guard = MemoryGuard()

    with pytest.raises(SensitiveMemoryError) as caught:
        guard.check_secrets(f"key {secret}", field="value")

    assert "value" in str(caught.value)
    assert secret not in str(caught.value)
    assert secret not in guard.mask_secrets(f"key {secret} here")
