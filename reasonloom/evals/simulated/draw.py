"""Chance for the simulated language models: keyed, so that the order of calls decides nothing.

No stream is shared between two answers, and none depends on the process: the same key gives the
same draws in another order, in parallel, in another process, or when a run is resumed.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


LASTING = "lasting"
"""Stands in a key where an answer's seed would: what a model is, not what it happens to say."""


def stream(seed: int, item: str, kind: str, state: str = "", sample: int = 0) -> Random:
    """Return the draws of one answer, fresh from their start.

    Args:
        seed: of the whole run.
        item: what is worked on, such as a puzzle or a list.
        kind: the kind of call, such as `propose`.
        state: what the call is about, in one way of writing it only.
        sample: which of several answers to the same question.
    """
    return _keyed(seed, item, kind, state, sample)


def trait(item: str, kind: str, state: str = "") -> Random:
    """Return draws that are the same for all seeds and samples.

    They make what a model lastingly is about an item, such as which steps it likes. Without
    such preferences samples of one item are independent, and sampling looks better than it is.
    """
    return _keyed(LASTING, item, kind, state)


def chance(seed: int, item: str, kind: str, state: str = "", sample: int = 0) -> float:
    """Return the one number in [0, 1) of a key that needs no more, and so no stream."""
    return int.from_bytes(_digest(seed, item, kind, state, sample)[:7], "big") * 2.0**-56


def _keyed(*key: int | str) -> Random:
    return Random(int.from_bytes(_digest(*key), "big"))  # noqa: S311  # chance, no secret


def _digest(*key: int | str) -> bytes:
    # JSON keeps the parts of a key apart: ("a", "b|c") is not ("a|b", "c").
    return blake2b(json.dumps(key).encode(), digest_size=16).digest()


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
