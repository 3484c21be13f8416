"""Finds what lasts in the user's own messages, by rules alone: no model, no network, the same result every time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from agentao.errors import SensitiveMemoryError
from agentao.memory.guard import MemoryGuard
from agentao.memory.mining import keys as mining_keys
from agentao.memory.mining.clauses import Statement, own_words, takes_back
from agentao.memory.mining.items import lasting_statements
from agentao.memory.mining.keys import proposal_fingerprint
from agentao.memory.models import KEY_MAX_CHARS, MemoryProposal, MemoryType

__all__ = ["MemoryCrystallizer", "proposal_fingerprint"]

EVIDENCE_MAX_CHARS = 400
"""Longer than a sentence; a numbered process is cut."""


class MemoryCrystallizer:
    """User messages in, proposals out."""

    def __init__(self, guard: MemoryGuard | None = None) -> None:
        self._guard = guard or MemoryGuard()

    def extract_from_user_messages(self, messages: Iterable[Any], session_id: str = "") -> list[MemoryProposal]:
        """One proposal per lasting statement, in the order they were first said.

        ``messages`` are objects or dicts with ``role``, ``content`` and maybe ``kind``; only the user's chat messages
        are read. A statement repeated in several messages is one proposal that counts them.
        """
        found: dict[str, MemoryProposal] = {}
        last: list[str] = []
        for text in _user_texts(messages):
            if takes_back(text):
                for fingerprint in last:
                    found.pop(fingerprint, None)
                last = []
                continue
            last = []
            for statement, kind in lasting_statements(text):
                content = own_words(statement.text)
                fingerprint = proposal_fingerprint(content)
                if fingerprint in last or not self._is_clean(statement.text):
                    continue
                last.append(fingerprint)
                known = found.get(fingerprint)
                found[fingerprint] = (
                    self._proposal(content, kind, statement, session_id) if known is None else _seen_again(known)
                )
        return list(_with_own_keys(found.values()))

    def _is_clean(self, text: str) -> bool:
        """Content, title, key and evidence are all made of this text."""
        try:
            self._guard.check_secrets(text)
        except SensitiveMemoryError:
            return False
        return True

    def _proposal(self, content: str, kind: MemoryType, statement: Statement, session_id: str) -> MemoryProposal:
        key = self._guard.normalize_key(mining_keys.key_words(content)) or mining_keys.digest(content)
        evidence = " ".join(statement.text.split())
        if len(evidence) > EVIDENCE_MAX_CHARS:
            evidence = f"{evidence[: EVIDENCE_MAX_CHARS - 1]}…"
        return MemoryProposal(
            type=kind,
            scope="user" if kind == "preference" else "project",
            key_normalized=key,
            title=_title(key),
            content=content,
            tags=["user", kind] if kind == "preference" else [kind],
            evidence=evidence,
            source_session=session_id,
        )


def _user_texts(messages: Iterable[Any]) -> Iterator[str]:
    for message in messages:
        read = message.get if isinstance(message, dict) else lambda name, m=message: getattr(m, name, None)
        content = read("content")
        if read("role") == "user" and read("kind") in (None, "chat") and isinstance(content, str):
            yield content


def _seen_again(known: MemoryProposal) -> MemoryProposal:
    return replace(known, occurrences=known.occurrences + 1, confidence="inferred")


def _with_own_keys(proposals: Iterable[MemoryProposal]) -> Iterator[MemoryProposal]:
    """Statements that differ never share a key within one run."""
    taken: set[tuple[str, str]] = set()
    for proposal in proposals:
        key = proposal.key_normalized
        if (proposal.scope, key) in taken:
            key = f"{key[: KEY_MAX_CHARS - 5]}_{mining_keys.digest(proposal.content)}"
            proposal = replace(proposal, key_normalized=key, title=_title(key))
        taken.add((proposal.scope, key))
        yield proposal


def _title(key: str) -> str:
    title = key.replace("_", " ")
    return title[:1].upper() + title[1:]
