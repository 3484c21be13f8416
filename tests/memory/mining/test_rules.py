"""Every row of the rules table keeps the promise of its own example and counter-example."""

from __future__ import annotations

import re

import pytest

from agentao.memory.mining import text as mining_text
from agentao.memory.mining.rules import CUES, REACH, Kind, Rule, rules, shelf, starts_in

RULES = rules()


def found_by(rule: Rule, text: str) -> bool:
    matching = mining_text.corrected(mining_text.blanked(text))
    if rule.effect != "idiom":
        for other in RULES:
            if other.effect == "idiom" and other.language == rule.language:
                matching = other.compiled().sub(lambda m: " " * len(m.group()), matching)
    return rule.compiled().search(matching) is not None


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.language}-{rule.name}")
def test_a_rule_finds_its_example_and_not_its_counter_example(rule: Rule) -> None:
    """The example of a row is found by its pattern, the counter-example is not."""
    assert found_by(rule, rule.example)
    assert not found_by(rule, rule.counter)


def test_names_are_unique() -> None:
    """No two rules of a language share a name."""
    names = [(rule.language, rule.name) for rule in RULES]
    assert len(names) == len(set(names))


def test_effects_are_known() -> None:
    """A row is a cue, an idiom, or a blocker with a known reach; cues weigh something unless they only colour."""
    for rule in RULES:
        assert rule.effect in CUES or rule.effect == "idiom" or rule.effect in REACH, rule.name
        assert rule.weight > 0 or rule.effect not in CUES - {"talk"}, rule.name


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.language}-{rule.name}")
def test_no_pattern_repeats_a_repetition(rule: Rule) -> None:
    """No pattern nests unbounded repetitions, the shape that makes a search take for ever."""
    assert not re.search(r"[+*]\)[+*]", rule.pattern.replace(r"\+", "").replace(r"\*", ""))


def test_the_index_hides_no_rule() -> None:
    """A rule that matches a text is always among the candidates that the index gives for it."""
    for rule in RULES:
        kinds: tuple[Kind, ...] = ("idiom", "strong cue", "weak cue", "blocker")
        for text in (rule.example, rule.counter, *(other.example for other in RULES)):
            matching = mining_text.corrected(mining_text.blanked(text))
            if rule.compiled().search(matching):
                found = [
                    r
                    for kind in kinds
                    for r, _ in shelf(kind, rule.language).candidates(matching, starts_in(matching, rule.language))
                ]
                assert rule in found, f"{rule.name}: run scripts/mining-index"
