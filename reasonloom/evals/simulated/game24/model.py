"""The simulated language model for the Game of 24: its provider, proposals and judgements."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from typing import Any

from reasonloom.evals.simulated.conversation import GPT_4, SimulatedModel
from reasonloom.evals.simulated.draw import stream, trait
from reasonloom.evals.simulated.game24.check import (
    State,
    Step,
    is_natural,
    make_state,
    next_states,
    reachable,
    split_by_reachability,
    state_text,
)
from reasonloom.evals.simulated.game24.constants import (
    PUBLISHED,
    Constants,
    Judgement,
    Sight,
    Table,
)
from reasonloom.evals.simulated.game24.request import Question, read_question
from reasonloom.evals.simulated.game24.solving import chain, direct, final
from reasonloom.llm.interfaces import Ask, Usage

TOGETHER = 3
"""Judgements are drawn in groups of this size, as measured, not one by one."""

_KEPT = 1 << 16

_OBSCURE = 3
"""Numbers left at which 24 can be reachable but hard to see."""


def proposals(
    constants: Constants, seed: int, question: Question, sample: int
) -> list[dict[str, str]]:
    """Return proposed next steps in random order, some of them wrong.

    Draws are keyed by the whole path, so two paths to the same numbers get different proposals.
    """
    numbers = question.numbers
    path = "\n".join((state_text(numbers), *map(str, question.steps)))
    draws = stream(seed, state_text(question.puzzle), "propose", path, sample)
    found = [
        _written(numbers, child, draws.random() < constants.slip[len(numbers)])
        for child, chance in _odds(constants, numbers)
        if draws.random() < chance
    ]
    draws.shuffle(found)
    return found


def judgements(constants: Constants, seed: int, question: Question, sample: int) -> list[Judgement]:
    """Return the judgements from number `sample` on, independent of the path to the numbers.

    They are drawn in threes, of which one may be missing, as in the logs.
    """
    numbers = question.numbers
    table = constants.judged[len(numbers), sight(constants, numbers)]
    wanted = range(sample, sample + question.attempts)
    given: list[Judgement] = []
    for three in range(wanted.start // TOGETHER, (wanted.stop - 1) // TOGETHER + 1):
        drawn = _three(table, stream(seed, state_text(numbers), "value", "", three))
        first = three * TOGETHER
        given += [
            each for place, each in enumerate(drawn) if each is not None and first + place in wanted
        ]
    return given


@lru_cache(_KEPT)
def sight(constants: Constants, numbers: State) -> Sight:
    """Return a judge's view of a state."""
    if not reachable(numbers):
        return "lost"
    if len(numbers) < _OBSCURE:
        return "open"
    return "easy" if easy(constants, numbers) else "hard"


@lru_cache(_KEPT)
def easy(constants: Constants, numbers: State) -> bool:
    """Return whether the model can see how to make 24, a fixed trait of the state."""
    return trait(state_text(numbers), "easy").random() < constants.easy


@lru_cache(_KEPT)
def _odds(constants: Constants, numbers: State) -> tuple[tuple[State, float], ...]:
    """Return the next states, each with its probability of being proposed."""
    left, (kept, lost) = len(numbers), split_by_reachability(numbers)
    proposed, odds = constants.proposed, dict[State, float]()
    for child in kept:
        plain = is_natural(child)
        if left != _OBSCURE or not plain:
            odds[child] = proposed[left, plain, True]
        elif len(kept) == 1:
            odds[child] = constants.only_way[easy(constants, numbers)]
        else:
            odds[child] = constants.one_of_several
    return (*odds.items(), *((child, proposed[left, is_natural(child), False]) for child in lost))


def _written(numbers: State, child: State, slipped: bool) -> dict[str, str]:
    """Return a step as written; a slip makes its result, and the state, wrong by one."""
    step = next_states(numbers)[child]
    if slipped:
        rest = list(child)
        rest.remove(step.result)
        step = Step(step.left, step.sign, step.right, step.result + 1)
        child = make_state([*rest, step.result])
    return {"step": str(step), "left": state_text(child)}


def _three(table: Table, draws: Random) -> list[Judgement | None]:
    """Return three judgements in random order, None for a missing one."""
    drawn = draws.choices([each for each, _ in table], [odds for _, odds in table])[0]
    given: list[Judgement | None] = [*drawn, *[None] * (TOGETHER - len(drawn))]
    draws.shuffle(given)
    return given


class Game24Model(SimulatedModel):
    """Answers the five prompts in `prompts/templates/game24/`, scripted and noisy.

    It does not know which mode is calling, and `pipe`, `material`, `thread`, `temperature` and
    `Ask.seed` have no effect. Equal questions with equal `sample` always get equal answers; another
    `seed` gives another repetition. Tokens and prices are those of the published runs, see
    `constants.py`.
    """

    name = "simulated:game24"
    price = GPT_4

    def __init__(self, seed: int = 0, constants: Constants = PUBLISHED) -> None:
        self.seed, self.constants = seed, constants

    def respond(self, question: tuple[str, str], ask: Ask) -> tuple[dict[str, Any], Usage]:
        """Answer a question according to its kind."""
        asking = read_question(question[1], ask.schema)
        name, answering = _ANSWERING[asking.kind]
        found = answering(self.constants, self.seed, asking, ask.sample)
        pieces = {"propose": max(1, len(found)), "answer": 1}.get(asking.kind, asking.attempts)
        input_tokens, each = self.constants.tokens[asking.kind]
        return {name: found}, GPT_4.usage(input_tokens, each * pieces)


Answering = Callable[[Constants, int, Question, int], Any]


def _samples(one: Answering) -> Answering:
    """Wrap an answering function to return one answer per requested attempt."""

    def answered(constants: Constants, seed: int, question: Question, sample: int) -> list[Any]:
        wanted = range(sample, sample + question.attempts)
        return [one(constants, seed, question, number) for number in wanted]

    return answered


_ANSWERING: Mapping[str, tuple[str, Answering]] = {
    "propose": ("proposals", proposals),
    "value": ("judgements", judgements),
    "answer": ("answer", final),
    "chain": ("solutions", _samples(chain)),
    "direct": ("answers", _samples(direct)),
}
"""The answer's field and the function that fills it, by kind of question."""
