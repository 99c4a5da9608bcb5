"""The numbers that are left in a Game of 24, exactly, and where one step can lead from them."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

TARGET = 24
MOST_DIGITS = 12

Number = int | Fraction
"""Exact; a whole number is always an int, which is ten times as fast as a Fraction."""

State = tuple[Number, ...]
"""The numbers left, in ascending order, so that a state has one way of writing only."""

_NUMBER = re.compile(rf"-?[0-9]{{1,{MOST_DIGITS}}}(?:/[0-9]{{1,{MOST_DIGITS}}}|\.[0-9]{{1,6}})?\Z")
_KEPT = 1 << 16
_PAIR = 2


class Step(NamedTuple):
    """One step as it was written, right or wrong: `left` and `right` are said to make `result`."""

    left: Number
    sign: str
    right: Number
    result: Number

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right} = {self.result}"


@lru_cache(_KEPT)
def number(text: str) -> Number:
    """Return the number that `text` is, such as `8`, `-2`, `1/3` or `0.5`.

    Raises:
        ValueError: it is none.
    """
    if not _NUMBER.match(text):
        raise ValueError(f"{text[:20]!r} is no number")
    try:
        return _plain(Fraction(text))
    except ZeroDivisionError:
        raise ValueError(f"{text[:20]!r} is no number") from None


def state(numbers: tuple[Number, ...] | list[Number]) -> State:
    """Return numbers in the order that states have."""
    return tuple(sorted(numbers))


def told(numbers: State) -> str:
    """Return numbers as they stand in a question, such as `1/3 4 8`."""
    return " ".join(map(str, numbers))


@lru_cache(_KEPT)
def following(numbers: State) -> dict[State, Step]:
    """Return every state one step away with the first step that leads there; do not change it."""
    found: dict[State, Step] = {}
    for i, a in enumerate(numbers):
        for j, b in enumerate(numbers):
            if i == j:
                continue
            rest = [each for k, each in enumerate(numbers) if k not in (i, j)]
            for step in _steps(a, b, both=i < j):
                found.setdefault(state([*rest, step.result]), step)
    return found


@lru_cache(_KEPT << 4)
def reachable(numbers: State) -> bool:
    """Return whether 24 can still be made of all the numbers."""
    if len(numbers) == 1:
        return numbers[0] == TARGET
    if len(numbers) == _PAIR:
        return _makes(*numbers)
    return any(map(reachable, following(numbers)))


@lru_cache(_KEPT)
def parted(numbers: State) -> tuple[tuple[State, ...], tuple[State, ...]]:
    """Return the following states that keep 24 reachable, and those that lose it."""
    kept = tuple(each for each in following(numbers) if reachable(each))
    lost = tuple(each for each in following(numbers) if not reachable(each))
    return kept, lost


def natural(numbers: State) -> bool:
    """Return whether people would call these numbers plain: whole, and none below 0."""
    return all(isinstance(each, int) and each >= 0 for each in numbers)


def _makes(a: Number, b: Number) -> bool:
    """Return whether two numbers make 24; by far the most frequent question, so asked in short."""
    return TARGET in {a + b, a * b, a - b, b - a} or a == TARGET * b != 0 or b == TARGET * a != 0


def _steps(a: Number, b: Number, *, both: bool) -> list[Step]:
    """Return the steps from a and b in this order; `both` adds those where order is nothing."""
    steps = [Step(a, "-", b, _plain(a - b))]
    if both:
        steps += [Step(a, "+", b, _plain(a + b)), Step(a, "*", b, _plain(a * b))]
    if b:
        steps.append(Step(a, "/", b, _plain(Fraction(a) / b)))
    return steps


def _plain(value: Number) -> Number:
    return value.numerator if value.denominator == 1 else value
