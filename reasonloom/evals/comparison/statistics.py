"""The interval of a mean difference: a bootstrap over clusters, studentised and symmetric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

Floats = NDArray[np.float64]

RESAMPLES = 1_999
LEVEL = 95
BOOTSTRAP_SEED = 7
ROUNDING = 1e-12
"""What rounding leaves of 0, as a share of what was rounded."""

BLOCK = 2_000_000
"""Numbers that are drawn at once at most."""


@dataclass(frozen=True, slots=True)
class ClusterSums:
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


def cluster_sums(differences: Floats, clusters: list[str]) -> ClusterSums:
    """Return differences summed by cluster; an item whose cluster is empty stands by itself."""
    names = [cluster or f"\0{place}" for place, cluster in enumerate(clusters)]
    _, places = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    sizes = np.bincount(places).astype(np.float64)
    sums = np.bincount(places, weights=differences).astype(np.float64)
    return ClusterSums(sums, sizes)


def interval(
    of: ClusterSums, *, resamples: int = RESAMPLES, seed: int = BOOTSTRAP_SEED
) -> tuple[float, float]:
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


def interval_without_variance(of: ClusterSums) -> tuple[float, float]:
    """Return the interval where no cluster differs in its mean from another.

    Where no item differs at all, a share of `no_difference` may still differ by 1. Where all differ
    by the same, as large a share may differ by as much in the other direction: this leaves 0 out
    where the exact test of the signs finds less than 5 %.
    """
    share = no_difference(of.count)
    reach = 2 * abs(of.mean) * share if of.mean else share
    return of.mean - reach, of.mean + reach


def _studentised(of: ClusterSums, chance: np.random.Generator, resamples: int) -> Floats:
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


FLIPS = 9_999
SIGN_FLIP_SEED = 11
HALF = 0.5
EXACT_UP_TO = 13
"""Clusters up to which all combinations of signs are tried."""


def mcnemar_exact(to_right: int, to_wrong: int) -> float:
    """Return the two-sided p of McNemar's exact test; flips in both directions are given."""
    flips = to_right + to_wrong
    return min(1.0, 2 * float(binom.cdf(min(to_right, to_wrong), flips, 0.5))) if flips else 1.0


def mcnemar_mid_p(to_right: int, to_wrong: int) -> float:
    """Return the mid-p of the same test (Fagerland, Lydersen & Laake 2013): not so timid."""
    flips, fewer = to_right + to_wrong, min(to_right, to_wrong)
    if not flips:
        return 1.0
    return min(1.0, float(2 * binom.cdf(fewer, flips, 0.5) - binom.pmf(fewer, flips, 0.5)))


def sign_flip_mid_p(of: ClusterSums) -> float:
    """Return the two-sided mid-p of the test that flips the sign of whole clusters' differences.

    It holds for scores of any kind and for items that hang together: without a difference, either
    sign of a cluster is as likely. All combinations are tried of few clusters, else 9,999. For
    right and wrong items that stand alone it is McNemar's mid-p.
    """
    sums = of.sums[of.sums != 0]
    if not sums.size:
        return 1.0
    if sums.size <= EXACT_UP_TO:
        every = np.arange(2**sums.size)[:, None] >> np.arange(sums.size) & 1
        return float(_at_least_as_extreme((2.0 * every - 1) @ sums, sums).mean())
    chance = np.random.default_rng(SIGN_FLIP_SEED)
    signs = chance.integers(0, 2, (FLIPS, sums.size), dtype=np.int8) * np.int8(2) - np.int8(1)
    return float((_at_least_as_extreme(signs @ sums, sums).sum() + HALF) / (FLIPS + 1))


def _at_least_as_extreme(totals: Floats, sums: Floats) -> Floats:
    """Return 1 for totals farther from 0 than that of `sums`, a half for those as far."""
    reached, near = abs(sums.sum()), 1e-9 * np.abs(sums).sum()
    found = np.abs(totals)
    return np.where(found > reached + near, 1.0, np.where(found >= reached - near, HALF, 0.0))


def holm(chances: Sequence[float]) -> list[float]:
    """Return p values corrected for being several, in their order (Holm 1979)."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    corrected, largest = [0.0] * len(chances), 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, chances[index] * (len(chances) - place)))
        corrected[index] = largest
    return corrected
