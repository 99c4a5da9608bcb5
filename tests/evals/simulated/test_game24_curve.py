"""How often one of k samples is right: the whole curve, of chains and of answers at once."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import exp, lgamma
from types import MappingProxyType

import pytest

from reasonloom.evals.simulated.game24.check import solves
from reasonloom.evals.simulated.game24.constants import PUBLISHED, Constants
from reasonloom.evals.simulated.game24.model import Game24Model
from reasonloom.evals.simulated.game24.puzzles import Puzzle, own
from reasonloom.evals.simulated.game24.states import reachable, state
from tests.evals.simulated.brute_force_game24 import true_step
from tests.evals.simulated.odds import plausible
from tests.evals.simulated.simulated_llm import asking
from tests.support import game24_fit


@cache
def puzzles() -> list[Puzzle]:
    return own(100, seed=24)


@cache
def many() -> list[Puzzle]:
    """Return so many that the luck of the likings hardly counts."""
    return own(400, seed=24)


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
    chances = [game24_fit.right(PUBLISHED, puzzle) for puzzle in puzzles()[::4]]
    for puzzle, chance in zip(puzzles()[::4], chances, strict=True):
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
    for puzzle in puzzles()[:20]:
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
        for puzzle in puzzles():
            found = await solved(Game24Model(seed), "direct", "answers", puzzle, 5)
            first, any_right, tried = first + found[0], any_right + any(found), tried + 1
    assert plausible(first, tried, a / (a + b))
    assert plausible(any_right, tried, 1 - none)


async def test_nothing_solves_what_cannot_be_solved() -> None:
    impossible = Puzzle(1, (1, 1, 1, 1))
    assert not reachable(state(impossible.numbers))
    for seed in range(20):
        model = Game24Model(seed, constants=replace(PUBLISHED, direct=(50.0, 1.0)))
        assert not any(await solved(model, "direct", "answers", impossible, 1))
        assert not any(await solved(model, "chain", "solutions", impossible, 1))
