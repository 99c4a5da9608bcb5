"""Holds the statistics against known answers: coverage, false positives, power as promised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from reasonloom.evals.comparison.known_worlds import (
    ALIKE,
    ALIKE_IN_CLUSTERS,
    BETTER,
    BETTER_IN_CLUSTERS,
    COVERED,
    World,
)
from reasonloom.evals.comparison.power import ALPHA, power_of_mean, power_right_wrong
from reasonloom.evals.comparison.significance import by_signs, mcnemar_exact, mcnemar_mid_p
from reasonloom.evals.comparison.statistics import Clustered, interval

REPETITIONS = 10_000
SEED = 20261122
"""Fixed before the figures were looked at."""

PILOT = 2_000
"""Comparisons from which the error of a planned run is known."""

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Share:
    """How often something held in so many repetitions, in per cent, and where it is to lie."""

    what: str
    said: str
    per_cent: float
    error: float
    least: float
    most: float

    @property
    def reached(self) -> bool:
        """Whether it lies there."""
        return self.least <= self.per_cent <= self.most


def measure(tell: Tell, repetitions: int = REPETITIONS, seed: int = SEED) -> Iterator[Share]:
    """Yield each figure as soon as it is known; each world draws from a stream of its own."""
    seeds = np.random.SeedSequence(seed).spawn(len(COVERED) + 6)
    streams = iter([np.random.default_rng(each) for each in seeds])
    for world in COVERED:
        held = _share(world, repetitions, next(streams), tell, _covers(world))
        yield _told("95 % interval covers", world, held, repetitions, (94, 96))
    for what, test, bounds in (
        ("false positives, McNemar mid-p", mcnemar_mid_p, (4.0, 6.0)),
        ("false positives, McNemar exact", mcnemar_exact, (0.0, 5.0)),
    ):
        held = _share(ALIKE, repetitions, next(streams), tell, _flipping(test))
        yield _told(what, ALIKE, held, repetitions, bounds)
    world = ALIKE_IN_CLUSTERS
    held = _share(world, repetitions, next(streams), tell, lambda of: by_signs(of) <= ALPHA)
    yield _told("false positives, signs", world, held, repetitions, (4, 6))
    yield from _powers(repetitions, streams, tell)


def _powers(
    repetitions: int, streams: Iterator[np.random.Generator], tell: Tell
) -> Iterator[Share]:
    """Yield power beside what was promised before."""
    items, flips = 200, 0.25
    promised = 100 * power_right_wrong(items, BETTER.effect, flips)
    held = _share(BETTER, repetitions, next(streams), tell, _flipping(mcnemar_mid_p))
    yield _promised("McNemar mid-p", BETTER, held, repetitions, promised)
    world = BETTER_IN_CLUSTERS
    drawing = next(streams)
    pilot = [world.draw(drawing).error for _ in range(PILOT)]
    error = sqrt(float(np.mean(np.square(pilot))))
    promised = 100 * power_of_mean(world.effect, error, world.draw(drawing).count)
    held = _share(world, repetitions, next(streams), tell, _leaves_out_0)
    yield _promised("interval", world, held, repetitions, promised)


def _share(
    world: World,
    repetitions: int,
    stream: np.random.Generator,
    tell: Tell,
    holds: Callable[[Clustered], bool],
) -> int:
    held = 0
    for number in range(repetitions):
        held += holds(world.draw(stream))
        if number % 100 == 0:
            tell(world.said, number, repetitions)
    return held


def _covers(world: World) -> Callable[[Clustered], bool]:
    def covers(of: Clustered) -> bool:
        low, high = interval(of)
        return low <= world.effect <= high

    return covers


def _leaves_out_0(of: Clustered) -> bool:
    low, high = interval(of)
    return not low <= 0 <= high


def _flipping(test: Callable[[int, int], float]) -> Callable[[Clustered], bool]:
    def found(of: Clustered) -> bool:
        return test(int((of.sums > 0).sum()), int((of.sums < 0).sum())) <= ALPHA

    return found


def _told(
    what: str, world: World, held: int, repetitions: int, bounds: tuple[float, float]
) -> Share:
    share = held / repetitions
    error = 100 * sqrt(share * (1 - share) / repetitions)
    return Share(what, world.said, 100 * share, error, *bounds)


def _promised(test: str, world: World, held: int, repetitions: int, promised: float) -> Share:
    what = f"power of {test}, promised {promised:.1f} %"
    return _told(what, world, held, repetitions, (promised - 5, promised + 5))
