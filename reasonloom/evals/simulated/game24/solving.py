"""Whole solutions by the simulated model: from given steps, step by step, or directly."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import exp
from random import Random

from reasonloom.evals.simulated.draw import stream, trait
from reasonloom.evals.simulated.game24.check import (
    TARGET,
    Number,
    State,
    Step,
    fault,
    is_natural,
    next_states,
    reachable,
    split_by_reachability,
    state_text,
)
from reasonloom.evals.simulated.game24.constants import Constants
from reasonloom.evals.simulated.game24.request import Question

_OPERATION = re.compile(r" ([-+*/]) ")
_WHOLE = re.compile(r"[0-9]+")


def composed(numbers: State, steps: Sequence[Step]) -> str:
    """Combine the steps from these numbers into one expression, whatever its value.

    Unavailable operands are written as plain numbers.
    """
    there: list[tuple[Number, str]] = [(each, str(each)) for each in numbers]
    written = " ".join(map(str, numbers))
    for step in steps:
        left, right = _taken(there, step.left), _taken(there, step.right)
        written = f"{left} {step.sign} {right}"
        there.append((step.result, f"({written})"))
    return written


def botched(expression: str, numbers: State, draws: Random) -> str:
    """Return the expression with a mistake that is guaranteed to make it wrong.

    The kinds of mistake were not measured; the check rejects all alike.
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
    places = list(_OPERATION.finditer(expression))
    if not places:
        return expression
    found = draws.choice(places)
    sign = draws.choice([sign for sign in "+-*/" if sign != found[1]])
    return f"{expression[: found.start()]} {sign} {expression[found.end() :]}"


def _another_number(expression: str, draws: Random) -> str:
    found = draws.choice(list(_WHOLE.finditer(expression)))
    return f"{expression[: found.start()]}{int(found[0]) + 1}{expression[found.end() :]}"


_PAIR = 2
"""Numbers left at which the fixed preferences no longer apply."""


def final(constants: Constants, seed: int, question: Question, sample: int) -> str:
    """Return the expression for a question's steps; wrong steps give a wrong expression."""
    path = "\n".join(map(str, question.steps))
    draws = stream(seed, state_text(question.puzzle), "answer", path, sample)
    return _expression(constants.written, question.puzzle, question.steps, draws)


def chain(
    constants: Constants, seed: int, question: Question, sample: int
) -> dict[str, str | list[str]]:
    """Return a solution: its `steps`, and the `answer` composed from them."""
    draws = stream(seed, state_text(question.puzzle), "chain", "", sample)
    numbers, steps = question.puzzle, list[Step]()
    while len(numbers) > 1:
        children, odds = liking(constants, question.puzzle, numbers)
        child = draws.choices(children, cum_weights=odds)[0]
        steps.append(next_states(numbers)[child])
        numbers = child
    answer = _expression(constants.chain_written, question.puzzle, tuple(steps), draws)
    return {"steps": list(map(str, steps)), "answer": answer}


def direct(constants: Constants, seed: int, question: Question, sample: int) -> str:
    """Return an expression without steps, right with a probability fixed per puzzle and seed."""
    puzzle = question.puzzle
    skill = stream(seed, state_text(puzzle), "skill").betavariate(*constants.direct)
    draws = stream(seed, state_text(puzzle), "direct", "", sample)
    right = draws.random() < skill and reachable(puzzle)
    steps, numbers = list[Step](), puzzle
    while len(numbers) > 1:
        kept, lost = split_by_reachability(numbers)
        child = draws.choice(kept if right else [*kept, *lost])
        steps.append(next_states(numbers)[child])
        numbers = child
    return _expression(float(right), puzzle, tuple(steps), draws)


def liking(
    constants: Constants, puzzle: State, numbers: State
) -> tuple[tuple[State, ...], tuple[float, ...]]:
    """Return a chain's next states and their cumulative odds, equal for all samples."""
    if len(numbers) == _PAIR:  # many and cheap, so not worth caching
        return _liking(constants, puzzle, numbers)
    return _kept_liking(constants, puzzle, numbers)


def tastes(constants: Constants, puzzle: State, numbers: State) -> list[tuple[State, float]]:
    """Return the next states with a chain's preferences, ignoring whether 24 is reachable."""
    taste = (
        trait(state_text(puzzle), "taste", state_text(numbers)) if len(numbers) > _PAIR else None
    )
    return [
        (
            child,
            (constants.chain_natural if is_natural(child) else 1.0)
            * (exp(constants.chain_taste * taste.gauss(0, 1)) if taste else 1.0),
        )
        for child in sorted(next_states(numbers))
    ]


def _liking(
    constants: Constants, puzzle: State, numbers: State
) -> tuple[tuple[State, ...], tuple[float, ...]]:
    odds = constants.chain_odds[len(numbers)]
    children, weights = zip(*tastes(constants, puzzle, numbers), strict=True)
    lifted = (
        weight * odds if reachable(child) else weight
        for child, weight in zip(children, weights, strict=True)
    )
    return children, tuple(accumulate(lifted))


_kept_liking = lru_cache(1 << 16)(_liking)


def _expression(well: float, puzzle: State, steps: tuple[Step, ...], draws: Random) -> str:
    """Return the expression for the steps, written correctly with probability `well`.

    With `well` 0 it is always wrong, whatever the steps make.
    """
    written = composed(puzzle, steps)
    if draws.random() < well:
        return f"{written} = {TARGET}"
    whole = [each for each in puzzle if isinstance(each, int)]
    if fault(written, whole) is not None:
        return f"{written} = {TARGET}"
    return f"{botched(written, puzzle, draws)} = {TARGET}"
