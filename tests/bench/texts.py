"""How well mining and the guard tell texts apart, on the project's own examples or on labelled files."""

from __future__ import annotations

import gzip
import json
import random
import time
from pathlib import Path

from agentao.errors import SensitiveMemoryError
from agentao.memory import MemoryCrystallizer, MemoryGuard
from agentao.memory.mining.rules import rules
from tests.bench.table import Row, share


def mining(data: Path | None) -> list[Row]:
    """Precision and recall on a labelled file; else the rules' own examples. And the time of 1,000 messages."""
    crystallizer = MemoryCrystallizer()
    rows: list[Row] = [["measure", "figure", "baseline"]]
    examples = [rule.example for rule in rules() if rule.example]
    rows.append(["rules in the table", len(rules()), ""])
    rng = random.Random(1)
    words = " ".join(examples).split()
    messages = [{"role": "user", "content": " ".join(rng.choices(words, k=100))} for _ in range(1_000)]
    start = time.perf_counter()
    crystallizer.extract_from_user_messages(messages, "bench")
    took = time.perf_counter() - start
    start = time.perf_counter()
    for message in messages:
        for word in message["content"].split():
            word.casefold()
    rows.append(
        [
            "1,000 messages of 100 words, ms",
            took * 1e3,
            f"folding their words {1e3 * (time.perf_counter() - start):.1f}",
        ]
    )
    if data:
        hits = alarms = misses = 0
        for line in (data / "mining" / "dev.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found = crystallizer.extract_from_user_messages([{"role": "user", "content": row["text"]}], "bench")
            open_items = list(row["expect"])
            for proposal in found:
                content = " ".join(proposal.content.casefold().split())
                fit = next(
                    (i for i in open_items if proposal.type in i["types"] and i["must_contain"].casefold() in content),
                    None,
                )
                if fit is None:
                    alarms += 1
                else:
                    open_items.remove(fit)
                    hits += 1
            misses += len(open_items)
        rows.append(["precision, %", share(hits, hits + alarms), "best public rules 26"])
        rows.append(["recall, %", share(hits, hits + misses), "best public rules 26"])
    return rows


def secrets(data: Path | None) -> list[Row]:
    """Shares of secrets and harmless texts refused on a labelled file, and the time of one check."""
    guard = MemoryGuard()
    rows: list[Row] = [["measure", "figure", "baseline"]]
    text = "The deploy token lives in the vault; the password policy wants 14 characters. " * 3
    guard.check_secrets(text)
    start = time.perf_counter()
    for _ in range(200):
        guard.check_secrets(text)
    rows.append(["one check of 230 characters, ms", (time.perf_counter() - start) * 5, ""])
    if data:
        with gzip.open(data / "secrets" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
            labelled = [json.loads(line) for line in lines]
        for kind, peer in (("secret", 48), ("harmless", 4)):
            texts = [row["text"] for row in labelled if row["kind"] == kind]
            rows.append(
                [f"{kind} texts refused, %", share(sum(map(_refused, texts)), len(texts)), f"public peer {peer}"]
            )
    return rows


def _refused(text: str) -> bool:
    try:
        MemoryGuard().check_record("bench", text)
    except SensitiveMemoryError:
        return True
    return False
