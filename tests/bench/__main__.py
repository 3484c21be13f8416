"""The command line of ``scripts/bench``."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
from pathlib import Path

from tests.bench import recall, speed, startup, texts
from tests.bench.table import show

PARTS = ("recall", "mining", "secrets", "speed", "startup")


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Figures, each beside a baseline of this run.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all when none is named")
    parser.add_argument("--sizes", default="1000,10000", help="numbers of memories for speed (default 1000,10000)")
    parser.add_argument("--runs", type=int, default=7, help="rounds for startup (default 7)")
    parser.add_argument("--data", type=Path, help="a folder with recall/data/locomo, mining and secrets to measure on")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)}")
    sizes = [int(size) for size in options.sizes.split(",")]
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores, load {load}")
    wanted = options.parts or PARTS
    if "recall" in wanted:
        show("Recall, made memories and questions in other forms of their words (%)", recall.made())
        if options.data:
            show("Recall, long talks (%)", recall.talks(options.data / "recall" / "data" / "locomo"))
    if "mining" in wanted:
        show("Mining", texts.mining(options.data))
    if "secrets" in wanted:
        show("Secrets", texts.secrets(options.data))
    if "speed" in wanted:
        for size in sizes:
            show(f"Speed with {size:,} memories (ms)", speed.measure(size))
    if "startup" in wanted:
        show(f"Start-up, medians of {options.runs} (ms)", startup.measure(options.runs))


main()
