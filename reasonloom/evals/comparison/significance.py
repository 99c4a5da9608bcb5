"""Whether a difference may be chance: McNemar's test, the test by signs, and Holm's correction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import binom

from reasonloom.evals.comparison.statistics import Clustered, Floats

FLIPS = 9_999
SEED = 11
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


def by_signs(of: Clustered) -> float:
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
        return float(_as_far((2.0 * every - 1) @ sums, sums).mean())
    chance = np.random.default_rng(SEED)
    signs = chance.integers(0, 2, (FLIPS, sums.size), dtype=np.int8) * np.int8(2) - np.int8(1)
    return float((_as_far(signs @ sums, sums).sum() + HALF) / (FLIPS + 1))


def _as_far(totals: Floats, sums: Floats) -> Floats:
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
