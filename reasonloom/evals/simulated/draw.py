"""Keyed random draws and curves for simulated models, independent of the order of calls.

No two answers share a stream, and none depends on the process: equal keys give equal draws in
another order, in parallel, in another process, or when a run is resumed.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from itertools import pairwise
from random import Random

LASTING = "lasting"
"""Replaces the seed in the key of a model's lasting properties."""


def stream(seed: int, item: str, kind: str, state: str = "", sample: int = 0) -> Random:
    """Return the draws of one answer, fresh from their start.

    The key is what is worked on (`item`), the kind of call, what it is about in canonical form
    (`state`), and which of several answers to the same question (`sample`).
    """
    return _keyed(seed, item, kind, state, sample)


def trait(item: str, kind: str, state: str = "") -> Random:
    """Return draws that are the same for all seeds and samples.

    They define what a model always is about an item, such as which steps it prefers. Without such
    preferences samples of one item are independent, and sampling looks better than it is.
    """
    return _keyed(LASTING, item, kind, state)


def chance(seed: int, item: str, kind: str, state: str = "", sample: int = 0) -> float:
    """Return a single number in [0, 1) for a key, without the cost of a stream."""
    return int.from_bytes(_digest(seed, item, kind, state, sample)[:7], "big") * 2.0**-56


def _keyed(*key: int | str) -> Random:
    return Random(int.from_bytes(_digest(*key), "big"))  # noqa: S311  # chance, no secret


def _digest(*key: int | str) -> bytes:
    # JSON keeps the parts of a key separate: ("a", "b|c") differs from ("a|b", "c").
    return blake2b(json.dumps(key).encode(), digest_size=16).digest()


def along(points: Mapping[int, float], x: float) -> float:
    """Return the height at `x` of a piecewise linear curve, extrapolated with its end slopes.

    `points` are two or more, in ascending order.
    """
    for (left, low), (right, high) in pairwise(points.items()):
        last = (left, low, right, high)
        if x <= right:
            break
    left, low, right, high = last
    return low + (high - low) * (x - left) / (right - left)
