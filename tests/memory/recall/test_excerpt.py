"""The part of a long text that is shown with it."""

from __future__ import annotations

import pytest

from agentao.memory.manager import MemoryManager
from agentao.memory.models import EXCERPT_MAX_CHARS, SaveMemoryRequest
from agentao.memory.recall.excerpt import excerpt
from agentao.memory.retriever import MemoryRetriever
from agentao.memory.store import SQLiteMemoryStore

BEFORE = "The long story of the shed begins with rain, and goes on with more of it. " * 5
AFTER = " And so it went on, with even more rain and no end of it in sight." * 5


def recalled(question: str, content: str) -> str:
    """What recall shows of a fact with this content."""
    manager = MemoryManager(project_store=SQLiteMemoryStore.open(None))
    manager.upsert(SaveMemoryRequest(key="note", value=content))
    (candidate,) = MemoryRetriever(manager).recall_candidates(question)
    manager.close()
    return candidate.excerpt


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("which kettle?", "Our ｋｅｔｔｌｅ is blue."),
        ("モーター", "The ﾓｰﾀｰ is Japanese."),
        ("which plan came with 2.7?", "It came with v2.7.19 of the plan."),
        ("what happens at seven oclock?", "The bell rings at seven o’clock."),
        ("who calls the gasket?", "Then openGasketValve is called."),
        ("where is the drawer?", "The KitchenDrawer2 holds them."),
        ("who bought the ladder?", "Then he buys a ladder."),
        ("which instrument?", "There is an oboe in the corner."),
        ("乐器", "角落里有一把二胡。"),
    ],
)
def test_the_place_is_found_in_whatever_form_the_word_stands(question: str, place: str) -> None:
    """Wide and narrow signs, versions, curly apostrophes, parts of names, other forms, one of a kind."""
    shown = recalled(question, BEFORE + place + AFTER)
    assert place in shown
    assert len(shown) <= EXCERPT_MAX_CHARS


@pytest.mark.parametrize("sign", ["👩‍👩‍👧‍👦", "👍🏽", "🇫🇷", "❤️", "e\u0301", "की"])
def test_no_sign_is_cut_in_two(sign: str) -> None:
    """A family stays a family, a flag a flag, and an accent on its letter, wherever the text is cut."""
    for shift in range(len(sign) + 1):
        text = "x" * shift + sign * 300
        for clue in ("x", sign[0]):
            shown = excerpt(text, [[clue]]).removeprefix("…").removesuffix("…").removeprefix("x" * shift)
            assert shown == sign * (len(shown) // len(sign))
