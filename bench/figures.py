"""What a benchmark reports, and how it reads in the end."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    what: str
    value: str
    baseline: str
    bound: str
    fine: bool
    """Whether the value keeps its bound."""


def percentile(times: Sequence[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def table(figures: Iterable[Figure]) -> str:
    head = "| what | measured | baseline of the same run | bound | kept |\n|---|---|---|---|---|"
    rows = (f"| {f.what} | {f.value} | {f.baseline} | {f.bound} | {'yes' if f.fine else '**no**'} |" for f in figures)
    return "\n".join([head, *rows])
