"""Keyed random draws for simulated models, independent of call order, and interpolation.

Every answer has its own stream. Equal keys give equal draws in any order, in parallel, in another
process, and when a run is resumed.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from itertools import pairwise
from random import Random

LASTING = "lasting"
"""Replaces the seed in the keys of a model's fixed traits."""


def stream(seed: int, item: str, kind: str, state: str = "", sample: int = 0) -> Random:
    """Return the random stream of one answer, rewound to its start.

    The key consists of the item, the kind of call, its subject in canonical form (`state`), and the
    number of the answer among several to the same question (`sample`).
    """
    return _keyed(seed, item, kind, state, sample)


def trait(item: str, kind: str, state: str = "") -> Random:
    """Return a random stream that is the same for all seeds and samples.

    It defines a model's fixed traits for an item, such as the steps it prefers. Without them the
    samples of an item would be independent, and sampling would look better than it is.
    """
    return _keyed(LASTING, item, kind, state)


def chance(seed: int, item: str, kind: str, state: str = "", sample: int = 0) -> float:
    """Return one number in [0, 1) for a key, cheaper than a stream."""
    return int.from_bytes(_digest(seed, item, kind, state, sample)[:7], "big") * 2.0**-56


def _keyed(*key: int | str) -> Random:
    return Random(int.from_bytes(_digest(*key), "big"))  # noqa: S311  # chance, no secret


def _digest(*key: int | str) -> bytes:
    # JSON keeps the parts of a key distinct: ("a", "b|c") differs from ("a|b", "c").
    return blake2b(json.dumps(key).encode(), digest_size=16).digest()


def along(points: Mapping[int, float], x: float) -> float:
    """Interpolate a piecewise linear curve at `x`, extrapolating with its end slopes.

    `points` maps x to y in ascending order, with at least two entries.
    """
    for (left, low), (right, high) in pairwise(points.items()):
        last = (left, low, right, high)
        if x <= right:
            break
    left, low, right, high = last
    return low + (high - low) * (x - left) / (right - left)
