"""The Game of 24 by brute force, written apart from the code under test."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from operator import add, mul, sub, truediv

Written = tuple[Fraction, str]
SIGNS = {"+": add, "-": sub, "*": mul, "/": truediv}


def expressions(parts: list[Written]) -> Iterator[Written]:
    """Yield every expression of all the parts with its value; some more than once."""
    if len(parts) == 1:
        yield parts[0]
        return
    for i in range(len(parts)):
        for j in range(len(parts)):
            if i == j:
                continue
            rest = [part for k, part in enumerate(parts) if k not in (i, j)]
            (a, left), (b, right) = parts[i], parts[j]
            for sign, operation in SIGNS.items():
                if sign == "/" and b == 0:
                    continue
                joined = (operation(a, b), f"({left} {sign} {right})")
                yield from expressions([*rest, joined])


def every(numbers: tuple[int, ...]) -> Iterator[Written]:
    yield from expressions([(Fraction(number), str(number)) for number in numbers])


def makes_24(numbers: tuple[int, ...]) -> bool:
    return any(value == 24 for value, _ in every(numbers))


def true_step(step: str) -> bool:
    """Return whether a written step is right."""
    left, sign, right, _, result = step.split()
    made = SIGNS[sign](Fraction(left), Fraction(right))
    return bool(made == Fraction(result))
