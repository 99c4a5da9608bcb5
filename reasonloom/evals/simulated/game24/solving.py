"""How the simulated model writes whole solutions: from given steps, step by step, or at once."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from math import exp
from random import Random

from reasonloom.evals.simulated.draw import stream, trait
from reasonloom.evals.simulated.game24.check import fault
from reasonloom.evals.simulated.game24.constants import Constants
from reasonloom.evals.simulated.game24.expressions import botched, composed
from reasonloom.evals.simulated.game24.request import Question
from reasonloom.evals.simulated.game24.states import (
    TARGET,
    State,
    Step,
    following,
    natural,
    parted,
    reachable,
    told,
)

_PAIR = 2
"""Numbers left at which nobody has a taste any more."""


def final(constants: Constants, seed: int, question: Question, sample: int) -> str:
    """Return the expression for the steps of a question; that of wrong steps is wrong as well."""
    path = "\n".join(map(str, question.steps))
    draws = stream(seed, told(question.puzzle), "answer", path, sample)
    return _expression(constants.written, question.puzzle, question.steps, draws)


def chain(
    constants: Constants, seed: int, question: Question, sample: int
) -> dict[str, str | list[str]]:
    """Return a solution step by step, `steps` and the `answer` that is written of them."""
    draws = stream(seed, told(question.puzzle), "chain", "", sample)
    numbers, steps = question.puzzle, list[Step]()
    while len(numbers) > 1:
        children, odds = liking(constants, question.puzzle, numbers)
        child = draws.choices(children, cum_weights=odds)[0]
        steps.append(following(numbers)[child])
        numbers = child
    answer = _expression(constants.chain_written, question.puzzle, tuple(steps), draws)
    return {"steps": list(map(str, steps)), "answer": answer}


def direct(constants: Constants, seed: int, question: Question, sample: int) -> str:
    """Return an expression at once; how often it is right is the puzzle's own, for each seed."""
    puzzle = question.puzzle
    skill = stream(seed, told(puzzle), "skill").betavariate(*constants.direct)
    draws = stream(seed, told(puzzle), "direct", "", sample)
    right = draws.random() < skill and reachable(puzzle)
    steps, numbers = list[Step](), puzzle
    while len(numbers) > 1:
        kept, lost = parted(numbers)
        child = draws.choice(kept if right else [*kept, *lost])
        steps.append(following(numbers)[child])
        numbers = child
    return _expression(float(right), puzzle, tuple(steps), draws)


def liking(
    constants: Constants, puzzle: State, numbers: State
) -> tuple[tuple[State, ...], tuple[float, ...]]:
    """Return the next states of a chain and their odds, added up; the same for all samples."""
    if len(numbers) == _PAIR:  # many, and quickly made: not worth keeping
        return _liking(constants, puzzle, numbers)
    return _kept_liking(constants, puzzle, numbers)


def tastes(constants: Constants, puzzle: State, numbers: State) -> list[tuple[State, float]]:
    """Return the next states and how a chain likes them, whether or not they keep 24 reachable."""
    taste = trait(told(puzzle), "taste", told(numbers)) if len(numbers) > _PAIR else None
    return [
        (
            child,
            (constants.chain_natural if natural(child) else 1.0)
            * (exp(constants.chain_taste * taste.gauss(0, 1)) if taste else 1.0),
        )
        for child in sorted(following(numbers))
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
    """Return what the steps spell out, with the chance `well` that they are written as they are.

    With `well` 0 it is wrong for sure, whatever the steps come to.
    """
    written = composed(puzzle, steps)
    if draws.random() < well:
        return f"{written} = {TARGET}"
    whole = [each for each in puzzle if isinstance(each, int)]
    if fault(written, whole) is not None:
        return f"{written} = {TARGET}"
    return f"{botched(written, puzzle, draws)} = {TARGET}"
