"""Tables of figures, and the few statistics they need."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

Row = Sequence[object]


def show(title: str, rows: Sequence[Row]) -> None:
    """Print rows as a table; the first row holds the headings. Numbers get one decimal."""
    cells = [[f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    print(f"\n### {title}\n")
    for number, row in enumerate(cells):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|", flush=True)


def times_ms(act: Callable[[int], object], count: int) -> list[float]:
    """The wall time of each of ``count`` calls, in milliseconds."""
    taken = []
    for number in range(count):
        start = time.perf_counter()
        act(number)
        taken.append((time.perf_counter() - start) * 1e3)
    return taken


def p95(values: Sequence[float]) -> float:
    """The 95th percentile, interpolated."""
    return statistics.quantiles(values, n=20, method="inclusive")[18]


def share(found: int, of: int) -> float:
    """A share in per cent."""
    return 100 * found / of if of else 0.0
