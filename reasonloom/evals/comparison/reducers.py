"""Makes the scores of one item's epochs one: mean, mode, pass@k and pass^k."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean

from reasonloom.errors import InvalidArgument

Reducer = Callable[[Sequence[float]], float]
FORM = re.compile(r"(pass[@^])([1-9][0-9]{0,3})")


def mode(scores: Sequence[float]) -> float:
    """Return the score that comes most often; the mean of those that come equally often."""
    counted = Counter(scores)
    most = max(counted.values())
    return fmean(score for score, times in counted.items() if times == most)


def pass_at(k: int, scores: Sequence[float]) -> float:
    """Return how likely one of `k` epochs is right, without bias (Chen et al. 2021, 2.1).

    1 - C(n - c, k) / C(n, k) for c right ones of n; right is a score of 1.

    Raises:
        InvalidArgument: there are fewer than `k` epochs.
    """
    n, right = len(scores), _right(scores, k)
    return 1 - math.comb(n - right, k) / math.comb(n, k)


def pass_all(k: int, scores: Sequence[float]) -> float:
    """Return how likely all of `k` epochs are right, without bias: C(c, k) / C(n, k).

    As tau-bench (Yao et al. 2024) has it, pass^k.

    Raises:
        InvalidArgument: there are fewer than `k` epochs.
    """
    return math.comb(_right(scores, k), k) / math.comb(len(scores), k)


def require(name: str, epochs: int) -> None:
    """Refuse a reducer before anything is asked.

    Raises:
        InvalidArgument: there is none such, or it needs more epochs.
    """
    reducer(name)([0.0] * epochs)


def reducer(name: str) -> Reducer:
    """Return the reducer of a name: `mean`, `mode`, `pass@3`, `pass^3`.

    Raises:
        InvalidArgument: there is none such.
    """
    if name == "mean":
        return fmean
    if name == "mode":
        return mode
    match = FORM.fullmatch(name)
    if not match:
        raise InvalidArgument("reducer: must be mean, mode, pass@K or pass^K", field="reducer")
    k, of = int(match[2]), pass_at if match[1] == "pass@" else pass_all
    return lambda scores: of(k, scores)


def _right(scores: Sequence[float], k: int) -> int:
    if len(scores) < k:
        raise InvalidArgument(
            f"reducer: of {len(scores)} epochs no {k} can be drawn; run more", field="reducer"
        )
    return sum(score >= 1 for score in scores)
