"""Takes times and summarises them: medians and 95th percentiles against a floor."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

Work = Callable[[], Awaitable[object]]
WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement with its floor; times in milliseconds, `goal` is a ratio or None."""

    name: str
    p50: float
    p95: float
    floor: float | None = None
    goal: float | None = None
    said: str = ""

    @property
    def ratio(self) -> float | None:
        """The median as a multiple of the floor's median."""
        return self.p50 / self.floor if self.floor else None

    @property
    def reached(self) -> bool | None:
        """Whether the ratio meets its goal, None without one."""
        return None if self.ratio is None or self.goal is None else self.ratio <= self.goal


def median(times: Sequence[float]) -> float:
    """Return the median of `times`."""
    return statistics.median(times)


def percentile_95(times: Sequence[float]) -> float:
    """Return the 95th percentile of `times` (the maximum if there are few)."""
    if len(times) < 2:  # noqa: PLR2004
        return max(times)
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


async def time_once(work: Work) -> float:
    """Return the milliseconds that `work` took."""
    started = time.perf_counter()
    await work()
    return (time.perf_counter() - started) * 1000


async def time_alternately(
    first: Work, second: Work, times: int
) -> tuple[list[float], list[float]]:
    """Time two works alternately, A B A B, so that both meet the same load."""
    for _ in range(WARM_UP):
        await first()
        await second()
    pairs = [(await time_once(first), await time_once(second)) for _ in range(times)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
