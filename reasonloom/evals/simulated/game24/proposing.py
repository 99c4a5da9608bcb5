"""How the simulated model proposes next steps, and judges what is left after them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random

from reasonloom.evals.simulated.draw import stream, trait
from reasonloom.evals.simulated.game24.constants import Constants, Judgement, Sight, Table
from reasonloom.evals.simulated.game24.request import Question
from reasonloom.evals.simulated.game24.states import (
    State,
    Step,
    following,
    natural,
    parted,
    reachable,
    state,
    told,
)

TOGETHER = 3
"""Judgements that were measured together: the odds are of threes, not of single ones."""

_KEPT = 1 << 16

_OBSCURE = 3
"""Numbers left at which 24 can be in reach and yet hard to see."""


def proposals(
    constants: Constants, seed: int, question: Question, sample: int
) -> list[dict[str, str]]:
    """Return the next steps that come to mind, in no order of merit, some of them wrong.

    The draws go by all that is written: two ways to the same numbers bring different steps.
    """
    numbers = question.numbers
    path = "\n".join((told(numbers), *map(str, question.steps)))
    draws = stream(seed, told(question.puzzle), "propose", path, sample)
    found = [
        _written(numbers, child, draws.random() < constants.slip[len(numbers)])
        for child, chance in _odds(constants, numbers)
        if draws.random() < chance
    ]
    draws.shuffle(found)
    return found


def judgements(constants: Constants, seed: int, question: Question, sample: int) -> list[Judgement]:
    """Return judgements number `sample` and on; how the numbers came about has no say.

    They are drawn in threes. One of three may be missing, as in the logs.
    """
    numbers = question.numbers
    table = constants.judged[len(numbers), sight(constants, numbers)]
    wanted = range(sample, sample + question.attempts)
    given: list[Judgement] = []
    for three in range(wanted.start // TOGETHER, (wanted.stop - 1) // TOGETHER + 1):
        drawn = _three(table, stream(seed, told(numbers), "value", "", three))
        first = three * TOGETHER
        given += [
            each for place, each in enumerate(drawn) if each is not None and first + place in wanted
        ]
    return given


@lru_cache(_KEPT)
def sight(constants: Constants, numbers: State) -> Sight:
    """Return what a judge has before it."""
    if not reachable(numbers):
        return "lost"
    if len(numbers) < _OBSCURE:
        return "open"
    return "easy" if easy(constants, numbers) else "hard"


@lru_cache(_KEPT)
def easy(constants: Constants, numbers: State) -> bool:
    """Return whether the model sees, lastingly, how 24 is made of these numbers."""
    return trait(told(numbers), "easy").random() < constants.easy


@lru_cache(_KEPT)
def _odds(constants: Constants, numbers: State) -> tuple[tuple[State, float], ...]:
    """Return the next states, each with the chance that it is proposed."""
    return tuple(_each_odds(constants, numbers))


def _each_odds(constants: Constants, numbers: State) -> Iterator[tuple[State, float]]:
    left, (kept, lost) = len(numbers), parted(numbers)
    for child in kept:
        plain = natural(child)
        if left != _OBSCURE or not plain:
            yield child, constants.proposed[left, plain, True]
        elif len(kept) == 1:
            yield child, constants.only_way[easy(constants, numbers)]
        else:
            yield child, constants.one_of_several
    for child in lost:
        yield child, constants.proposed[left, natural(child), False]


def _written(numbers: State, child: State, slipped: bool) -> dict[str, str]:
    """Return a step as it is written; one that slipped is out by one, and goes on from there."""
    step = following(numbers)[child]
    if slipped:
        rest = list(child)
        rest.remove(step.result)
        step = Step(step.left, step.sign, step.right, step.result + 1)
        child = state([*rest, step.result])
    return {"step": str(step), "left": told(child)}


def _three(table: Table, draws: Random) -> list[Judgement | None]:
    """Return three judgements in random order, None where one is missing."""
    drawn = draws.choices([each for each, _ in table], [odds for _, odds in table])[0]
    given: list[Judgement | None] = [*drawn, *[None] * (TOGETHER - len(drawn))]
    draws.shuffle(given)
    return given
