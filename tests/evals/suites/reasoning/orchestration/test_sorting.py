"""The rows of sorting: their plans as published, repeatable, and what noise does to them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.simulated.sorting import SimulatedSorter
from reasonloom.evals.suites.reasoning.orchestration.catalog import Choices
from reasonloom.evals.suites.reasoning.orchestration.metering import MeteredModel, PlanRunner
from reasonloom.evals.suites.reasoning.orchestration.sorting import (
    SORTING_EVAL,
    items,
    plans,
    rows,
    with_noisy_checks,
)
from reasonloom.nodes.thought_graph.operations.machine import (
    absorb,
    finished,
    open_orders,
    start_plan,
)
from reasonloom.nodes.thought_graph.operations.outcome import outcome, run_plan
from reasonloom.nodes.thought_graph.operations.state import State
from reasonloom.nodes.thought_graph.operations.tasks.sorting import SORTING, errors
from tests.evals.suites.reasoning.orchestration.worlds import Late, chosen, first, results

CALLS = {
    32: {"linear": 1, "chain": 1, "tree": 2, "tree2": 3, "graph": 1 + 2 + 1 + 1},
    64: {"linear": 1, "chain": 1, "tree": 4, "tree2": 7, "graph": 1 + 4 + 3 + 3},
    128: {"linear": 1, "chain": 1, "tree": 4, "tree2": 10, "graph": 1 + 8 + 7 + 7},
}
SAMPLES = {
    32: {"linear": 1, "chain": 1, "tree": 40, "tree2": 30, "graph": 1 + 10 + 10 + 10},
    64: {"linear": 1, "chain": 1, "tree": 80, "tree2": 70, "graph": 1 + 20 + 30 + 5 * 2 + 10},
    128: {"linear": 1, "chain": 1, "tree": 80, "tree2": 100, "graph": 1 + 40 + 70 + 5 * 6 + 10},
}
"""Worked out from the published graphs by hand."""


@pytest.mark.parametrize("size", CALLS)
async def test_each_row_asks_as_often_as_its_published_graph(size: int) -> None:
    choices = chosen(1, size=str(size))
    for name, calls in CALLS[size].items():
        (result,) = await results(SORTING_EVAL, name, choices)
        told = (result.calls, result.also["samples"], result.also["faults"])
        assert told == (calls, SAMPLES[size][name], 0)


async def test_the_graph_errs_half_as_often_as_the_tree_at_less_cost() -> None:
    """The effect on a few lists; the figures themselves are of the eval."""
    choices = chosen(12, size="64")
    tree, graph = [await results(SORTING_EVAL, each, choices) for each in ("tree", "graph")]
    assert median(each.score for each in graph) <= 0.6 * median(each.score for each in tree)
    assert sum(each.usd for each in graph) < 0.75 * sum(each.usd for each in tree)


async def test_clean_lists_are_not_repaired_and_nothing_is_lost() -> None:
    choices = chosen(60, size="32")
    whole = await results(SORTING_EVAL, "graph", choices)
    skipping = await results(SORTING_EVAL, "graph_skipping", choices)
    assert [each.score for each in skipping] == [each.score for each in whole]
    assert sum(each.calls for each in skipping) < sum(each.calls for each in whole)


async def lead(size: str, **settings: str) -> float:
    """Return by how many errors the graph is ahead of the chain, on few lists."""
    choices = chosen(12, size=size, **settings)
    chain, graph = [await results(SORTING_EVAL, each, choices) for each in ("chain", "graph")]
    return fmean(each.score for each in chain) - fmean(each.score for each in graph)


async def test_noise_takes_the_graphs_lead_away() -> None:
    exact, loud = await lead("64"), await lead("64", noise="4")
    assert exact > loud > await lead("64", noise="20") > await lead("64", noise="1000")
    assert await lead("32") > 0 > await lead("32", noise="4")
    assert await lead("64", noise="1000") < 0
    assert await lead("64", noise="20", looks="every") < 0


def digits(*listed: int, score: float | None = None) -> Any:
    """Return a thought on a part of the problem that lists some digits where it should 1 and 2."""
    return {"part": "0.1", "data": {"list": listed, "of": [2, 1]}, "score": score}


def test_a_check_that_errs_sees_the_same_of_the_same_list_at_one_look() -> None:
    check = with_noisy_checks(5.0, seed=3).check("sorted").judge
    seen = check(digits(), digits(1, 2))
    assert seen == check(digits(), digits(1, 2))
    assert seen != check(digits(), digits(1, 1))
    assert seen != check(digits(), digits(1, 2, score=0.4))
    assert seen != with_noisy_checks(5.0, seed=4).check("sorted").judge(digits(), digits(1, 2))


def test_the_less_a_check_errs_the_nearer_it_comes_to_the_errors() -> None:
    check = with_noisy_checks(1e-9, seed=3).check("sorted").judge
    assert check(digits(), digits(1, 2)).score == pytest.approx(0.5)
    assert check(digits(), digits(1, 1)).score < 0.4


@pytest.mark.parametrize("name", ["tree", "graph"])
async def test_who_answers_first_decides_nothing(name: str) -> None:
    problem = first(SORTING_EVAL, chosen(1, size="64")).problem
    plan = plans(64)[name]

    async def state(llm: Any, concurrency: int) -> State:
        meter = MeteredModel(llm)
        carrier = PlanRunner(SORTING, meter)
        return await run_plan(plan, problem, SORTING, carrier, concurrency=concurrency)

    one_by_one = await state(SimulatedSorter(1), 1)
    at_once = await state(Late(SimulatedSorter(1), seed=2), 20)
    assert at_once["thoughts"] == one_by_one["thoughts"]
    assert outcome(at_once) == outcome(one_by_one)


async def test_results_one_at_a_time_saved_between_come_to_the_same() -> None:
    problem = first(SORTING_EVAL, chosen(1, size="32")).problem
    plan, lot = plans(32)["graph"], random.Random(4)  # noqa: S311 - a test, not a secret
    carrier = PlanRunner(SORTING, MeteredModel(SimulatedSorter(1)))
    state = start_plan(plan, problem, SORTING)
    while not finished(state):
        order = lot.choice(open_orders(state))
        state = absorb(state, {order["key"]: await carrier(order)}, SORTING)
        state = json.loads(json.dumps(state))
    straight = await run_plan(plan, problem, SORTING, PlanRunner(SORTING, carrier.meter))
    assert state["thoughts"] == straight["thoughts"]
    assert outcome(state) == outcome(straight)


async def test_the_measure_is_of_the_list_that_was_given_at_most_its_length() -> None:
    choices = chosen(3, size="128")
    told = await results(SORTING_EVAL, "linear", choices)
    assert all(0 < each.score <= 128 for each in told)
    problem = first(SORTING_EVAL, choices).problem
    carrier = PlanRunner(SORTING, MeteredModel(SimulatedSorter(0)))
    state = await run_plan(plans(128)["linear"], problem, SORTING, carrier)
    best = outcome(state)["best"]
    assert best is not None
    assert told[0].score == min(128, errors(json.loads(problem), best["data"]["list"]))


def test_a_row_says_what_was_published_and_what_was_fitted() -> None:
    told = {each.name: (each.published, each.status) for each in rows(chosen(1, size="64"))}
    assert told["graph"] == ("7 [5, 8], $3.25 per 100", "fitted")
    assert told["tree2"][1] == "predicted"
    assert told["graph_skipping"] == ("", "own")
    assert {each.status for each in rows(chosen(1, noise="4"))} == {"control"}


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"size": "16"}, "size"),
        ({"size": "many"}, "size"),
        ({"noise": "-1"}, "noise"),
        ({"noise": "nan"}, "noise"),
        ({"noise": "loud"}, "noise"),
        ({"looks": "never"}, "looks"),
    ],
)
def test_a_setting_out_of_range_is_refused(settings: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        rows(chosen(1, **settings))
    assert refused.value.field == field


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(UnknownName, match="size, noise, looks"):
        rows(chosen(1, length="64"))


def test_a_file_of_another_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lists.csv"
    path.write_text('ID,Unsorted,Sorted\n0,"[1, 0]","[0, 1]"\n')
    with pytest.raises(InvalidArgument, match="the data has 2"):
        items(Choices(path, settings={"size": "64"}))


def test_items_of_a_file_are_taken_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "lists.csv"
    lists = [list(range(9, -1, -1)) * 3 + [place, 0] for place in (1, 2)]
    rows_ = [f'{place},"{each}","{sorted(each)}"' for place, each in enumerate(lists)]
    path.write_text("\n".join(["ID,Unsorted,Sorted", *rows_]))
    found, digest = items(Choices(path, items=1, settings={"size": "32"}))
    assert [json.loads(each.problem) for each in found] == lists[:1]
    assert digest != items(Choices(path, settings={"size": "32"}))[1]
