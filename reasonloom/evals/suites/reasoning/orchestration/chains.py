"""Samples whole solutions of a Game of 24, and has the local checker look for a right one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from reasonloom.evals.simulated.game24.check import solves
from reasonloom.evals.suites.reasoning.orchestration.catalog import Result
from reasonloom.evals.suites.reasoning.orchestration.metering import Meter

Kind = Literal["chain", "direct"]

TOGETHER = 20
"""Samples of one call in the published runs; they share the price of the question."""


async def best_of(meter: Meter, puzzle: str, kind: Kind, samples: int) -> Result:
    """Return 1 where any of so many samples is right; `mean` is the share of them that are."""
    right = 0
    for first in range(0, samples, TOGETHER):
        right += await _right(meter, puzzle, kind, first, min(TOGETHER, samples - first))
    return meter.result(float(right > 0), mean=right / samples)


async def as_many_as(meter: Meter, puzzle: str, kind: Kind, usd: float) -> Result:
    """Return 1 where any sample is right of those that cost `usd`, the last call not cut short."""
    right, asked = 0, 0
    while meter.usd < usd:
        right += await _right(meter, puzzle, kind, asked, TOGETHER)
        asked += TOGETHER
    return meter.result(float(right > 0), samples=float(asked))


async def _right(meter: Meter, puzzle: str, kind: Kind, first: int, count: int) -> int:
    """Return how many of the samples from number `first` on are right."""
    said = await meter.ask(f"game24/{kind}", sample=first, puzzle=puzzle, attempts=count)
    numbers = [int(each) for each in puzzle.split()]
    return sum(solves(answer, numbers) for answer in _answers(said, kind))


def _answers(said: dict[str, Any], kind: Kind) -> Iterator[str]:
    if kind == "direct":
        yield from said["answers"]
    else:
        yield from (each["answer"] for each in said["solutions"])
