"""A record as recall and search see it: its terms, a few numbers, and its folded text."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from agentao.memory.text import compiled, fold

if TYPE_CHECKING:
    from agentao.memory.models import MemoryRecord
    from agentao.memory.tokenizer import Word

TERM_END = "\n"
"""Stands around every term of a document; no term holds it."""

FIELD_END = "\x1f"
"""Stands between the fields of the folded text; nothing typed holds it."""

_APOSTROPHE = r"\w+(?:['’]\w+)+"
_SMALL = 255
_MEDIUM = 65_535
_LARGE = 0xFFFF_FFFF


class Document(NamedTuple):
    """One record, analysed. ``number`` is its place in the index, 0 before it has one."""

    number: int
    stamp: int
    title_size: int
    length: int
    asking: int
    terms: str
    text: str


def fits(document: Document) -> bool:
    """Whether every value of a document that a file held is of its kind, and no larger than it can be."""
    limits = (_LARGE, _LARGE, _SMALL, _MEDIUM, _SMALL)
    return (
        all(isinstance(value, int) and 0 <= value <= limit for value, limit in zip(document, limits, strict=False))
        and isinstance(document.terms, str)
        and isinstance(document.text, str)
    )


def analyse(record: MemoryRecord, number: int = 0) -> Document:
    """The document of a record: its texts and further keywords by the tokenizer, every field folded for search."""
    # Imported here, because opening a store needs this module and would wait a tenth of the start-up for the others.
    from agentao.memory.tokenizer import TAG_MARK, TITLE_MARK, kinds, tag_key, vocabulary

    title, tags, content = record.title, record.tags, record.content
    found = [word for text in (title, *tags, content) for word in vocabulary(text)]
    terms: dict[str, None] = {}
    _add_terms(terms, found)
    keywords = _not_in_text(record, terms)
    for keyword in keywords:
        _add_terms(terms, vocabulary(keyword))
    terms.update(dict.fromkeys(kinds(content, terms)))
    title_terms = {word.term for word in vocabulary(title, stop_words=True)}
    terms.update((TITLE_MARK + term, None) for term in title_terms)
    terms.update((TAG_MARK + key, None) for key in map(tag_key, tags) if key)
    return Document(
        number,
        stamp_of(record.updated_at),
        min(len(title_terms), _SMALL),
        min(len(found), _MEDIUM),
        int(content.rstrip(" \t\n\"'”’)）」").endswith(("?", "？"))),
        TERM_END + TERM_END.join(terms) + TERM_END,
        searchable(title, record.key_normalized, tags, keywords, content),
    )


def _add_terms(terms: dict[str, None], found: Iterable[Word]) -> None:
    for _, _, surface, term, also, cjk in found:
        if cjk and not also and surface in terms:
            continue  # so are its characters
        terms[term] = terms[surface] = None
        for part in also:
            terms[part] = None
        if cjk:
            for char in surface:
                terms[char] = None


def text_only(record: MemoryRecord) -> Document:
    """As ``analyse`` without what recall needs: no terms, in a tenth of the time."""
    text = searchable(record.title, record.key_normalized, record.tags, (), record.content)
    if any(keyword not in text and fold(keyword) not in text for keyword in record.keywords):
        # Some of these belong to it, which only the words of the record tell.
        with suppress(ArithmeticError, LookupError, TypeError, ValueError):
            text = analyse(record).text
    return Document(0, stamp_of(record.updated_at), 0, 0, 0, "", text)


def _not_in_text(record: MemoryRecord, terms: Collection[str]) -> list[str]:
    """Keywords that may stand nowhere in the text: those of an older program, and words that lost an apostrophe."""
    from agentao.memory.tokenizer import bare

    inner: set[str] = set()
    for text in (record.title, record.content):
        for chunk in text.split() if "'" in text or "’" in text else ():
            if "'" in chunk or "’" in chunk:
                inner.update(bare(fold(word)) for word in compiled(_APOSTROPHE).findall(chunk))
    return [keyword for keyword in record.keywords if keyword not in terms or keyword in inner]


def searchable(title: str, key: str, tags: Sequence[str], keywords: Sequence[str], content: str) -> str:
    """The folded fields of a record in one text: title, key, each tag, keywords that stand nowhere else, content."""
    fields = [fold(part).replace("\0", " ") for part in (title, key, *tags)]
    body = fold(content).replace("\0", " ")
    known = FIELD_END.join((*fields, body))
    fields += [extra for extra in map(fold, keywords) if extra not in known]
    return FIELD_END.join((*fields, body))


def stamp_of(time: str) -> int:
    """Seconds since 1970; a time without a zone is this machine's, an unreadable one is the beginning."""
    try:
        moment = datetime.fromisoformat(time)
        return max(0, min(int(moment.astimezone(UTC).timestamp()), _LARGE))
    except (ValueError, OverflowError, OSError):
        return 0


def strings(text: object) -> list[str]:
    """The strings of a JSON list as an older program wrote it; anything else counts as none."""
    import json  # not at the start, which reads no record

    try:
        value = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return []
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


class Columns(NamedTuple):
    """The numbers of many documents, side by side."""

    numbers: array[int]
    stamps: array[int]
    title_sizes: array[int]
    lengths: array[int]
    asking: array[int]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Columns:
        """The columns of these documents, in their order."""
        rows = [document[:5] for document in documents]
        kinds = ("I", "I", "B", "H", "B")
        return cls(*(array(kind, [row[at] for row in rows]) for at, kind in enumerate(kinds)))


def find(documents: Sequence[Document], terms: Iterable[str]) -> dict[str, list[int]]:
    """The ordinals of the documents that have each term; terms that none has are left out."""
    held = [document.terms for document in documents]
    found = {}
    for term in terms:
        marked = f"{TERM_END}{term}{TERM_END}"
        if ordinals := [at for at, text in enumerate(held) if marked in text]:
            found[term] = ordinals
    return found
