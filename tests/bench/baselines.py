"""What people could put in the place of recall: BM25 in twenty lines, and SQLite's FTS5."""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence

_STOP = frozenset(
    "a an and are as at be by did do for from has have how i in is it of on or say that the this to was we what when "
    "where which who will with you about".split()
)
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")


def tokens(text: str) -> list[str]:
    """Words without their plural s, pairs of Chinese characters."""
    out: list[str] = []
    for run in _WORD.findall(text.lower()):
        if run[0] >= "\u3400":
            out.extend(run[at : at + 2] for at in range(max(1, len(run) - 1)))
        elif run not in _STOP:
            out.append(run.removesuffix("s"))
    return out


class Bm25:
    """Okapi BM25 with k1 = 1.5 and b = 0.75. Source: Robertson and Zaragoza, 2009."""

    def __init__(self, documents: Sequence[str]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths = []
        for number, document in enumerate(documents):
            counts = Counter(tokens(document))
            self._lengths.append(sum(counts.values()))
            for token, count in counts.items():
                self._postings[token].append((number, count))
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def recall(self, question: str, limit: int) -> list[int]:
        scores: Counter[int] = Counter()
        for token in dict.fromkeys(tokens(question)):
            postings = self._postings.get(token, [])
            rarity = math.log(1 + (len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, count in postings:
                norm = 1.5 * (0.25 + 0.75 * self._lengths[number] / self._mean)
                scores[number] += rarity * count * 2.5 / (count + norm)  # type: ignore[assignment]
        return [number for number, _ in scores.most_common(limit)]


class Fts5:
    """An FTS5 table with porter stems, asked with ``OR`` of all words, ordered by ``bm25()``."""

    def __init__(self, documents: Sequence[str]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE docs USING fts5(body, tokenize='porter unicode61')")
        self._db.executemany("INSERT INTO docs(rowid, body) VALUES (?, ?)", enumerate(documents))

    def recall(self, question: str, limit: int) -> list[int]:
        words = dict.fromkeys(re.findall(r"\w+", question.lower()))
        query = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT rowid FROM docs WHERE docs MATCH ? ORDER BY bm25(docs), rowid LIMIT ?"
        return [row[0] for row in self._db.execute(sql, (query, limit))]

    def close(self) -> None:
        self._db.close()
