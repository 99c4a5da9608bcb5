"""Measures times and summarises them: medians and 95th percentiles against a floor."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

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


def percentile_95(times: Sequence[float]) -> float:
    """Return the 95th percentile of `times` (the maximum if there are few)."""
    if len(times) < 2:  # noqa: PLR2004
        return max(times)
    return quantiles(times, n=20, method="inclusive")[-1]


def summarise(
    name: str,
    times: Sequence[float],
    floor: Sequence[float] | float | None = None,
    goal: float | None = None,
    note: str = "",
) -> Figure:
    """Return the figure of `times`; a floor given as times is reduced to its median."""
    base = median(floor) if isinstance(floor, Sequence) else floor
    return Figure(name, median(times), percentile_95(times), base, goal, note)


async def time_once(work: Work) -> float:
    """Return the milliseconds that `work` took."""
    started = time.perf_counter()
    await work()
    return (time.perf_counter() - started) * 1000


async def time_each(works: Mapping[str, Work], times: int) -> dict[str, list[float]]:
    """Time works in turn after a warm-up, A B C A B C, so that all run under the same load."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(WARM_UP + times):
        for name, work in works.items():
            took = await time_once(work)
            if turn >= WARM_UP:
                taken[name].append(took)
    return taken


async def time_repeatedly(work: Work, times: int) -> list[float]:
    """Time one work after a warm-up."""
    return (await time_each({"": work}, times))[""]


async def time_alternately(
    first: Work, second: Work, times: int
) -> tuple[list[float], list[float]]:
    """Time two works alternately, A B A B, so that both run under the same load."""
    taken = await time_each({"first": first, "second": second}, times)
    return taken["first"], taken["second"]
