"""What a comparison would show before it is paid for."""

from __future__ import annotations

from typing import Any

from reasonloom.evals.comparison.pairs import Pairs
from reasonloom.evals.comparison.power import (
    least_effect,
    least_effect_right_wrong,
    power_of_mean,
    power_right_wrong,
)

NO_SPREAD = (
    "no item differs, or all by the same: the two runs tell no spread to plan with;"
    " `eval run FILE --plan` plans without runs"
)
EFFECTS = (0.02, 0.05, 0.1, 0.15, 0.2)


def plan(items: int, *, flips: float = 0.2, effect: float | None = None) -> dict[str, Any]:
    """Return what a run of so many items that stand alone would show, of right and wrong.

    `power` tells for a difference how likely it is found; `least_effect` is the least found 8 times
    out of 10, None where even one that all flips make would not be.

    Args:
        items: how many are asked, once each.
        flips: the share of items on which the systems are expected to differ.
        effect: a difference to tell the power of, beside the usual ones.

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


def plan_from(pilot: Pairs, items: int, *, effect: float | None = None) -> dict[str, Any]:
    """Return the same from two runs that were made: with the spread and the clusters they show.

    Of larger runs the error shrinks with the root of the number of items; clusters stay as large.
    Two runs that show no spread tell nothing of power, which is said in `notes`.
    """
    found = pilot.differences
    share = items / len(pilot.keys)
    clusters = max(2, round(found.count * share))
    error = found.error / share**0.5
    if not error:
        told = {"items": items, "clusters": clusters, "error": 0.0, "power": {}}
        return {**told, "least_effect": None, "notes": [NO_SPREAD]}
    effects = [effect] if effect is not None else sorted({*EFFECTS, round(abs(found.mean), 4)})
    return {
        "items": items,
        "clusters": clusters,
        "error": error,
        "power": {each: power_of_mean(each, error, clusters) for each in effects},
        "least_effect": least_effect(error, clusters),
    }
