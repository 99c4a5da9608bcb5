"""What the simulated Game of 24 does, counted, against its constants: exact binomial bounds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import exp, lgamma
from types import MappingProxyType
from typing import Any

import pytest

from reasonloom.evals.simulated.game24.check import (
    State,
    fault,
    is_natural,
    make_state,
    next_states,
    parse_number,
    reachable,
    solves,
    split_by_reachability,
    state_text,
)
from reasonloom.evals.simulated.game24.constants import PUBLISHED, WORTH, Constants, Sight, blind
from reasonloom.evals.simulated.game24.model import Game24Model, easy, sight
from reasonloom.evals.simulated.game24.puzzles import Puzzle, generate_puzzles
from tests.evals.simulated.brute_force_game24 import SIGNS, makes_24, true_step
from tests.evals.simulated.odds import plausible
from tests.evals.simulated.simulated_llm import asking
from tests.support import game24_fit

MODEL = Game24Model(seed=11)


async def answer(prompt: str, sample: int = 0, **given: Any) -> Any:
    reply = await MODEL.answer(asking(f"game24/{prompt}", sample=sample, **given))
    assert reply.parsed is not None, reply.text
    return reply.parsed


@cache
def puzzles() -> list[Puzzle]:
    return generate_puzzles(60, seed=24)


@cache
def states(left: int) -> list[State]:
    """Return states with so many numbers left, all that follow from some puzzles."""
    found = [puzzle.state for puzzle in puzzles()]
    for most in {4: (), 3: (60,), 2: (6, 200), 1: (6, 40, 200)}[left]:
        found = sorted({child for each in found[:most] for child in next_states(each)})
    return found


def meant(numbers: State, step: str) -> State:
    """Return the state that a step, right or wrong, should have led to."""
    left, sign, right, _, _ = step.split()
    made = SIGNS[sign](Fraction(left), Fraction(right))
    rest = list(numbers)
    rest.remove(parse_number(left))
    rest.remove(parse_number(right))
    return make_state([*rest, parse_number(str(made))])


def expected(numbers: State, child: State) -> tuple[object, float]:
    """Return the class that a next state belongs to, and how often it should be proposed."""
    left, plain, kept = len(numbers), is_natural(child), reachable(child)
    if (left, plain, kept) != (3, True, True):
        return (left, plain, kept), PUBLISHED.proposed[left, plain, kept]
    if len(split_by_reachability(numbers)[0]) > 1:
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
            given = {"puzzle": "1 2 3 4", "steps": [], "numbers": state_text(numbers)}
            found = (await answer("propose", sample, **given))["proposals"]
            aims = [meant(numbers, each["step"]) for each in found]
            assert len(set(aims)) == len(aims)
            hits.update(expected(numbers, child)[0] for child in aims)
            for child in next_states(numbers):
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
            found = await answer("value", sample, numbers=state_text(numbers), attempts=3)
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
            ask = asking("game24/value", sample=sample, numbers=state_text(numbers), attempts=3)
            found = (await model.answer(ask)).parsed or {}
            values[reachable(numbers)].append(sum(WORTH[each] for each in found["judgements"]))
    low = 0.003  # three times impossible
    chance = PUBLISHED.judged[2, "lost"][0][1]
    for each in values.values():
        assert len(each) > 100
        assert plausible(sum(abs(value - low) < 1e-9 for value in each), len(each), chance)


@pytest.mark.parametrize(
    "steps", [["4 + 8 = 12", "6 - 4 = 2", "2 * 12 = 24"], ["8 - 6 = 2", "4 + 2 = 6", "4 * 6 = 24"]]
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


@cache
def curve_puzzles() -> list[Puzzle]:
    return generate_puzzles(100, seed=24)


@cache
def many() -> list[Puzzle]:
    """Return so many that the luck of the likings hardly counts."""
    return generate_puzzles(400, seed=24)


@cache
def alike(taste: float) -> Constants:
    """Return constants whose chains keep 24 in reach on own puzzles as often as in the logs."""
    constants = replace(PUBLISHED, chain_taste=taste)
    odds = MappingProxyType(game24_fit.fitted(many(), constants))
    return replace(constants, chain_odds=odds)


async def solved(
    model: Game24Model, kind: str, held: str, puzzle: Puzzle, calls: int
) -> list[bool]:
    """Return whether each of 20 samples a call is right, as the checker finds."""
    found = []
    for call in range(calls):
        ask = asking(f"game24/{kind}", sample=20 * call, puzzle=str(puzzle), attempts=20)
        reply = await model.answer(ask)
        assert reply.parsed is not None
        for each in reply.parsed[held]:
            written = each if isinstance(each, str) else each["answer"]
            found.append(solves(written, puzzle.numbers))
    return found


def test_the_fit_keeps_24_in_reach_as_often_as_the_logs() -> None:
    assert game24_fit.kept(alike(PUBLISHED.chain_taste), many()) == pytest.approx(
        dict(PUBLISHED.chain_kept)
    )
    easier = game24_fit.kept(PUBLISHED, many())
    assert easier[4] != pytest.approx(PUBLISHED.chain_kept[4], abs=0.001)


async def test_chains_are_right_as_often_as_reckoned_for_each_puzzle() -> None:
    hits = 0
    chances = [game24_fit.right(PUBLISHED, puzzle) for puzzle in curve_puzzles()[::4]]
    for puzzle, chance in zip(curve_puzzles()[::4], chances, strict=True):
        found = await solved(Game24Model(seed=2), "chain", "solutions", puzzle, 10)
        assert plausible(sum(found), 200, chance), puzzle
        hits += sum(found)
    assert hits > 100


def test_lasting_likings_give_the_published_curve_and_chance_alone_does_not() -> None:
    """Best of 1, 10, 20, 100 published: 4.0, 21.5, 29.6, 49 %; own puzzles lie a little lower."""
    chances = [game24_fit.right(alike(PUBLISHED.chain_taste), puzzle) for puzzle in many()]
    curve = [game24_fit.best_of(chances, samples) for samples in (1, 10, 20, 100)]
    assert curve == pytest.approx([0.0404, 0.1757, 0.2427, 0.4253], abs=0.001)
    independent = [game24_fit.right(alike(0.0), puzzle) for puzzle in many()]
    assert game24_fit.best_of(independent, 1) == pytest.approx(0.0404, abs=0.0001)
    assert game24_fit.best_of(independent, 100) > 0.85


async def test_a_chain_is_made_of_true_steps_from_the_puzzle() -> None:
    model = Game24Model(seed=2)
    for puzzle in curve_puzzles()[:20]:
        ask = asking("game24/chain", puzzle=str(puzzle), attempts=20)
        reply = await model.answer(ask)
        assert reply.parsed is not None
        for solution in reply.parsed["solutions"]:
            assert len(solution["steps"]) == 3
            assert all(map(true_step, solution["steps"]))
            ends = solution["steps"][-1].split()[-1] == "24"
            assert ends or not solves(solution["answer"], puzzle.numbers)


async def test_answers_at_once_have_the_published_mean_and_best_of_100() -> None:
    """Published: 7.3 % and 33 %; each puzzle has a share of its own, drawn for each seed."""
    a, b = PUBLISHED.direct
    none = exp(lgamma(b + 100) - lgamma(b) + lgamma(a + b) - lgamma(a + b + 100))
    assert a / (a + b) == pytest.approx(0.0736, abs=0.0001)
    assert 1 - none == pytest.approx(0.35, abs=0.01)
    first = any_right = tried = 0
    for seed in range(4):
        for puzzle in curve_puzzles():
            found = await solved(Game24Model(seed), "direct", "answers", puzzle, 5)
            first, any_right, tried = first + found[0], any_right + any(found), tried + 1
    assert plausible(first, tried, a / (a + b))
    assert plausible(any_right, tried, 1 - none)


async def test_nothing_solves_what_cannot_be_solved() -> None:
    impossible = Puzzle(1, (1, 1, 1, 1))
    assert not reachable(make_state(impossible.numbers))
    for seed in range(20):
        model = Game24Model(seed, constants=replace(PUBLISHED, direct=(50.0, 1.0)))
        assert not any(await solved(model, "direct", "answers", impossible, 1))
        assert not any(await solved(model, "chain", "solutions", impossible, 1))
