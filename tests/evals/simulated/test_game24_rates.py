"""What the simulated Game of 24 does, counted, against its constants: exact binomial bounds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from reasonloom.evals.simulated.game24.check import fault, solves
from reasonloom.evals.simulated.game24.constants import PUBLISHED, WORTH, Sight, blind
from reasonloom.evals.simulated.game24.model import Game24Model
from reasonloom.evals.simulated.game24.proposing import easy, sight
from reasonloom.evals.simulated.game24.puzzles import Puzzle, own
from reasonloom.evals.simulated.game24.states import (
    State,
    following,
    natural,
    number,
    parted,
    reachable,
    state,
    told,
)
from tests.evals.simulated.brute_force_game24 import SIGNS, makes_24, true_step
from tests.evals.simulated.odds import plausible
from tests.evals.simulated.simulated_llm import asking

MODEL = Game24Model(seed=11)


async def answer(prompt: str, sample: int = 0, **given: Any) -> Any:
    reply = await MODEL.answer(asking(f"game24/{prompt}", sample=sample, **given))
    assert reply.parsed is not None, reply.text
    return reply.parsed


@cache
def puzzles() -> list[Puzzle]:
    return own(60, seed=24)


@cache
def states(left: int) -> list[State]:
    """Return states with so many numbers left, all that follow from some puzzles."""
    found = [puzzle.state for puzzle in puzzles()]
    for most in {4: (), 3: (60,), 2: (6, 200), 1: (6, 40, 200)}[left]:
        found = sorted({child for each in found[:most] for child in following(each)})
    return found


def meant(numbers: State, step: str) -> State:
    """Return the state that a step, right or wrong, should have led to."""
    left, sign, right, _, _ = step.split()
    made = SIGNS[sign](Fraction(left), Fraction(right))
    rest = list(numbers)
    rest.remove(number(left))
    rest.remove(number(right))
    return state([*rest, number(str(made))])


def expected(numbers: State, child: State) -> tuple[object, float]:
    """Return the class that a next state belongs to, and how often it should be proposed."""
    left, plain, kept = len(numbers), natural(child), reachable(child)
    if (left, plain, kept) != (3, True, True):
        return (left, plain, kept), PUBLISHED.proposed[left, plain, kept]
    if len(parted(numbers)[0]) > 1:
        return "one of several", PUBLISHED.one_of_several
    seen = easy(PUBLISHED, numbers)
    return ("only way", seen), PUBLISHED.only_way[seen]


@pytest.mark.parametrize(("left", "samples", "most"), [(4, 25, 60), (3, 2, 1500), (2, 4, 600)])
async def test_every_kind_of_step_is_proposed_as_often_as_measured(
    left: int, samples: int, most: int
) -> None:
    hits, tries, odds = Counter[object](), Counter[object](), dict[object, float]()
    slips = steps = 0
    for numbers in states(left)[:: max(1, len(states(left)) // most)]:
        for sample in range(samples):
            given = {"puzzle": "1 2 3 4", "steps": [], "numbers": told(numbers)}
            found = (await answer("propose", sample, **given))["proposals"]
            aims = [meant(numbers, each["step"]) for each in found]
            assert len(set(aims)) == len(aims)
            hits.update(expected(numbers, child)[0] for child in aims)
            for child in following(numbers):
                kind, odds_of = expected(numbers, child)
                tries[kind] += 1
                odds[kind] = odds_of
            steps += len(found)
            slips += sum(not true_step(each["step"]) for each in found)
    assert plausible(slips, steps, PUBLISHED.slip[left])
    for kind, chance in odds.items():
        assert plausible(hits[kind], tries[kind], chance), (kind, hits[kind], tries[kind], chance)
    assert len(odds) == {4: 4, 3: 6, 2: 3}[left]
    assert steps > 1000


async def test_a_step_says_what_is_left_even_where_it_slips() -> None:
    slipped = 0
    for puzzle in puzzles():
        for sample in range(10):
            given = {"puzzle": str(puzzle), "steps": [], "numbers": str(puzzle)}
            for each in (await answer("propose", sample, **given))["proposals"]:
                a, _, b, _, result = each["step"].split()
                before = sorted([*each["left"].split(), a, b])
                assert before == sorted([*str(puzzle).split(), result])
                slipped += not true_step(each["step"])
    assert slipped > 20


@pytest.mark.parametrize("left", [1, 2, 3])
async def test_judgements_fall_as_often_as_measured(left: int) -> None:
    given, seen = dict[Sight, Counter[tuple[str, ...]]](), Counter[Sight]()
    for numbers in states(left)[:: max(1, len(states(left)) // 700)]:
        view = sight(PUBLISHED, numbers)
        assert (view != "lost") == makes_24_of(numbers)
        seen[view] += 1
        for sample in (0, 3, 6):
            found = await answer("value", sample, numbers=told(numbers), attempts=3)
            counts = given.setdefault(view, Counter())
            counts[tuple(sorted(found["judgements"]))] += 1
    assert set(seen) == {view for number_left, view in PUBLISHED.judged if number_left == left}
    for view, counts in given.items():
        table = PUBLISHED.judged[left, view]
        chances = {tuple(sorted(three)): chance for three, chance in table}
        assert set(counts) <= set(chances)
        for three, chance in chances.items():
            assert plausible(counts[three], counts.total(), chance), (view, three, counts)
    if left == 3:
        assert plausible(seen["easy"], seen["easy"] + seen["hard"], PUBLISHED.easy)


def makes_24_of(numbers: State) -> bool:
    return makes_24(tuple(numbers))  # type: ignore[arg-type]  # fractions are as good


async def test_a_blind_judge_says_the_same_of_both() -> None:
    model = Game24Model(seed=11, constants=blind(PUBLISHED))
    values: dict[bool, list[float]] = {True: [], False: []}
    for numbers in states(2)[::2]:
        for sample in range(0, 90 if reachable(numbers) else 3, 3):
            ask = asking("game24/value", sample=sample, numbers=told(numbers), attempts=3)
            found = (await model.answer(ask)).parsed or {}
            values[reachable(numbers)].append(sum(WORTH[each] for each in found["judgements"]))
    low = 0.003  # three times impossible
    chance = PUBLISHED.judged[2, "lost"][0][1]
    for each in values.values():
        assert len(each) > 100
        assert plausible(sum(abs(value - low) < 1e-9 for value in each), len(each), chance)


@pytest.mark.parametrize(
    "steps",
    [["4 + 8 = 12", "6 - 4 = 2", "2 * 12 = 24"], ["8 - 6 = 2", "4 + 2 = 6", "4 * 6 = 24"]],
)
async def test_the_answer_to_right_steps_is_right_as_often_as_measured(steps: list[str]) -> None:
    found = [
        await answer("answer", sample, puzzle="4 4 6 8", steps=steps) for sample in range(2000)
    ]
    right = sum(solves(each["answer"], (4, 4, 6, 8)) for each in found)
    assert plausible(right, 2000, PUBLISHED.written)
    faults = {fault(each["answer"], (4, 4, 6, 8)) for each in found}
    assert "does not use each number once" in faults
    assert any(each and each.startswith("makes ") for each in faults)


@pytest.mark.parametrize(
    "steps",
    [
        ["4 + 4 = 9", "9 - 6 = 3", "3 * 8 = 24"],
        ["4 + 8 = 12", "6 - 4 = 2"],
        ["4 + 8 = 12", "6 + 4 = 10", "12 + 10 = 22"],
        ["7 + 8 = 15", "15 + 9 = 24"],
        ["4 / 8 = 1/2", "4 - 6 = -2", "1/2 * -2 = -1"],
    ],
)
async def test_the_answer_to_wrong_steps_is_wrong(steps: list[str]) -> None:
    for sample in range(50):
        found = await answer("answer", sample, puzzle="4 4 6 8", steps=steps)
        assert not solves(found["answer"], (4, 4, 6, 8))


async def test_a_mistake_that_does_no_harm_is_not_counted_as_one() -> None:
    """Without its brackets a sum is as right as before."""
    steps = ["5 + 6 = 11", "4 + 9 = 13", "11 + 13 = 24"]
    found = [await answer("answer", each, puzzle="4 5 6 9", steps=steps) for each in range(2000)]
    right = sum(solves(each["answer"], (4, 5, 6, 9)) for each in found)
    assert plausible(right, 2000, PUBLISHED.written)


async def test_an_answer_follows_fractions_and_what_is_below_0() -> None:
    steps = ["8 / 3 = 8/3", "3 - 8/3 = 1/3", "8 / 1/3 = 24"]
    found = [await answer("answer", each, puzzle="3 3 8 8", steps=steps) for each in range(20)]
    assert "8 / (3 - (8 / 3)) = 24" in {each["answer"] for each in found}
