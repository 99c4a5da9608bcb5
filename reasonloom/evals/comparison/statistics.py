"""Statistics of mean differences: cluster bootstrap, McNemar and sign-flip tests, Holm."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # imports `stats` on first use
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RESAMPLES = 1_999
LEVEL = 95
BOOTSTRAP_SEED = 7
ROUNDING = 1e-12
"""Residue of rounding to 0, relative to the rounded values."""

MIN_CLUSTERS = 2
NOT_ESTIMABLE = "not estimable"
"""What is displayed for an interval from fewer clusters."""

BLOCK = 2_000_000
"""Upper bound on random numbers drawn at once."""


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Differences summed by cluster, and their sizes; items without a cluster form their own."""

    sums: Floats
    sizes: Floats

    @property
    def count(self) -> int:
        """Number of clusters."""
        return int(self.sums.size)

    @property
    def mean(self) -> float:
        """Mean difference per item."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def error(self) -> float:
        """Standard error of the mean as a ratio of cluster sums; 0 for a single cluster."""
        if self.count < MIN_CLUSTERS:
            return 0.0
        left = self.sums - self.mean * self.sizes
        if np.abs(left).max() <= ROUNDING * np.abs(self.sums).max():
            return 0.0
        spread = self.count / (self.count - 1) * float((left**2).sum())
        return float(np.sqrt(spread) / self.sizes.sum())


def cluster_sums(differences: Floats, clusters: list[str]) -> ClusterSums:
    """Sum differences by cluster; an item with an empty cluster is its own."""
    names = [cluster or f"\0{place}" for place, cluster in enumerate(clusters)]
    _, places = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    sizes = np.bincount(places).astype(np.float64)
    sums = np.bincount(places, weights=differences).astype(np.float64)
    return ClusterSums(sums, sizes)


def interval(of: ClusterSums) -> tuple[float, float]:
    """Return the 95 % interval of the mean difference.

    Symmetric bootstrap-t (Hall 1988) over clusters: mean plus/minus the 95th percentile of
    |mean* - mean| / error* times the error. Of the simple methods, only this one kept its coverage
    with few clusters and skewed differences; percentile intervals are too short (docs/evals.md).
    If no cluster's mean differs from another's, nothing can be resampled: see `no_difference`.
    """
    mean, error = of.mean, of.error
    if error == 0:
        return mean, mean
    studentised = np.abs(_studentised(of, np.random.default_rng(BOOTSTRAP_SEED)))
    reach = float(np.percentile(studentised, LEVEL)) * error
    return mean - reach, mean + reach


def no_difference(clusters: int) -> float:
    """Return the largest share of clusters that may differ although none in the sample does.

    Upper end of the exact 95 % interval of 0 out of `clusters` (two-sided rule of three).
    """
    return float(1 - 0.025 ** (1 / clusters))


def interval_without_variance(of: ClusterSums) -> tuple[float, float]:
    """Return the interval if no cluster's mean differs from another's.

    If no item differs, a share of `no_difference` may still differ by 1. If all differ by the same
    amount, that share may differ by as much in the other direction; this excludes 0 exactly when
    the exact sign test finds less than 5 %.
    """
    share = no_difference(of.count)
    reach = 2 * abs(of.mean) * share if of.mean else share
    return of.mean - reach, of.mean + reach


def _studentised(of: ClusterSums, chance: np.random.Generator) -> Floats:
    """Return (mean* - mean) / error* of resampled clusters, 0 where nothing varies.

    Equal clusters are drawn together as one count of a multinomial distribution.
    """
    kinds, times = np.unique(np.stack([of.sums, of.sizes]), axis=1, return_counts=True)
    sums, sizes = kinds
    most = max(1, BLOCK // sums.size)
    drawn = []
    for start in range(0, RESAMPLES, most):
        number = min(most, RESAMPLES - start)
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
"""Up to this many clusters, all sign combinations are enumerated."""


def mcnemar_exact(to_right: int, to_wrong: int) -> float:
    """Return the two-sided p of McNemar's exact test."""
    flips = to_right + to_wrong
    fewer = min(to_right, to_wrong)
    return min(1.0, 2 * float(scipy.stats.binom.cdf(fewer, flips, 0.5))) if flips else 1.0


def mcnemar_mid_p(to_right: int, to_wrong: int) -> float:
    """Return McNemar's mid-p (Fagerland, Lydersen & Laake 2013), less conservative than exact."""
    flips, fewer = to_right + to_wrong, min(to_right, to_wrong)
    if not flips:
        return 1.0
    binom = scipy.stats.binom
    return min(1.0, float(2 * binom.cdf(fewer, flips, 0.5) - binom.pmf(fewer, flips, 0.5)))


def sign_flip_mid_p(of: ClusterSums) -> float:
    """Return the two-sided mid-p of the test that flips the signs of whole clusters.

    Valid for any score and for dependent items: without a difference either sign is equally likely.
    Enumerates all combinations for few clusters, else samples 9,999. For independent right/wrong
    items it equals McNemar's mid-p.
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
    """Return 1 for totals more extreme than that of `sums`, one half for ties."""
    reached, near = abs(sums.sum()), 1e-9 * np.abs(sums).sum()
    found = np.abs(totals)
    return np.where(found > reached + near, 1.0, np.where(found >= reached - near, HALF, 0.0))


def holm(chances: Sequence[float]) -> list[float]:
    """Return p values corrected for multiple comparisons, in order (Holm 1979)."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    corrected, largest = [0.0] * len(chances), 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, chances[index] * (len(chances) - place)))
        corrected[index] = largest
    return corrected
