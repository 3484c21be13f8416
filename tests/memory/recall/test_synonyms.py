"""The table of synonyms."""

from __future__ import annotations

from agentao.memory.recall import synonyms, synonyms_everyday, synonyms_near, synonyms_work
from agentao.memory.recall.stemmer import stem


def test_every_word_of_a_group_finds_all_others() -> None:
    """Each entry, in any inflection, leads to the terms of all its groups and to nothing else."""
    wanted: dict[str, set[str]] = {}
    for line in (synonyms_everyday.GROUPS + synonyms_near.GROUPS + synonyms_work.GROUPS).strip().splitlines():
        group = {stem(entry) for entry in line.split()}
        for term in group:
            wanted.setdefault(term, set()).update(group - {term})
    assert {term: set(synonyms.of(term)) for term in wanted} == wanted
    assert synonyms.of("xylophone") == ()
