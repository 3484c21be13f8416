"""MemoryGuard: what may be stored, under which key, in which scope, as which type. Pure, no state.

Everything that is refused raises ``GuardError`` with the field, the limit and what to do. Secrets are looked for first,
so that no other message can repeat them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from agentao.errors import GuardError, SensitiveMemoryError
from agentao.memory.models import (
    CONTENT_MAX_CHARS,
    KEY_MAX_CHARS,
    MEMORY_TYPES,
    SCOPES,
    TAG_MAX_CHARS,
    TAGS_MAX,
    MemoryType,
    Scope,
)
from agentao.memory.text import compiled, fold, one_line, strip_controls, strip_hidden
from agentao.memory.tokenizer import keywords
from agentao.memory.vocabulary import ABOUT_THE_USER, PROFILE_STEMS, PROFILE_WORDS, TYPE_STEMS, TYPE_WORDS

if TYPE_CHECKING:
    from agentao.memory.secrets.scan import Finding

_SPELLED = {"+": "plus", "#": "sharp"}
_ASCII_WORDS = r"[a-z0-9]+|(?<=[a-z])[+#]+"


class MemoryGuard:
    """The border of the memory core; every text passes it on its way into a store."""

    # -- keys and titles -------------------------------------------------------------------------------------------

    def normalize_key(self, key: str) -> str:
        """The key two writings of one name share: ``C++ Style`` and ``c++_style`` are ``c_plus_plus_style``.

        Total: a text without letters and digits gives the empty string. Normalising twice changes nothing.
        """
        return _normalized(key)

    def validate_key(self, key: str) -> str:
        """The normalised key.

        Raises:
            GuardError: nothing of it is a letter or a digit, or it is too long; a key is never cut.
        """
        normalized = self.normalize_key(key)
        if not normalized:
            raise GuardError("The key has no letter or digit in it; give it a name such as package_manager.")
        if len(normalized) > KEY_MAX_CHARS:
            raise _too_long_key(len(normalized))
        return normalized

    def validate_title(self, key: str) -> str:
        """The key as typed, made readable: underscores as blanks, the first letter upper case.

        Raises:
            GuardError: as ``validate_key``.
        """
        self.validate_key(key)
        title = one_line(one_line(key).replace("_", " "))
        first = title[0].title()
        title = (first if len(first) == 1 else title[0]) + title[1:]
        if len(title) > KEY_MAX_CHARS:
            raise _too_long_key(len(title))
        return title

    # -- content and tags ------------------------------------------------------------------------------------------

    def validate_content(self, value: str) -> str:
        """The text trimmed, without control characters and lone surrogates; line breaks become ``\\n``, tabs stay.

        Raises:
            GuardError: nothing visible is left, or it is too long; a value is never cut.
        """
        content = strip_controls(value).strip()
        if not strip_hidden(content).strip():
            raise GuardError("The value is empty; say what to remember.")
        if len(content) > CONTENT_MAX_CHARS:
            raise GuardError(
                f"The value is too long: {len(content):,} characters, at most {CONTENT_MAX_CHARS:,}; shorten it or"
                " save it in parts under several keys."
            )
        return content

    def validate_tags(self, tags: object) -> list[str]:
        """The tags trimmed, casefolded, without a leading ``#``, each once, in the order given.

        They may come as a list of strings, as a JSON list in a string, or as words with commas; ``None`` is no tags.

        Raises:
            GuardError: they come as anything else, are too many, or one is too long.
        """
        clean: list[str] = []
        for tag in _tag_texts(tags):
            text = _clean_tag(tag)
            if not text or text in clean:
                continue
            if len(text) > TAG_MAX_CHARS:
                raise GuardError(
                    f"A tag is too long: {len(text)} characters, at most {TAG_MAX_CHARS}; use a word or two."
                )
            clean.append(text)
        if len(clean) > TAGS_MAX:
            raise GuardError(f"Too many tags: {len(clean)}, at most {TAGS_MAX}; keep those you would search for.")
        return clean

    def extract_keywords(self, title: str, tags: Sequence[str], content: str) -> list[str]:
        """All distinct content-bearing words of title, tags and content, by the retriever's own tokenizer."""
        return keywords([title, *tags, content])

    # -- classes ---------------------------------------------------------------------------------------------------

    def classify_scope(self, key: str, tags: Sequence[str] | None, scope: Scope | None = None) -> Scope:
        """A given scope wins; else ``user`` when the normalised key starts with ``user_`` or a tag is ``user``.

        Raises:
            GuardError: the given scope is none of the two.
        """
        if scope is not None:
            if scope not in SCOPES:
                raise GuardError("The scope is unknown; use user or project.")
            return scope
        is_user = _is_about_user(self.normalize_key(key), [_clean_tag(tag) for tag in _tag_texts(tags)])
        return "user" if is_user else "project"

    def classify_type(self, key: str, tags: Sequence[str] | None, type: MemoryType | None = None) -> MemoryType:
        """A given type wins; then a tag that names one; then the words of the key; then ``project_fact`` or ``note``.

        Raises:
            GuardError: the given type is unknown.
        """
        if type is not None:
            if type not in MEMORY_TYPES:
                raise GuardError(f"The type is unknown; use one of {', '.join(MEMORY_TYPES)}.")
            return type
        clean = [_clean_tag(tag) for tag in _tag_texts(tags)]
        for tag in clean:
            if named := TYPE_WORDS.get(self.normalize_key(tag)):
                return named
        normalized = self.normalize_key(key)
        is_user = _is_about_user(normalized, clean)
        if named := _type_of_key(normalized, is_user):
            return named
        return "project_fact" if clean and not is_user else "note"

    # -- secrets ---------------------------------------------------------------------------------------------------

    def check_secrets(self, *texts: str, field: str = "text") -> None:
        """Raise when one of the texts holds a secret.

        Raises:
            SensitiveMemoryError: names the kind of secret and the field, never the text.
        """
        from agentao.memory.secrets.scan import find_secrets_in  # what only recalls does not load it

        for found in find_secrets_in(texts):
            _refuse(found, field)

    def check_record(self, key: str, value: str, tags: Iterable[str] = ()) -> None:
        """``check_secrets`` for the parts of one memory, each under its own name, and for key and value read together.

        Raises:
            SensitiveMemoryError: names the kind of secret and the field, never the text.
        """
        from agentao.memory.secrets.scan import find_secrets_in

        name, content = one_line(key), value.strip()
        link = "=" if len(content.split()) == 1 else ": "
        together = f"{name}{link}{content}"
        parts = [("key", key), ("value", value), *(("tags", tag) for tag in tags), ("value", together)]
        found_in = find_secrets_in(text for _, text in parts)
        for (field, _), found in zip(parts, found_in, strict=True):
            _refuse(found, field)

    def mask_secrets(self, text: str) -> str:
        """The text with each secret replaced by a note of its kind; a text without secrets comes back as it is."""
        from agentao.memory.secrets.scan import mask

        return mask(text)


def _too_long_key(length: int) -> GuardError:
    return GuardError(
        f"The key is too long: {length} characters, at most {KEY_MAX_CHARS}; shorten it, put the rest into the value."
    )


def _refuse(found: Sequence[Finding], field: str) -> None:
    if found:
        raise SensitiveMemoryError(
            f"Not saved: the {field} holds a secret ({found[0].kind}). Keep it in a password manager or an environment"
            " variable and save only where it is."
        )


def _words_of(folded: str) -> str:
    """Runs of letters, marks and digits of any script, joined by ``_``; ``+`` and ``#`` behind a letter spelled out."""
    parts: list[str] = []
    if folded.isascii():
        for piece in compiled(_ASCII_WORDS).findall(folded):
            parts += [piece] if piece[0] not in _SPELLED else map(_SPELLED.__getitem__, piece)
        return "_".join(parts)
    word: list[str] = []
    after_letter = False
    for char in folded:
        kind = unicodedata.category(char)[0]
        if kind in "LMN":
            word.append(char)
            after_letter = kind == "L" or (kind == "M" and after_letter)
            continue
        if word:
            parts.append("".join(word))
            word = []
        if after_letter and char in _SPELLED:
            parts.append(_SPELLED[char])
        else:
            after_letter = False
    if word:
        parts.append("".join(word))
    if not any(unicodedata.category(char)[0] in "LN" for part in parts for char in part):
        return ""
    return "_".join(parts)


@lru_cache(maxsize=1_000)
def _normalized(key: str) -> str:
    normalized = _words_of(fold(strip_controls(key)))
    while (again := fold(normalized)) != normalized:
        normalized = _words_of(again)
    return normalized


@lru_cache(maxsize=1_000)
def _clean_tag(tag: str) -> str:
    return one_line(tag).lstrip("#＃ ").casefold().strip()


def _tag_texts(tags: object) -> list[str]:
    if tags is None:
        return []
    if isinstance(tags, str):
        text = tags.strip()
        if not text.startswith(("[", "{")):
            return re.split("[,，、;；\n]", text)
        import json

        try:
            tags = json.loads(text)
        except (ValueError, RecursionError):
            tags = None
    if not isinstance(tags, (list, tuple)) or not all(isinstance(tag, str) for tag in tags):
        raise GuardError(
            "The tags are no list of words; give them as a list of strings or as words with commas."
        ) from None
    return list(tags)


def _is_about_user(normalized_key: str, clean_tags: Sequence[str]) -> bool:
    return normalized_key.startswith("user_") or "user" in clean_tags


def _type_of_key(normalized: str, is_user: bool) -> MemoryType | None:
    words = normalized.split("_")
    is_ascii = normalized.isascii()
    for named, stems in () if is_ascii else TYPE_STEMS.items():
        if any(stem in normalized for stem in stems):
            return named
    for word in words:
        if named_word := TYPE_WORDS.get(word):
            return named_word
    if is_user and not PROFILE_WORDS.isdisjoint(words):
        return "profile"
    if is_ascii:
        return None
    about_user = is_user or any(word in normalized for word in ABOUT_THE_USER)
    return "profile" if about_user and any(stem in normalized for stem in PROFILE_STEMS) else None
