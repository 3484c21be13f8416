"""Names for what was found: a short key that stays the same for the same statement, and its folded wording."""

from __future__ import annotations

import hashlib
import re
from functools import cache

from agentao.memory.models import KEY_MAX_CHARS
from agentao.memory.text import fold

KEY_WORDS_MAX_CHARS = 56
"""So much of the words is readable in a list; a Chinese character counts as two."""

_FILLER_TEXT = """
a an the please pls and also so but btw fyi ok okay well just that this is are be to of we i i'm i've we've you our my
me it its it's in for on at with as by from now all do does have has had will would should always must every any there
here your us if or was were been being am can could may might let's lets let again note remember anyway going forward
"""
_FILLER = frozenset(_FILLER_TEXT.split())
_KEPT_SIGNS = "+#<>=%"


@cache
def _word() -> re.Pattern[str]:
    han = r"\u3400-\u9fff\uf900-\ufaff"
    letters = rf"(?:(?![{han}])[^\W_])+"
    return re.compile(
        rf"[{han}]+|\d+(?:[.:]\d+)+|{letters}(?:'{letters})?(?:\+\+|#)?|[<>]=?|%",
        re.UNICODE,
    )


@cache
def _chinese_filler() -> re.Pattern[str]:
    return re.compile(
        r"从现在(?:起|开始)|以后|今后|往后|我们|咱们|我的|我|请|记住|切记|务必|必须|一定要|一律|统一|都|要|的时候|的|了|吧|啊|哦|呢|就|也|是|在|把|给|用的|用|会|先|再|这个|那个|所有|任何|每次|个|对了|顺便|另外|说一下|决定|和|与"
    )


def proposal_fingerprint(text: str) -> str:
    """The wording that two statements are compared by: folded, without punctuation, politeness and fillers."""
    words = _word().findall(fold(text).replace("’", "'"))
    kept = [_without_politeness(word) for word in words if word not in _POLITE]
    return " ".join(word for word in kept if word) or " ".join(words)


_POLITE_TEXT = """
please pls plz kindly btw also and so ok okay well hey thanks fyi yes yeah yep
对 对的 是的 没错 嗯 嗯嗯 好 好的
"""
_POLITE = frozenset(_POLITE_TEXT.split())


def _without_politeness(word: str) -> str:
    return re.sub(r"[请吧啊哦呢哈嘛呀]|顺便|对了|另外", "", word) if "\u3400" <= word[0] <= "\uffff" else word


def key_words(content: str) -> str:
    """The content-bearing words of a statement, joined by ``_``; always the same for the same statement.

    Where words are left out for length, a digest of the whole wording ends the key.
    """
    words = _word().findall(fold(content).replace("’", "'"))
    kept: list[str] = []
    for word in words:
        if "\u3400" <= word[0] <= "\uffff":
            kept += [part for part in _chinese_filler().split(word) if part]
        elif word not in _FILLER and word not in kept and not set(word) <= set(_KEPT_SIGNS):
            kept.append(word.replace("'", ""))
    if not kept:
        kept = words[:6]
    chosen: list[str] = []
    used = 0
    for word in kept:
        width = len(word) + 1 if word.isascii() else 2 * len(word) + 1
        if chosen and used + width > KEY_WORDS_MAX_CHARS:
            break
        chosen.append(word)
        used += width
    key = "_".join(chosen)[: KEY_MAX_CHARS - 8]
    return key if len(chosen) == len(kept) and len(key) < KEY_MAX_CHARS - 8 else f"{key}_{digest(content)}"


def digest(content: str) -> str:
    """Four characters that tell two statements apart whose words are the same."""
    return hashlib.sha256(proposal_fingerprint(content).encode("utf-8", "replace")).hexdigest()[:4]
