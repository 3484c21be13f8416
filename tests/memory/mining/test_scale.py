"""The table of weights is readable, fits the table of rules, and a new rule counts without it."""

from __future__ import annotations

import pytest

from agentao.memory.crystallizer import MemoryCrystallizer
from agentao.memory.mining.rules import CUES, TYPES, Language, rules
from agentao.memory.mining.scale import Weights, weights
from agentao.memory.mining.signs import word_signs

LANGUAGES: tuple[Language, ...] = ("en", "zh")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_weighed_rule_is_in_the_table(language: Language) -> None:
    """A weight that names a rule names one that exists."""
    names = {f"@{rule.name}" for rule in rules()}
    table = weights(language)
    for signs in (table.lasting, *table.types.values()):
        assert {sign for sign in signs if sign.startswith("@")} <= names
    assert set(table.types) == set(table.type_bias) == set(TYPES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_blocker_speaks_for_a_statement(language: Language) -> None:
    """What a blocker finds may count nothing, never in favour."""
    table = weights(language).lasting
    for rule in rules():
        if rule.language == language and rule.effect not in CUES:
            assert table.get(f"@{rule.name}", 0.0) <= 0, rule.name


def test_signs_are_words_neighbours_and_shapes() -> None:
    """What is weighed can be read in the table."""
    assert {"never", "^ never", "never push", "~push", "<^ never>", "main $"} <= word_signs("never push to main", "en")
    assert {"不", "不 要", "^ 不 要", "主 干 $"} <= word_signs("不要推主干", "zh")


def test_a_rule_without_a_weight_counts_by_its_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any fitted weights the rules alone decide."""
    from agentao.memory.mining import scale

    bare = Weights(0.0, {}, dict.fromkeys(TYPES, 0.0), {kind: {} for kind in TYPES})
    monkeypatch.setattr(scale, "weights", lambda language: bare)
    scale._weighed.cache_clear()
    found = MemoryCrystallizer().extract_from_user_messages(
        [{"role": "user", "content": "never push to main"}, {"role": "user", "content": "did we ever decide on Rust?"}]
    )
    scale._weighed.cache_clear()
    assert [(proposal.type, proposal.content) for proposal in found] == [("constraint", "never push to main")]
