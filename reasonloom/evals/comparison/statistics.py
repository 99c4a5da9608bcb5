"""The interval of a mean difference: a bootstrap over clusters, studentised and symmetric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RESAMPLES = 1_999
LEVEL = 95
SEED = 7
ROUNDING = 1e-12
"""What rounding leaves of 0, as a share of what was rounded."""

BLOCK = 2_000_000
"""Numbers that are drawn at once at most."""


@dataclass(frozen=True, slots=True)
class Clustered:
    """Differences summed within clusters, which stand for themselves where there are none.

    Attributes:
        sums: of the differences of each cluster.
        sizes: how many items each has.
    """

    sums: Floats
    sizes: Floats

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.sums.size)

    @property
    def mean(self) -> float:
        """The mean difference of an item."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def error(self) -> float:
        """The standard error of the mean, of a ratio of sums over clusters; 0 of a single one."""
        if self.count < 2:  # noqa: PLR2004
            return 0.0
        left = self.sums - self.mean * self.sizes
        if np.abs(left).max() <= ROUNDING * np.abs(self.sums).max():
            return 0.0
        spread = self.count / (self.count - 1) * float((left**2).sum())
        return float(np.sqrt(spread) / self.sizes.sum())


def clustered(differences: Floats, clusters: list[str]) -> Clustered:
    """Return differences summed by cluster; an item whose cluster is empty stands by itself."""
    names = [cluster or f"\0{place}" for place, cluster in enumerate(clusters)]
    _, places = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    sizes = np.bincount(places).astype(np.float64)
    sums = np.bincount(places, weights=differences).astype(np.float64)
    return Clustered(sums, sizes)


def interval(of: Clustered, *, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[float, float]:
    """Return the ends of the 95 % interval of the mean difference.

    Symmetric bootstrap-t (Hall 1988) over clusters: the mean plus and minus the 95th percentile of
    |mean* - mean| / error* times the error. Of the simple ways it alone kept its promise with few
    clusters and skewed differences; percentiles are too short there (docs/evals.md). Where no
    cluster differs in its mean from another there is nothing to draw from: see `no_difference`.
    """
    mean, error = of.mean, of.error
    if error == 0:
        return mean, mean
    studentised = np.abs(_studentised(of, np.random.default_rng(seed), resamples))
    reach = float(np.percentile(studentised, LEVEL)) * error
    return mean - reach, mean + reach


def no_difference(clusters: int) -> float:
    """Return how large the share of clusters may be that are unlike all that were seen.

    The upper end of the exact 95 % interval of 0 out of so many (the rule of three, two-sided).
    """
    return float(1 - 0.025 ** (1 / clusters))


def all_alike(of: Clustered) -> tuple[float, float]:
    """Return the interval where no cluster differs in its mean from another.

    Where no item differs at all, a share of `no_difference` may still differ by 1. Where all differ
    by the same, as large a share may differ by as much in the other direction: this leaves 0 out
    where the exact test of the signs finds less than 5 %.
    """
    share = no_difference(of.count)
    reach = 2 * abs(of.mean) * share if of.mean else share
    return of.mean - reach, of.mean + reach


def _studentised(of: Clustered, chance: np.random.Generator, resamples: int) -> Floats:
    """Return (mean* - mean) / error* of resampled clusters, 0 where nothing varies.

    Clusters that are alike are drawn together, as one number out of a multinomial distribution.
    """
    kinds, times = np.unique(np.stack([of.sums, of.sizes]), axis=1, return_counts=True)
    sums, sizes = kinds
    most = max(1, BLOCK // sums.size)
    drawn = []
    for start in range(0, resamples, most):
        number = min(most, resamples - start)
        weights = chance.multinomial(of.count, times / of.count, size=number).astype(np.float64)
        total = weights @ sizes
        means = (weights @ sums) / total
        left = (
            weights @ sums**2
            - 2 * means * (weights @ (sums * sizes))
            + means**2 * (weights @ sizes**2)
        )
        spread = of.count / (of.count - 1) * np.maximum(left, 0)
        errors = np.sqrt(spread) / total
        varied = errors > 1e-12  # noqa: PLR2004  # what rounding leaves of 0
        drawn.append(np.where(varied, (means - of.mean) / np.where(varied, errors, 1), 0.0))
    return np.concatenate(drawn)
