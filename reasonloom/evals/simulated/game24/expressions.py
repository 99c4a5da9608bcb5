"""Writes expressions as the simulated model does: out of steps, well or badly."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from reasonloom.evals.simulated.game24.check import fault
from reasonloom.evals.simulated.game24.states import Number, State, Step

_OPERATION = re.compile(r" ([-+*/]) ")
_WHOLE = re.compile(r"[0-9]+")


def composed(numbers: State, steps: Sequence[Step]) -> str:
    """Return the expression that steps from these numbers spell out, whatever it makes.

    What a step takes that is not there is written as the number it says.
    """
    there: list[tuple[Number, str]] = [(each, str(each)) for each in numbers]
    written = " ".join(map(str, numbers))
    for step in steps:
        left, right = _taken(there, step.left), _taken(there, step.right)
        written = f"{left} {step.sign} {right}"
        there.append((step.result, f"({written})"))
    return written


def botched(expression: str, numbers: State, draws: Random) -> str:
    """Return the expression with a mistake that makes it wrong for sure.

    Which mistake it is was not measured; a check refuses all of them alike.
    """
    mistakes = [_without_brackets, _another_sign, _another_number]
    draws.shuffle(mistakes)
    whole = [each for each in numbers if isinstance(each, int)]
    tried = (mistake(expression, draws) for mistake in mistakes)
    wrong = (each for each in tried if fault(each, whole) is not None)
    return next(wrong, expression + " +")


def _taken(there: list[tuple[Number, str]], wanted: Number) -> str:
    for place, (value, written) in enumerate(there):
        if value == wanted:
            del there[place]
            return written
    return f"({wanted})" if wanted < 0 else str(wanted)


def _without_brackets(expression: str, _: Random) -> str:
    return expression.replace("(", "").replace(")", "")


def _another_sign(expression: str, draws: Random) -> str:
    def other(found: re.Match[str]) -> str:
        return f" {draws.choice([sign for sign in '+-*/' if sign != found[1]])} "

    return _at_one_place(_OPERATION, expression, draws, other)


def _another_number(expression: str, draws: Random) -> str:
    return _at_one_place(_WHOLE, expression, draws, lambda found: str(int(found[0]) + 1))


def _at_one_place(
    pattern: re.Pattern[str],
    expression: str,
    draws: Random,
    other: Callable[[re.Match[str]], str],
) -> str:
    places = list(pattern.finditer(expression))
    if not places:
        return expression
    found = draws.choice(places)
    return expression[: found.start()] + other(found) + expression[found.end() :]
