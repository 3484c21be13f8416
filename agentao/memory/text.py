"""Characters: one folded form for comparing, and what is done with text that a reader cannot see.

Three kinds of characters do harm when they are stored or printed as they are:

- *controls* (NUL, ESC, ...) and lone surrogates cut, steer or break what reads the text; they never get in;
- *invisible* characters (zero-width, direction-changing, tags, fillers) hide text or show it in another order;
- *line breaks* other than ``\\n`` forge lines where only ``\\n`` is watched for.

The joiners that a script or an emoji needs (family emoji, Persian, Hindi) are not counted as invisible.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Unicode's default-ignorable code points and the interlinear marks, as the inside of a character class."""

_EMOJI = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_HAN = "\u2e80-\u2fdf\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3001-\u30ff"  # and the punctuation of both
_VIRAMA = (
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u1734"
    "\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\ua806\ua8c4\ua953\ua9c0\uaaf6\uabed"
)
_ARABIC = "\u0620-\u065f\u066e-\u06ff\u0750-\u077f\u08a0-\u08ff"

_HIDDEN = f"[{_IGNORABLE}]"
_NEEDED = (
    f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"  # a family, a profession
    f"|(?<=[{_EMOJI}0-9#*])[\ufe0e\ufe0f](?!\ufe0e|\ufe0f)"  # drawn as text or as picture, key caps
    f"|(?<=[{_HAN}])[\ufe00-\ufe02\U000e0100-\U000e01ef](?![\ufe00-\ufe0f\U000e0100-\U000e01ef])"  # a variant of a sign
    f"|(?<=[{_VIRAMA}])[\u200c\u200d]"  # half forms and conjuncts of the Indic scripts
    f"|(?<=[{_ARABIC}])\u200c(?=[{_ARABIC}])"  # Persian and Urdu words in two parts
)
_LINE_BREAK = "\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]"
_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_SURROGATE = "[\ud800-\udfff]"
_WIDE = "[\u3000\uff01-\uff5e]"
"""The ideographic space and the full-width forms of ASCII."""

SAME_TEXT_MIN_CHARS = 24
"""A shorter text is never the same as another: ``3.12`` under two keys is two facts. Source: decisions, Recall."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled at its first use: compiling takes milliseconds, which every start would wait for."""
    return re.compile(pattern)


@cache
def _needed_or(hidden: str) -> re.Pattern[str]:
    """Matches the needed joiners as group 1, and the hidden characters outside it."""
    return re.compile(f"({_NEEDED})|[{_IGNORABLE}{hidden}]")


def fold(text: str) -> str:
    """The form in which texts are compared: NFKC, casefolded, nothing invisible. Folding twice changes nothing."""
    if text.isascii():
        return text.lower()
    # Most of what Chinese text has to normalise are its wide signs; NFKC would read every character twice for them.
    for wide in set(compiled(_WIDE).findall(text)):
        text = text.replace(wide, " " if wide == "\u3000" else chr(ord(wide) - 0xFEE0))
    if not compiled(_HIDDEN).search(text):
        folded = _nfkc(text).casefold()
        settled = unicodedata.is_normalized("NFKC", folded) and folded == folded.casefold()
        if settled and (folded == text or not compiled(_HIDDEN).search(folded)):
            return folded
    while True:
        folded = _nfkc(_nfkc(compiled(_HIDDEN).sub("", text)).casefold())
        folded = compiled(_HIDDEN).sub("", folded)
        if folded == text:
            return folded
        text = folded


def same_text(text: str) -> str:
    """The form of a text of which one copy is enough in a prompt; empty when it is too short for that.

    Folded, with any white space as one blank; beside Chinese and Japanese characters, where some write one, as none.
    """
    folded = " ".join(fold(text).split())
    if not folded.isascii():
        folded = compiled(f"(?<=[{_HAN}{_KANA}]) | (?=[{_HAN}{_KANA}])").sub("", folded)
    return folded if len(folded) >= SAME_TEXT_MIN_CHARS else ""


def _nfkc(text: str) -> str:
    return text if unicodedata.is_normalized("NFKC", text) else unicodedata.normalize("NFKC", text)


def strip_hidden(text: str) -> str:
    """Without any invisible character, the joiners of emoji and scripts included: for comparing, not for showing."""
    return text if text.isascii() else compiled(_HIDDEN).sub("", text)


def strip_invisible(text: str) -> str:
    """Without zero-width, direction-changing, tag and filler characters; joiners an emoji or a script needs stay."""
    return text if text.isascii() else _needed_or("").sub(lambda match: match.group(1) or "", text)


def strip_controls(text: str) -> str:
    """Without control characters and lone surrogates; every line break becomes ``\\n``, tabs stay.

    A surrogate pair that arrives as two halves becomes the one character that it means.
    """
    if text.isprintable():
        return text
    text = compiled(_LINE_BREAK).sub("\n", text)
    if compiled(_SURROGATE).search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    return compiled(_CONTROL).sub("", text)


def holds_surrogate(text: str) -> bool:
    """Whether half of a surrogate pair stands in the text, which no file can hold."""
    return compiled(_SURROGATE).search(text) is not None


def one_line(text: str) -> str:
    """The visible text with every run of white space as one blank, trimmed: for titles, tags and messages."""
    return " ".join(strip_invisible(strip_controls(text)).split())


def visible(text: str) -> str:
    """For printing: controls, lone surrogates, invisible ones as escapes (``\\u202e``); ``\\n`` and tab stay."""
    if text.isascii() and text.isprintable():
        return text
    return _needed_or("\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff").sub(_escape, text)


def split_lines(text: str) -> list[str]:
    """The lines of a text, by every character that any reader takes for a line break."""
    return compiled(_LINE_BREAK).split(text)


def _escape(match: re.Match[str]) -> str:
    kept = match.group(1)
    if kept:
        return kept
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
