"""English words without their inflections, so that "painted", "paints" and "painting" are one term.

The rules are those of the English stemmer of the Snowball project (M. Porter, "The English (Porter2) stemming
algorithm"), written anew here; irregular forms ("bought", "children") come from ``lexicon``.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from agentao.memory.recall.lexicon import IRREGULAR, UNCHANGED

_R1 = re.compile(r"(?:gener|commun|arsen)|.*?[aeiouy][^aeiouy]")
_R2 = re.compile(r".*?[aeiouy][^aeiouy]")
_VOWEL = re.compile(r"[aeiouy]")
_SHORT_END = re.compile(r"(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])\Z")
_LI = frozenset("cdeghkmnrt")

_STEP2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent", "izer": "ize",
    "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al", "aliti": "al", "alli": "al", "fulness": "ful",
    "ousli": "ous", "ousness": "ous", "iveness": "ive", "iviti": "ive", "biliti": "ble", "bli": "ble", "fulli": "ful",
    "lessli": "less",
}  # fmt: skip
_STEP3 = {
    "ational": "ate", "tional": "tion", "alize": "al", "icate": "ic", "iciti": "ic", "ical": "ic", "ful": "",
    "ness": "",
}  # fmt: skip
_STEP4 = ("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "al",
          "er", "ic")  # fmt: skip
_STEP2_ENDS = tuple(sorted(_STEP2, key=len, reverse=True))
_STEP3_ENDS = tuple(sorted(_STEP3, key=len, reverse=True))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The form that the inflections of an English word share; other words come back without their accents."""
    if not word.isascii():
        bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
        if not bare.isascii():
            return word
        word = bare
    if len(word) < 3 or not word.isalpha():
        return word
    word = IRREGULAR.get(word, word)
    return word if word in UNCHANGED else _porter2(word)


def _porter2(word: str) -> str:
    if len(word) < 3:
        return word
    if word[0] == "y":
        word = "Y" + word[1:]
    if "y" in word:
        word = re.sub(r"([aeiouy])y", r"\1Y", word)
    match = _R1.match(word)
    r1 = match.end() if match else len(word)
    match = _R2.match(word, r1)
    r2 = match.end() if match else len(word)

    # plurals
    if word.endswith("s"):
        if word.endswith("sses"):
            word = word[:-2]
        elif word.endswith("ies"):
            word = word[:-2] if len(word) > 4 else word[:-1]
        elif not word.endswith(("us", "ss")) and _VOWEL.search(word, 0, len(word) - 2):
            word = word[:-1]
    elif word.endswith("ied"):
        word = word[:-2] if len(word) > 4 else word[:-1]

    # past and progressive
    if word.endswith(("eed", "eedly")):
        if len(word) - (3 if word.endswith("eed") else 5) >= r1:
            word = word[:-1] if word.endswith("eed") else word[:-3]
    else:
        for ending in ("ingly", "edly", "ing", "ed"):
            if word.endswith(ending):
                base = word[: -len(ending)]
                if _VOWEL.search(base):
                    if base.endswith(("at", "bl", "iz")):
                        base += "e"
                    elif base.endswith(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")):
                        base = base[:-1]
                    elif len(base) <= r1 and _SHORT_END.search(base):
                        base += "e"
                    word = base
                break
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in "aeiouy":
        word = word[:-1] + "i"

    # derivations
    if word.endswith(_STEP2_ENDS):
        ending = next(e for e in _STEP2_ENDS if word.endswith(e))
        if len(word) - len(ending) >= r1:
            word = word[: -len(ending)] + _STEP2[ending]
    elif word.endswith("ogi"):
        if len(word) - 3 >= r1 and word[-4:-3] == "l":
            word = word[:-1]
    elif word.endswith("li") and len(word) - 2 >= r1 and word[-3:-2] in _LI:
        word = word[:-2]
    if word.endswith(_STEP3_ENDS):
        ending = next(e for e in _STEP3_ENDS if word.endswith(e))
        if len(word) - len(ending) >= r1:
            word = word[: -len(ending)] + _STEP3[ending]
    elif word.endswith("ative") and len(word) - 5 >= r2:
        word = word[:-5]
    if word.endswith(_STEP4):
        ending = next(e for e in _STEP4 if word.endswith(e))
        if len(word) - len(ending) >= r2:
            word = word[: -len(ending)]
    elif word.endswith("ion") and len(word) - 3 >= r2 and word[-4:-3] in "st":
        word = word[:-3]

    if word.endswith("e"):
        if len(word) - 1 >= r2 or (len(word) - 1 >= r1 and not _SHORT_END.search(word[:-1])):
            word = word[:-1]
    elif word.endswith("ll") and len(word) - 1 >= r2:
        word = word[:-1]
    return word.replace("Y", "y")
