"""What goes wrong when the simulated sorter sorts: digits written too often or too rarely."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from reasonloom.evals.simulated import sorting_constants as known

DIGITS = 10
MOST_A_NUMBER = 10
"""Slips an answer may have for each of its numbers, whatever was drawn."""


def sort_mean(length: int) -> float:
    """Return the mean slips of one answer that sorts `length` digits."""
    return length / (1 + math.pow(known.SORT_HALF / length, known.SORT_STEEPNESS)) if length else 0


def merge_mean(length: int) -> float:
    """Return the mean slips of one merge into `length` digits."""
    return known.MERGE_AT_64 * math.pow(length / 64, known.MERGE_POWER)


def counts(numbers: Sequence[int]) -> list[int]:
    """Return how often each digit is in the list."""
    return [numbers.count(digit) for digit in range(DIGITS)]


def spread(tally: Sequence[int]) -> list[int]:
    """Return the sorted list that has each digit as often as told."""
    return [digit for digit, times in enumerate(tally) for _ in range(times)]


def slip(chance: Random, tally: Sequence[int], mean: float, shape: float) -> list[int]:
    """Return the counts of an answer that should have those of `tally`.

    The number of slips is gamma distributed with that mean; an answer has a digit either too
    often or too rarely, never below 0, so that each slip is an error more.
    """
    told = list(tally)
    drawn = chance.gammavariate(shape, mean / shape) if mean > 0 else 0.0
    whole = int(drawn) + (chance.random() < drawn - int(drawn))
    ways = [1 if chance.random() < known.TOO_OFTEN else -1 for _ in range(DIGITS)]
    for _ in range(min(whole, MOST_A_NUMBER * sum(tally))):
        digit = chance.randrange(DIGITS)
        told[digit] += ways[digit] if told[digit] + ways[digit] >= 0 else 1
    return told


def mend(chance: Random, tally: Sequence[int], flawed: Sequence[int]) -> list[int]:
    """Return the counts of `flawed` after some of its errors against `tally` were mended."""
    mended = []
    for right, wrong in zip(tally, flawed, strict=True):
        left = sum(chance.random() >= known.MENDED for _ in range(abs(wrong - right)))
        mended.append(right + (left if wrong > right else -left))
    return mended
