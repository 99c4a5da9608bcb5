"""Where intervals lie on an axis: all in per cent of a picture's width, so that it fits any."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

STEPS = 5
"""About as many steps an axis has."""

LEAST = 1e-4
"""A step of an axis at least: a hundredth of a point."""

EDGE = 5.0
"""Per cent of the width that stay free at either side."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from `low` to `high` with its ticks."""

    low: float
    high: float
    ticks: Sequence[float]

    def at(self, value: float) -> str:
        """Return where a value lies, in per cent of the width."""
        share = (value - self.low) / (self.high - self.low)
        return f"{EDGE + share * (100 - 2 * EDGE):.3f}%"


def axis(values: Sequence[float]) -> Axis:
    """Return an axis on which all values lie, with round ticks."""
    low, high = min(values), max(values)
    step = _round_step(max((high - low) / STEPS, LEAST))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [round(place * step, 10) for place in range(first, last + 1)]
    if len(ticks) == 1:
        ticks = [ticks[0] - step, ticks[0], ticks[0] + step]
    return Axis(ticks[0], ticks[-1], ticks)


def _round_step(least: float) -> float:
    """Return the least of 1, 2, 5, 10, ... times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * each for each in (1, 2, 5, 10) if power * each >= least * (1 - 1e-9))
