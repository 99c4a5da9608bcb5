"""Checks a sorted list by counting.

The check is a local one, `local check`: it needs the list that was to be sorted and plain code, and
no solution. It is exact all the same: 0 errors means sorted, and nothing else does.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from reasonloom.evals.simulated.draw import stream

if TYPE_CHECKING:
    from collections.abc import Sequence


def errors(original: Sequence[int], answer: Sequence[int]) -> int:
    """Return how much `answer` is wrong as the sorted `original`, as the published score does.

    That is the digits too many or too few, and the places where a greater number stands before
    a smaller one.
    """
    wanted, got = Counter(original), Counter(answer)
    miscounted = sum(abs(wanted[each] - got[each]) for each in wanted.keys() | got.keys())
    return miscounted + sum(left > right for left, right in pairwise(answer))


def noisy_errors(
    original: Sequence[int], answer: Sequence[int], *, deviation: float, seed: int
) -> float:
    """Return the errors as a scorer sees them that is wrong by a normal deviate.

    One answer about one list always gets the same noise: asking again does not help.
    """
    chance = stream(seed, repr(list(original)), "scorer noise", repr(list(answer)))
    return errors(original, answer) + chance.gauss(0.0, deviation)
