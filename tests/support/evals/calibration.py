"""Calibration of the statistics on synthetic data: coverage, false positives, promised power.

`python -m tests.support.evals.calibration` takes some minutes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np
from rich.console import Console

from reasonloom.cli.output import named_progress
from reasonloom.evals.comparison.power import ALPHA, power_of_mean, power_right_wrong
from reasonloom.evals.comparison.statistics import (
    ClusterSums,
    interval,
    mcnemar_exact,
    mcnemar_mid_p,
    sign_flip_mid_p,
)

SKEW = 0.7


@dataclass(frozen=True, slots=True)
class World:
    """A distribution of comparisons, with its true mean difference as `effect`."""

    name: str
    description: str
    effect: float
    draw: Callable[[np.random.Generator], ClusterSums]


def right_wrong(items: int, to_right: float, to_wrong: float) -> World:
    """Independent items that become right or wrong with these probabilities."""

    def draw(chance: np.random.Generator) -> ClusterSums:
        better, worse, _ = chance.multinomial(items, [to_right, to_wrong, 1 - to_right - to_wrong])
        sums = np.zeros(items)
        sums[:better], sums[better : better + worse] = 1.0, -1.0
        return ClusterSums(sums, np.ones(items))

    description = f"{items} items, {to_right:.0%} become right, {to_wrong:.0%} wrong"
    return World("right or wrong", description, to_right - to_wrong, draw)


def in_clusters(
    clusters: int, least: int, most: int, to_right: float, to_wrong: float, likeness: float
) -> World:
    """Clusters of `least` to `most` items that flip together.

    A cluster's probabilities follow a Dirichlet distribution with this mean; `likeness` is the
    correlation of two items of one cluster.
    """
    mean = np.array([to_right, to_wrong, 1 - to_right - to_wrong])

    def draw(chance: np.random.Generator) -> ClusterSums:
        sizes = chance.integers(least, most + 1, clusters)
        chances = chance.dirichlet(mean * (1 / likeness - 1), size=clusters)
        drawn = chance.multinomial(sizes, chances)
        return ClusterSums((drawn[:, 0] - drawn[:, 1]).astype(np.float64), sizes.astype(np.float64))

    size = f"{least}" if least == most else f"{least} to {most}"
    description = (
        f"{clusters} clusters of {size}, {to_right:.0%} become right, {to_wrong:.0%} wrong,"
        f" correlation {likeness:g}"
    )
    return World("clusters", description, to_right - to_wrong, draw)


def in_epochs(items: int, epochs: int, effect: float) -> World:
    """Items of varying difficulty, each a mean over epochs."""

    def draw(chance: np.random.Generator) -> ClusterSums:
        before = 0.8 * chance.beta(1.5, 1.5, items)
        gained = chance.binomial(epochs, before + effect) - chance.binomial(epochs, before)
        return ClusterSums(gained / epochs, np.ones(items))

    return World("epochs", f"{items} items, means of {epochs} epochs", effect, draw)


def skewed(items: int) -> World:
    """Differences with a long tail on one side."""

    def draw(chance: np.random.Generator) -> ClusterSums:
        return ClusterSums(chance.exponential(1.0, items) - SKEW, np.ones(items))

    return World("skewed scores", f"{items} items, exponential differences", 1 - SKEW, draw)


COVERED = (
    right_wrong(50, 0.2, 0.1), right_wrong(100, 0.15, 0.1), right_wrong(200, 0.15, 0.1),
    in_clusters(30, 5, 5, 0.2, 0.1, 0.3), in_clusters(40, 1, 9, 0.2, 0.1, 0.3),
    in_epochs(100, 5, 0.05), skewed(60),
)  # fmt: skip
"""Worlds on which interval coverage is measured."""

NO_EFFECT = right_wrong(200, 0.1, 0.1)
NO_EFFECT_IN_CLUSTERS = in_clusters(30, 5, 5, 0.15, 0.15, 0.3)
"""Worlds without a difference, for false positives."""

BETTER = right_wrong(200, 0.175, 0.075)
BETTER_IN_CLUSTERS = in_clusters(40, 5, 5, 0.22, 0.1, 0.2)
"""Worlds with a difference, for power."""

REPETITIONS = 10_000
SEED = 20261122
"""Fixed before the results were seen."""

PILOT = 2_000
"""Comparisons drawn to estimate the standard error of a planned run."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Share:
    """How often a property held, in per cent, with its standard error and the expected range."""

    what: str
    said: str
    per_cent: float
    error: float
    least: float
    most: float

    @property
    def reached(self) -> bool:
        """Whether the share lies in the expected range."""
        return self.least <= self.per_cent <= self.most


def measure_calibration(
    tell: Progress, repetitions: int = REPETITIONS, seed: int = SEED
) -> Iterator[Share]:
    """Yield each figure once computed; every world draws from its own random stream."""
    seeds = np.random.SeedSequence(seed).spawn(len(COVERED) + 6)
    streams = iter([np.random.default_rng(each) for each in seeds])
    measured = partial(_measured, tell, repetitions)
    for world in COVERED:
        covers = partial(_holds, difference=world.effect)
        yield measured("95 % interval covers", world, next(streams), covers, (94, 96))
    for what, test, bounds in (
        ("false positives, McNemar mid-p", mcnemar_mid_p, (4.0, 6.0)),
        ("false positives, McNemar exact", mcnemar_exact, (0.0, 5.0)),
    ):
        yield measured(what, NO_EFFECT, next(streams), _flipping(test), bounds)
    yield measured(
        "false positives, signs", NO_EFFECT_IN_CLUSTERS, next(streams),
        lambda of: sign_flip_mid_p(of) <= ALPHA, (4, 6),
    )  # fmt: skip
    items, flips = 200, 0.25
    what, bounds = _promised("McNemar mid-p", power_right_wrong(items, BETTER.effect, flips))
    yield measured(what, BETTER, next(streams), _flipping(mcnemar_mid_p), bounds)
    world, drawing = BETTER_IN_CLUSTERS, next(streams)
    pilot = [world.draw(drawing).error for _ in range(PILOT)]
    error = sqrt(float(np.mean(np.square(pilot))))
    power = power_of_mean(world.effect, error, world.draw(drawing).count)
    what, bounds = _promised("interval", power)
    yield measured(what, world, next(streams), lambda of: not _holds(of, 0), bounds)


def _measured(
    tell: Progress,
    repetitions: int,
    what: str,
    world: World,
    stream: np.random.Generator,
    holds: Callable[[ClusterSums], bool],
    bounds: tuple[float, float],
) -> Share:
    held = 0
    for number in range(repetitions):
        held += holds(world.draw(stream))
        if number % 100 == 0:
            tell(world.description, number, repetitions)
    share = held / repetitions
    error = 100 * sqrt(share * (1 - share) / repetitions)
    return Share(what, world.description, 100 * share, error, *bounds)


def _holds(of: ClusterSums, difference: float) -> bool:
    low, high = interval(of)
    return low <= difference <= high


def _flipping(test: Callable[[int, int], float]) -> Callable[[ClusterSums], bool]:
    return lambda of: test(int((of.sums > 0).sum()), int((of.sums < 0).sum())) <= ALPHA


def _promised(test: str, power: float) -> tuple[str, tuple[float, float]]:
    """Return the name of a measured power next to the promised one, and the expected range."""
    per_cent = 100 * power
    return f"power of {test}, promised {per_cent:.1f} %", (per_cent - 5, per_cent + 5)


def main() -> None:
    """Print each figure as soon as it is available."""
    console = Console(soft_wrap=True, highlight=False)
    console.print(f"statistics: {REPETITIONS:,} repetitions, seed {SEED}", style="bold")
    with named_progress() as report:
        for share in measure_calibration(report):
            reached = "reached" if share.reached else "missed"
            console.print(
                f"{share.what}: {share.per_cent:.2f} % ± {share.error:.2f}"
                f" (goal {share.least:g} to {share.most:g}: {reached})\n  {share.said}",
                style=None if share.reached else "red",
            )


if __name__ == "__main__":
    main()
