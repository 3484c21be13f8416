"""Processes that write to one store: to be killed, or to compete.

    python -m tests.support.writers crash PATH SEED ROUNDS
    python -m tests.support.writers compete PATH PROCESSES SAVES

Each prints one JSON object when it is done. A writer is forked, so that hundreds cost no interpreter start each.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from agentao.memory.store import SQLiteMemoryStore
from tests.support.stores import record, summary

RECORDS = 20
"""How many records the killed writers change in turn."""


def fork(work: Callable[[int], None]) -> tuple[int, int]:
    """Start ``work`` in a process of its own, with the writing end of a pipe; returns its id and the reading end."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        status = 1
        try:
            work(writing)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    return pid, reading


def save_forever(path: Path, name: str, seed: int, acknowledge: int) -> None:
    """Save, update, delete and bring back records; each change is told after it returned."""
    rng = random.Random(seed)
    with SQLiteMemoryStore.open(path) as store:
        for number in itertools.count():
            token = f"{name}.{number}"
            chosen = record(rng.randrange(RECORDS), content=token + " " * rng.randrange(3000))
            before = store.get(chosen.id, include_deleted=True)
            if before is not None and before.deleted_at is None and rng.random() < 0.2:
                chosen = replace(chosen, deleted_at=chosen.updated_at)
            if rng.random() < 0.1:
                store.add_summary(replace(summary(1), id=f"s{token}", summary_text=token))
            store.write(chosen, "update" if before else "create", before=before, session_id=name)
            os.write(acknowledge, f"{token}\n".encode())


def crash(path: Path, seed: int, rounds: int) -> dict[str, object]:
    """Kill ``rounds`` writers, each at a random moment of its opening or its saves; returns what they acknowledged."""
    rng = random.Random(seed)
    told: list[str] = []
    for number in range(rounds):
        target = path if number % 10 else path.with_name(f"new-{number}.db")
        name, own_seed = f"{target.stem}/{number}", rng.randrange(2**30)
        pid, reading = fork(lambda end, t=target, n=name, s=own_seed: save_forever(t, n, s, end))
        # One round of ten hits the opening of a new file, the rest any moment after some saves.
        heard = b""
        for _ in range(rng.randrange(1, 6) if number % 10 else 0):
            heard += os.read(reading, 4096)
        until = time.monotonic() + rng.uniform(0, 0.015)
        while (left := until - time.monotonic()) > 0:
            select.select([], [], [], left)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with os.fdopen(reading, "rb") as pipe:
            told += (heard + pipe.read()).decode().split()
    return {"acknowledged": told}


def compete(path: Path, processes: int, saves: int) -> dict[str, object]:
    """Let writers save at the same time, each its own records and one key that all share; returns their errors."""

    def work(number: int, end: int) -> None:
        try:
            with SQLiteMemoryStore.open(path) as store:
                for at in range(saves):
                    own = f"p{number}n{at}"
                    store.write(record(at, id=own, key_normalized=own), "create", session_id=f"p{number}")
                    if at % 25 == 0:
                        with store.transaction():
                            found = store.find_by_key("shared")
                            shared = record(0, id=f"shared{number}", key_normalized="shared", content=own)
                            shared = replace(shared, id=found[0].id) if found else shared
                            store.write(shared, "update", before=found[0] if found else None)
                            store.set_meta("turns", str(int(store.get_meta("turns") or 0) + 1))
        except Exception as exc:
            os.write(end, f"{type(exc).__name__}: {exc}\n".encode())
            raise

    started = [fork(lambda end, n=number: work(n, end)) for number in range(processes)]
    errors: list[str] = []
    for pid, reading in started:
        with os.fdopen(reading) as pipe:
            errors += pipe.read().splitlines()
        if os.waitpid(pid, 0)[1]:
            errors.append(f"process {pid} failed")
    return {"errors": errors}


if __name__ == "__main__":
    kind, place, first, second = sys.argv[1:]
    done = (crash if kind == "crash" else compete)(Path(place), int(first), int(second))
    sys.stdout.write(json.dumps(done))
