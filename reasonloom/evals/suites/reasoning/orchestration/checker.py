"""Checks a sorted list by counting, as a scorer that errs would see it.

The check of the task, `errors`, is a local one, `local check`: it needs the list that was to be
sorted and plain code, and no solution. It is exact all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.evals.simulated.draw import stream
from reasonloom.nodes.thought_graph.operations.tasks.sorting import errors

if TYPE_CHECKING:
    from collections.abc import Sequence


def noisy_errors(
    original: Sequence[int], answer: Sequence[int], *, deviation: float, seed: int, look: str = ""
) -> float:
    """Return the errors as a scorer sees them that is wrong by a normal deviate.

    One answer about one list always gets the same noise at one `look`: asking again does not help.
    """
    chance = stream(seed, repr(list(original)), "scorer noise", f"{[*answer]}{look}")
    return errors(original, answer) + chance.gauss(0.0, deviation)
