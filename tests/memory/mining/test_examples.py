"""How well lasting statements are found in many ways of saying them: the examples under examples.

One example is a line ``== `` and the message under it, up to the next such line. ``== -: reason`` says that nothing
lasts in the message; otherwise the line names, with `` ; `` between them, what is to be found: letters for the types
that fit (p preference, c constraint, d decision, w workflow), a colon, and words that the content must hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from agentao.memory.crystallizer import MemoryCrystallizer
from agentao.memory.models import MemoryProposal

FOLDER = Path(__file__).parent / "examples"
FILES = sorted(path.stem for path in FOLDER.glob("*.txt"))
LANGUAGES = ("english", "chinese", "mixed")
TYPES = {"p": "preference", "c": "constraint", "d": "decision", "w": "workflow"}


class Wanted(NamedTuple):
    """One thing to be found in a message."""

    types: frozenset[str]
    words: str


class Example(NamedTuple):
    """One message, what is to be found in it, and else why nothing is."""

    text: str
    wanted: list[Wanted]
    reason: str


def examples(name: str) -> Iterator[Example]:
    for block in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n== "):
        head, _, text = block.removeprefix("== ").partition("\n")
        if head.startswith("-:"):
            yield Example(text.rstrip("\n"), [], head.removeprefix("-:").strip())
        else:
            parts = [part.split(": ", 1) for part in head.split(" ; ")]
            wanted = [Wanted(frozenset(TYPES[letter] for letter in types), words) for types, words in parts]
            yield Example(text.rstrip("\n"), wanted, "")


def mined(text: str) -> list[MemoryProposal]:
    return MemoryCrystallizer().extract_from_user_messages([{"role": "user", "content": text}], "s")


def fits(wanted: Wanted, proposal: MemoryProposal) -> bool:
    content = " ".join(proposal.content.split()).casefold()
    return proposal.type in wanted.types and wanted.words.casefold() in content


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_of_what_lasts_is_found_and_little_else(language: str) -> None:
    """In each language at least 96 of 100 proposals are right, and at least 95 of 100 lasting statements are found."""
    right = wrong = missed = 0
    for example in (example for name in FILES if name.startswith(language) for example in examples(name)):
        left = mined(example.text)
        for wanted in example.wanted:
            hit = next((proposal for proposal in left if fits(wanted, proposal)), None)
            if hit is None:
                missed += 1
            else:
                left.remove(hit)
                right += 1
        wrong += len(left)
    assert right >= 0.96 * (right + wrong)
    assert right >= 0.95 * (right + missed)


def test_there_are_examples_of_every_kind() -> None:
    """Each type is wanted in many messages, and nearly half of the messages hold nothing that lasts."""
    found = [example for name in FILES for example in examples(name)]
    assert len(found) >= 400
    for kind in TYPES.values():
        assert sum(any(kind in wanted.types for wanted in example.wanted) for example in found) >= 40
    assert 0.4 < sum(not example.wanted for example in found) / len(found) < 0.65


@pytest.mark.parametrize("name", FILES)
def test_a_proposal_says_no_more_than_the_message(name: str) -> None:
    """Content and evidence are the user's own words, the key is short, the scope follows from the type."""
    for example in examples(name):
        message = " ".join(example.text.split())
        for proposal in mined(example.text):
            assert " ".join(proposal.content.split()) in message
            assert proposal.evidence.rstrip("…") in message
            assert 0 < len(proposal.key_normalized) <= 80
            assert proposal.scope == ("user" if proposal.type == "preference" else "project")
