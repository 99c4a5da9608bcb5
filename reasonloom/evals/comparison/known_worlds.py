"""Made-up comparisons whose true difference is known, to hold the statistics against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reasonloom.evals.comparison.statistics import Clustered

SKEW = 0.7


@dataclass(frozen=True, slots=True)
class World:
    """Comparisons that are drawn alike.

    Attributes:
        name, said: what it is called, and what is drawn.
        effect: the true mean difference.
        draw: draws one comparison.
    """

    name: str
    said: str
    effect: float
    draw: Callable[[np.random.Generator], Clustered]


def right_wrong(items: int, to_right: float, to_wrong: float) -> World:
    """Return items that stand alone and become right, or wrong, with these chances."""

    def draw(chance: np.random.Generator) -> Clustered:
        better, worse, _ = chance.multinomial(items, [to_right, to_wrong, 1 - to_right - to_wrong])
        sums = np.zeros(items)
        sums[:better], sums[better : better + worse] = 1.0, -1.0
        return Clustered(sums, np.ones(items))

    said = f"{items} items, {to_right:.0%} become right, {to_wrong:.0%} wrong"
    return World("right or wrong", said, to_right - to_wrong, draw)


def in_clusters(
    clusters: int, least: int, most: int, to_right: float, to_wrong: float, likeness: float
) -> World:
    """Return clusters of `least` to `most` items that flip alike.

    A cluster's chances are drawn from a Dirichlet distribution whose mean they are; `likeness` is
    the correlation of two items of one cluster.
    """
    mean = np.array([to_right, to_wrong, 1 - to_right - to_wrong])

    def draw(chance: np.random.Generator) -> Clustered:
        sizes = chance.integers(least, most + 1, clusters)
        told = chance.dirichlet(mean * (1 / likeness - 1), size=clusters)
        drawn = chance.multinomial(sizes, told)
        return Clustered((drawn[:, 0] - drawn[:, 1]).astype(np.float64), sizes.astype(np.float64))

    size = f"{least}" if least == most else f"{least} to {most}"
    said = (
        f"{clusters} clusters of {size}, {to_right:.0%} become right, {to_wrong:.0%} wrong,"
        f" correlation {likeness:g}"
    )
    return World("clusters", said, to_right - to_wrong, draw)


def in_epochs(items: int, epochs: int, effect: float) -> World:
    """Return items of unlike difficulty, each the mean of so many epochs."""

    def draw(chance: np.random.Generator) -> Clustered:
        before = 0.8 * chance.beta(1.5, 1.5, items)
        told = chance.binomial(epochs, before + effect) - chance.binomial(epochs, before)
        return Clustered(told / epochs, np.ones(items))

    return World("epochs", f"{items} items, means of {epochs} epochs", effect, draw)


def skewed(items: int) -> World:
    """Return differences with a long tail on one side."""

    def draw(chance: np.random.Generator) -> Clustered:
        return Clustered(chance.exponential(1.0, items) - SKEW, np.ones(items))

    return World("skewed scores", f"{items} items, exponential differences", 1 - SKEW, draw)


COVERED = (
    right_wrong(50, 0.2, 0.1),
    right_wrong(100, 0.15, 0.1),
    right_wrong(200, 0.15, 0.1),
    in_clusters(30, 5, 5, 0.2, 0.1, 0.3),
    in_clusters(40, 1, 9, 0.2, 0.1, 0.3),
    in_epochs(100, 5, 0.05),
    skewed(60),
)
"""The worlds whose intervals are held against their promise."""

ALIKE = right_wrong(200, 0.1, 0.1)
ALIKE_IN_CLUSTERS = in_clusters(30, 5, 5, 0.15, 0.15, 0.3)
"""Worlds without a difference, for false positives."""

BETTER = right_wrong(200, 0.175, 0.075)
BETTER_IN_CLUSTERS = in_clusters(40, 5, 5, 0.22, 0.1, 0.2)
"""Worlds with a difference, for power."""
