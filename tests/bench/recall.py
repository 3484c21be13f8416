"""Does recall find the memory that a question is about, and does it stay quiet when there is none?"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from agentao.memory import MemoryManager, MemoryRetriever, SaveMemoryRequest, SQLiteMemoryStore
from tests.bench.baselines import Bm25, Fts5
from tests.bench.made import Made, memory
from tests.bench.table import Row, share

Recall = Callable[[str, int], list[int]]
Question = tuple[str, frozenset[int]]
MEMORIES = 400


def made() -> list[Row]:
    """Hits on made memories, and how often a question about another store's memories recalls anything."""
    memories = [memory(number) for number in range(MEMORIES)]
    questions = [(one.question, frozenset({number})) for number, one in enumerate(memories)]
    strangers = [(memory(number, salt=1).question, frozenset[int]()) for number in range(200)]
    return _compare(memories, questions, strangers)


def talks(folder: Path) -> list[Row]:
    """The same for each talk of a LoCoMo folder in a store of its own; strangers are the next talk's questions."""
    loaded = [_talk(path) for path in sorted(folder.glob("*.json"))]
    if not loaded:
        return [["no talks in the given folder"]]
    totals: dict[str, list[float]] = {}
    for (memories, questions), (_, others) in zip(loaded, loaded[1:] + loaded[:1], strict=True):
        for name, *figures in _compare(memories, questions, others)[1:]:
            weighted = [float(str(figure)) * len(questions) for figure in figures]
            totals[str(name)] = [a + b for a, b in zip(totals.get(str(name), [0.0] * 4), weighted, strict=True)]
    asked = sum(len(questions) for _, questions in loaded)
    return [HEADINGS, *([name, *(total / asked for total in sums)] for name, sums in totals.items())]


HEADINGS = ["system", "hit@1", "hit@5", "recall@10", "strangers' questions that recall anything"]


def _compare(memories: Sequence[Made], questions: Sequence[Question], strangers: Sequence[Question]) -> list[Row]:
    documents = [f"{one.key}\n{one.value}\n{' '.join(one.tags)}" for one in memories]
    fts5 = Fts5(documents)
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteMemoryStore.open(Path(folder) / "memory.db")
        manager = MemoryManager(project_store=store)
        ids: dict[str, int] = {}
        for number, one in enumerate(memories):
            ids[manager.upsert(SaveMemoryRequest(one.key, one.value, one.tags)).id] = number
        retriever = MemoryRetriever(manager)

        def product(question: str, limit: int) -> list[int]:
            return [ids[found.memory_id] for found in retriever.recall_candidates(question, top_k=limit)]

        systems: list[tuple[str, Recall]] = [
            ("BM25", Bm25(documents).recall),
            ("FTS5 OR", fts5.recall),
            ("agentao", product),
        ]
        rows: list[Row] = [HEADINGS]
        for name, recall in systems:
            found = [(recall(question, 10), right) for question, right in questions]
            rows.append(
                [
                    name,
                    share(sum(bool(right & set(ids[:1])) for ids, right in found), len(found)),
                    share(sum(bool(right & set(ids[:5])) for ids, right in found), len(found)),
                    sum(share(len(right & set(ids)), len(right)) for ids, right in found) / len(found),
                    share(sum(bool(recall(question, 5)) for question, _ in strangers), len(strangers)),
                ]
            )
        manager.close()
    fts5.close()
    return rows


def _talk(path: Path) -> tuple[list[Made], list[Question]]:
    """One dialogue turn is one memory; questions of categories 1 to 4 that name a turn which exists."""
    data = json.loads(path.read_text(encoding="utf-8"))
    sessions = sorted((name for name in data if re.fullmatch(r"session_\d+", name)), key=lambda name: int(name[8:]))
    turns = [turn for name in sessions for turn in data[name]]
    places = {_place(turn["dia_id"])[0]: number for number, turn in enumerate(turns)}
    memories = []
    for turn in turns:
        picture = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        key = re.sub(r"[^A-Za-z0-9]+", "_", f"{turn['speaker']}_{turn['dia_id']}")
        memories.append(Made(key, f"{turn['speaker']}: {turn['text']}{picture}", [turn["speaker"].lower()], ""))
    questions = []
    for asked in data["qa"]:
        named = {place for text in asked.get("evidence") or [] for place in _place(text)}
        right = frozenset(places[place] for place in named if place in places)
        if asked["category"] in (1, 2, 3, 4) and right:
            questions.append((asked["question"], right))
    return memories, questions


def _place(text: str) -> list[tuple[int, int]]:
    return [(int(session), int(turn)) for session, turn in re.findall(r"D:?(\d+):(\d+)", text)]
