"""Finds secrets in text: the shapes of providers' keys, private keys, passwords in URLs and assignments. Pure.

The patterns compile at first use. None of them can backtrack without bound.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from agentao.memory.text import strip_hidden


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret: what kind it is (words for a message) and where it stands in the text that was searched."""

    kind: str
    start: int
    end: int


_SHAPES = (
    ("private key", r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"),
    ("Anthropic key", r"\bsk-ant-[\w-]{20,}"),
    ("API key", r"\bsk-(?:proj-)?[\w-]{20,}"),
    ("GitHub token", r"\b(?:gh[opsur]_[A-Za-z0-9]{30,}|github_pat_\w{22,})"),
    ("GitLab token", r"\bglpat-[\w-]{16,}"),
    ("Slack token", r"\bxox[a-z]-[\w-]{10,}"),
    ("Stripe key", r"\b(?:[rs]k_(?:live|test)_|whsec_)\w{16,}"),
    ("AWS key", r"\bA[KS]IA[A-Z0-9]{16}\b"),
    ("Google key", r"\bAIza[\w-]{35}"),
    ("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("PyPI token", r"\bpypi-[\w-]{40,}"),
    ("JWT", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    ("password in a URL", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,80}:[^\s/@]{3,80}@"),
)


@cache
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern)) for kind, pattern in _SHAPES)


def find_secrets(text: str) -> list[Finding]:
    """Every secret in the text, in the order of the text."""
    text = strip_hidden(text)
    found = [Finding(kind, m.start(), m.end()) for kind, pattern in _shapes() for m in pattern.finditer(text)]
    return sorted(found, key=lambda finding: (finding.start, -finding.end))


def mask(text: str) -> str:
    """The text with every secret replaced by ``[kind removed]``."""
    out: list[str] = []
    at = 0
    text = strip_hidden(text)
    for finding in find_secrets(text):
        if finding.start < at:
            continue
        out += [text[at : finding.start], f"[{finding.kind} removed]"]
        at = finding.end
    return "".join([*out, text[at:]])
