"""Power of a planned run, and the smallest difference it could detect."""

import math
from functools import cache
from typing import Any

import numpy as np
import scipy  # imports `stats` on first use

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.pairs import Pairs
from reasonloom.evals.comparison.statistics import mcnemar_mid_p

ALPHA = 0.05
POWER = 0.8
SPREAD = 7
"""Standard deviations of the number of flips that are summed over."""

MOST_ITEMS = 100_000


def power_right_wrong(items: int, effect: float, flips: float) -> float:
    """Return the power of McNemar's mid-p test at 5 %.

    `effect` is the difference in the share of right answers, such as 0.05; `flips`, at least as
    large, the share of items that exactly one system gets right.
    """
    _check(items, effect, flips)
    better = (flips + abs(effect)) / 2 / flips
    middle, deviation = items * flips, math.sqrt(items * flips * (1 - flips))
    low = max(0, math.floor(middle - SPREAD * deviation - 1))
    high = min(items, math.ceil(middle + SPREAD * deviation + 1))
    numbers = np.arange(low, high + 1)
    fewest = np.array([_critical(int(number)) for number in numbers])
    binom = scipy.stats.binom
    found = binom.cdf(fewest, numbers, better) + binom.sf(numbers - fewest - 1, numbers, better)
    found = np.where(fewest < 0, 0.0, found)
    return float((binom.pmf(numbers, items, flips) * found).sum())


def power_of_mean(effect: float, error: float, clusters: int) -> float:
    """Return the probability that the 95 % interval of a mean difference of `effect` excludes 0."""
    if error <= 0:
        return 1.0 if effect else ALPHA
    free, nct = max(1, clusters - 1), scipy.stats.nct
    edge, shift = float(scipy.stats.t.ppf(1 - ALPHA / 2, free)), abs(effect) / error
    return float(nct.sf(edge, free, shift) + nct.cdf(-edge, free, shift))


def least_effect(error: float, clusters: int) -> float:
    """Return the smallest mean difference found with 80 % power at this standard error."""
    free, t = max(1, clusters - 1), scipy.stats.t
    return float((t.ppf(1 - ALPHA / 2, free) + t.ppf(POWER, free)) * error)


def least_effect_right_wrong(items: int, flips: float) -> float | None:
    """Return the smallest difference in shares found with 80 % power, None if there is none."""
    if power_right_wrong(items, flips, flips) < POWER:
        return None
    low, high = 0.0, flips
    while high - low > 1e-4:  # noqa: PLR2004  # a hundredth of a per cent
        middle = (low + high) / 2
        low, high = (
            (low, middle) if power_right_wrong(items, middle, flips) >= POWER else (middle, high)
        )
    return high


@cache
def _critical(number: int) -> int:
    """Return the largest smaller flip count that mid-p finds significant, -1 if none."""
    low, high = -1, number // 2
    while low < high:
        middle = (low + high + 1) // 2
        if mcnemar_mid_p(middle, number - middle) <= ALPHA:
            low = middle
        else:
            high = middle - 1
    return low


def _check(items: int, effect: float, flips: float) -> None:
    if not 1 <= items <= MOST_ITEMS:
        raise InvalidArgument(f"items: must be 1 to {MOST_ITEMS:,}", field="items")
    if not 0 < flips <= 1:
        raise InvalidArgument("flips: must be a share of the items, such as 0.2", field="flips")
    if not 0 <= abs(effect) <= flips:
        raise InvalidArgument(
            f"effect: cannot be more than the share of items that flip, {flips:g}", field="effect"
        )


NO_SPREAD = (
    "no item differs, or all by the same: the two runs show no spread to plan with;"
    " `eval run FILE --plan` plans without runs"
)
EFFECTS = (0.02, 0.05, 0.1, 0.15, 0.2)


def plan(items: int, *, flips: float = 0.2, effect: float | None = None) -> dict[str, Any]:
    """Return what a run of that many independent right/wrong items would show.

    `power` maps a difference to the probability of finding it; `least_effect` is the smallest found
    with 80 % power, None if even all flips in one direction would not be detected.

    Args:
        items: number of items, one epoch each.
        flips: expected share of items on which the systems differ.
        effect: a difference to report power for instead of the usual ones.

    Raises:
        InvalidArgument: a number is out of range.
    """
    effects = sorted({effect} if effect is not None else {e for e in EFFECTS if e <= flips})
    return {
        "items": items,
        "flips": flips,
        "power": {each: power_right_wrong(items, each, flips) for each in effects},
        "least_effect": least_effect_right_wrong(items, flips),
    }


def plan_from_runs(pilot: Pairs, items: int, *, effect: float | None = None) -> dict[str, Any]:
    """Return the same estimate from two finished runs, with their spread and clusters.

    The standard error shrinks with the square root of the number of items; cluster sizes stay. Runs
    without spread give no estimate of power, which `notes` states.
    """
    found = pilot.differences
    share = items / len(pilot.keys)
    clusters = max(2, round(found.count * share))
    error = found.error / share**0.5
    if not error:
        plan = {"items": items, "clusters": clusters, "error": 0.0, "power": {}}
        return {**plan, "least_effect": None, "notes": [NO_SPREAD]}
    effects = [effect] if effect is not None else sorted({*EFFECTS, round(abs(found.mean), 4)})
    return {
        "items": items,
        "clusters": clusters,
        "error": error,
        "power": {each: power_of_mean(each, error, clusters) for each in effects},
        "least_effect": least_effect(error, clusters),
    }
