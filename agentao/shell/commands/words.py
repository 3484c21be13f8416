"""Numbers and lists in sentences, and words that several commands share."""

from collections.abc import Sequence

ABOUT_SCOPES = ("in every project", "in this project only")
"""What ``user`` and ``project`` mean."""

CHANGES = {
    "create": "save",
    "update": "change",
    "delete": "deletion",
    "restore": "restoring",
    "clear": "clearing",
    "approve": "approval",
    "reject": "rejection",
}
"""The kinds of events as nouns; the others are nouns already."""


def counted(number: int, one: str, many: str) -> str:
    """``1 memory``, ``2,048 memories``."""
    return f"{number:,} {one if number == 1 else many}"


def joined(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
