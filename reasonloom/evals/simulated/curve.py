"""A curve through measured points: straight between them, and on as it ends."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def along(points: Mapping[int, float], x: float) -> float:
    """Return the curve's height at `x`; below and above the points it keeps their last slope.

    `points` are two or more, by their place in ascending order.
    """
    for (left, low), (right, high) in pairwise(points.items()):
        last = (left, low, right, high)
        if x <= right:
            break
    left, low, right, high = last
    return low + (high - low) * (x - left) / (right - left)
