"""What of a statement is weighed: words and their neighbours, the shape of the sentence, rules, its place.

Signs are short texts, so that the table of weights can be read: ``always`` a word, ``we use`` two in a row, ``^ i`` at
the start, ``bold $`` at the end, ``~deploy`` a word without its ending, ``<we _ -s>`` a shape, ``@must`` a rule,
``#heading=rules`` a place.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise

from agentao.memory.mining import text as mining_text
from agentao.memory.mining.clauses import Statement
from agentao.memory.mining.rules import Language

_SMALL_WORDS_TEXT = """
i you we they he she it this that these those there here the a an my our your his her its their me us them who
whoever someone everyone nobody anyone everybody one is are was were be been being am isn't aren't wasn't has have
had having do does did don't doesn't didn't can could can't cannot will would won't shall should shouldn't may might
must mustn't not no never always only ever just also still already yet again too even and or but so because if when
whenever unless until while before after since as than then though although once instead rather of in on at to for
from with without by about over under into onto through across per via out off up down like between within below
above against around every each any all some both none nothing anything everything more most less least few many
much another other such own same what which how why where whose whether please now today tomorrow yesterday later
soon first last next time i'm i'd i've i'll we're we've we'd we'll it's that's there's you're let's new old default
rule policy convention team project repo codebase lets want need like prefer hate love use keep make write add fix
give show tell explain answer reply run go goes stay stays yes yeah ok okay hey hi thanks fyi btw
"""
_SMALL_WORDS = frozenset(_SMALL_WORDS_TEXT.split())
_ENDINGS = ("ing", "ed", "es", "s", "ly")
_SHAPE_ENDINGS = ("ing", "ed", "ly", "tion", "s")
_FIRST_WORDS = 2
_BYTES_PER_STEP = 25


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(r"\d[\d.,]*", re.ASCII),
        re.compile("[a-z]+(?:'[a-z]+)?|0|[,:;.!?()]|→|->|=>|[\u3400-\u9fff]"),
        re.compile("[a-z']+|[\u3400-\u9fff]"),
    )


@lru_cache(maxsize=8_000)
def _shape(word: str) -> str:
    if not word[0].isalpha() or word in _SMALL_WORDS or word > "\u3400":
        return word
    if not word.strip("x"):
        return "XX"
    for ending in _SHAPE_ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return f"-{ending}"
    return "_"


@lru_cache(maxsize=8_000)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)]
    return word


def word_signs(plain: str, language: Language) -> set[str]:
    """The signs of one reading of a statement: words, neighbours, and for English the shape too."""
    numbers, token, _ = _patterns()
    words = token.findall(numbers.sub("0", plain))
    row = ["^", *words, "$"]
    found = set(words)
    found.update(map(" ".join, pairwise(row)))
    if language == "zh":
        found.update(map(" ".join, zip(row, row[1:], row[2:], strict=False)))
        return found
    found.update(f"~{_stem(word)}" for word in words if word not in _SMALL_WORDS)
    shape = ["^", *map(_shape, words), "$"]
    found.update(f"<{a} {b}>" for a, b in pairwise(shape))
    found.update(f"<{a} {b} {c}>" for a, b, c in zip(shape, shape[1:], shape[2:], strict=False))
    if len(shape) > 4:
        found.add(f"<{' '.join(shape[:4])}>")
    return found


def place_signs(statement: Statement, before: Statement | None, after: Statement | None) -> set[str]:
    """Where a statement stands: its heading, its length, how its neighbours begin, whether they ask."""
    found = {f"#heading={statement.heading}", f"#length={min(6, len(statement.matching.encode()) // _BYTES_PER_STEP)}"}
    if statement.is_entry:
        found.add("#entry")
    for name, other in (("before", before), ("after", after)):
        if other is not None:
            plain = other.matching
            found.add(f"#{name}")
            if plain.rstrip().endswith(("?", "？")):
                found.add(f"#{name}=?")
            found.update(f"#{name}={word}" for word in _patterns()[2].findall(plain[:80])[:_FIRST_WORDS])
    return found


def language_of(plain: str) -> Language:
    """A statement with Chinese in it is weighed as Chinese."""
    return "en" if plain.isascii() or not mining_text.chinese().search(plain) else "zh"


def statement_signs(plain: str, language: Language) -> set[str]:
    """``word_signs``; a mixed statement is seen as it stands and with its English trigger words in Chinese."""
    found = word_signs(plain, language)
    if language == "zh":
        chinese = mining_text.as_chinese(plain)
        if chinese != plain:
            found |= word_signs(chinese, language)
    return found
