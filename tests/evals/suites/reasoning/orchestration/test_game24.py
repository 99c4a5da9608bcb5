"""The Game of 24 under many arrangements of calls, on puzzles of our own."""

from __future__ import annotations

import asyncio
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

from reasonloom.evals.simulated.game24.constants import Constants
from reasonloom.evals.simulated.game24.model import Game24Model
from reasonloom.evals.suites.reasoning.orchestration.catalog import Choices, Problem, Result
from reasonloom.evals.suites.reasoning.orchestration.game24 import DESCRIPTIONS, Table, items, rows
from reasonloom.evals.suites.reasoning.orchestration.game24_search import is_hopeful
from reasonloom.llm.interfaces import Ask, Reply
from tests.evals.simulated.simulated_llm import margin
from tests.evals.suites.reasoning.orchestration.plain_game24 import PlainTree

PLAIN = Table()
LOTTERIES = 5
"""Seeds of the lottery: it is cheap, and so it can be known better than what it is held against."""


class Hurried:
    """The simulated language model, with each answer as late as chance has it."""

    name = "hurried"
    offline = False

    def __init__(self, seed: int, constants: Constants) -> None:
        self.model, self.delays = Game24Model(seed, constants), Random(seed)  # noqa: S311

    async def answer(self, ask: Ask) -> Reply:
        for _ in range(self.delays.randrange(12)):
            await asyncio.sleep(0)
        return await self.model.answer(ask)

    async def close(self) -> None: ...


def some(data: Path, count: int, *, start: int = 0) -> list[Problem]:
    return list(items(Choices(data))[0])[start : start + count]


async def work(
    name: str, on: list[Problem], *, seeds: int = 1, table: Table = PLAIN
) -> list[Result]:
    run = table.ways()[name]
    return [await run(item, seed) for item in on for seed in range(seeds)]


def solved(results: list[Result]) -> float:
    return fmean(result.score for result in results)


@pytest.mark.parametrize("name", list(PLAIN.ways()))
async def test_concurrency_changes_nothing(puzzles: Path, name: str) -> None:
    on = some(puzzles, 2, start=60)
    alone = await work(name, on, table=Table(concurrency=1))
    together = await work(name, on, table=Table(llm=Hurried, concurrency=50))
    assert together == alone


@pytest.mark.parametrize(("name", "breadth"), [("tree-1", 1), ("tree-5", 5)])
async def test_the_tree_is_the_published_one(puzzles: Path, name: str, breadth: int) -> None:
    for item in some(puzzles, 8, start=50):
        (found,) = await work(name, [item])
        any_of, first, calls, usd = await PlainTree(item.problem, 0).solved(breadth)
        assert (found.score, found.calls, found.usd) == (any_of, calls, usd), item
        if breadth == 5:
            assert (await work("tree-5-first", [item]))[0].score == first


async def test_nothing_beats_an_exhaustive_search_of_what_was_proposed(puzzles: Path) -> None:
    on = some(puzzles, 6, start=90)
    ceiling = [result.score for result in await work("ceiling", on)]
    for name in ("tree-5", "depth-first", "best-first-unchecked", "best-first-all-judged"):
        found = [result.score for result in await work(name, on)]
        assert all(one <= most for one, most in zip(found, ceiling, strict=True)), name
    table = Table(calls=10_000)
    for name in ("best-first", "best-first-unjudged"):
        assert [each.score for each in await work(name, on, table=table)] == ceiling, name


async def test_a_blind_judge_is_a_lottery_and_the_best_first_search_outdoes_the_tree(
    puzzles: Path,
) -> None:
    on = some(puzzles, 36, start=64)
    lot, blind = await work("tree-5-by-lot", on, seeds=LOTTERIES), await work("tree-5-blind", on)
    seeing, best_first = await work("tree-5", on), await work("best-first", on)
    chance = solved(lot)
    bound = margin(chance, len(blind)) * sqrt(1 + 1 / LOTTERIES)
    assert abs(solved(blind) - chance) < bound
    assert solved(seeing) > chance + 2 * bound
    assert solved(best_first) >= solved(seeing)
    paid, tree = (fmean(each.usd for each in results) for results in (best_first, seeing))
    assert paid <= 0.85 * tree


async def test_chains_at_the_price_of_the_blind_tree_cost_what_it_costs(puzzles: Path) -> None:
    on = some(puzzles, 2)
    for tree, chains in zip(
        await work("tree-5-blind", on), await work("linear-as-blind", on), strict=True
    ):
        assert tree.usd <= chains.usd < tree.usd + 0.07
        assert chains.also["samples"] == 20 * chains.calls


async def test_samples_of_one_call_pay_the_question_once(puzzles: Path) -> None:
    (item,) = some(puzzles, 1)
    tokens = {
        name: [(each.calls, each.tokens_in, each.tokens_out) for each in await work(name, [item])]
        for name in ("linear", "linear-10", "linear-100", "direct-100")
    }
    assert tokens == {
        "linear": [(1, 297, 46)],
        "linear-10": [(1, 297, 460)],
        "linear-100": [(5, 5 * 297, 4600)],
        "direct-100": [(5, 1000, 1800)],
    }


@pytest.mark.parametrize(
    ("left", "step", "after", "is_so"),
    [
        ("4 6 10", "4 + 6 = 10", "10 10", True),
        ("4 6 10", "10 - 4 = 6", "6 6", True),
        ("1/3 8", "8 / 1/3 = 24", "24", True),
        ("4 6", "4 * 6 = 24", "24", True),
        ("4 6", "4 + 6 = 10", "10", False),
        ("4 6 10", "4 + 6 = 11", "10 11", False),
        ("4 6 10", "4 + 6 = 10", "10 11", False),
        ("4 6 10", "4 + 4 = 8", "8 10", False),
        ("4 6 10", "4 / 0 = 0", "0 10", False),
        ("4 6 10", "4 and 6", "10", False),
        ("4 6 10", "4 ^ 6 = 10", "10 10", False),
    ],
)
def test_a_step_is_checked_by_arithmetic(left: str, step: str, after: str, is_so: bool) -> None:
    assert is_hopeful(left, {"step": step, "left": after}) is is_so


def test_published_figures_stand_beside_published_puzzles_only(puzzles: Path) -> None:
    assert set(DESCRIPTIONS) <= set(PLAIN.ways())
    beside = {row.name: (row.status, row.published) for row in rows(Choices(puzzles))}
    assert beside["tree-1"] == ("predicted", "45 %")
    ours = {row.name: (row.status, row.published) for row in rows(Choices())}
    assert ours["tree-1"] == ("own", "")
    assert ours["tree-5-blind"] == ("control", "")
