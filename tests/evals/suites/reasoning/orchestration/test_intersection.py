"""The rows of set intersection: their plans as published, and the graph ahead where sets grow."""

from __future__ import annotations

import json
from statistics import fmean

import pytest

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.simulated.intersection import SimulatedIntersecter
from reasonloom.evals.suites.reasoning.orchestration.catalog import Choices
from reasonloom.evals.suites.reasoning.orchestration.intersection import (
    INTERSECTION_EVAL,
    items,
    plans,
    rows,
)
from reasonloom.evals.suites.reasoning.orchestration.metering import MeteredModel, PlanRunner
from reasonloom.nodes.thought_graph.operations.outcome import outcome, run_plan
from reasonloom.nodes.thought_graph.operations.tasks.intersection import INTERSECTION
from tests.evals.suites.reasoning.orchestration.worlds import Late, chosen, first, results

SAMPLES = {
    32: {"linear": 1, "tree": 40, "tree2": 30, "graph": 1 + 2 * 5 + 10},
    64: {"linear": 1, "tree": 80, "tree2": 70, "graph": 1 + 4 * 5 + 3 * 10},
    128: {"linear": 1, "tree": 100, "tree2": 90, "graph": 1 + 8 * 5 + 7 * 5},
}
CALLS = {
    32: {"linear": 1, "tree": 2, "tree2": 3, "graph": 1 + 2 + 1},
    64: {"linear": 1, "tree": 4, "tree2": 7, "graph": 1 + 4 + 3},
    128: {"linear": 1, "tree": 4, "tree2": 9, "graph": 1 + 8 + 7},
}
"""Worked out from the published graphs by hand."""


@pytest.mark.parametrize("size", CALLS)
async def test_each_row_asks_as_often_as_its_published_graph(size: int) -> None:
    choices = chosen(1, size=str(size))
    for name, calls in CALLS[size].items():
        (result,) = await results(INTERSECTION_EVAL, name, choices)
        told = (result.calls, result.also["samples"], result.also["faults"])
        assert told == (calls, SAMPLES[size][name], 0)


async def test_the_graph_is_ahead_and_the_more_so_the_greater_the_sets() -> None:
    ahead = []
    for size in ("32", "64", "128"):
        choices = chosen(10, size=size)
        tree, graph = [
            await results(INTERSECTION_EVAL, each, choices) for each in ("tree", "graph")
        ]
        ahead.append(fmean(each.score for each in tree) - fmean(each.score for each in graph))
        assert sum(each.usd for each in graph) < sum(each.usd for each in tree)
    assert 0 <= ahead[0] < ahead[1] < ahead[2]


async def test_later_rounds_of_a_tree_bring_other_answers() -> None:
    problem = first(INTERSECTION_EVAL, chosen(1, size="64")).problem
    carrier = PlanRunner(INTERSECTION, MeteredModel(SimulatedIntersecter(0)))
    state = await run_plan(plans(64)["tree"], problem, INTERSECTION, carrier)
    texts = [each["text"] for each in state["thoughts"].values()]
    assert len(texts) == 1 + 80
    assert len(set(texts)) > 75


async def test_who_answers_first_decides_nothing() -> None:
    problem = first(INTERSECTION_EVAL, chosen(1, size="64")).problem
    states = [
        await run_plan(
            plans(64)["graph"],
            problem,
            INTERSECTION,
            PlanRunner(INTERSECTION, MeteredModel(llm)),
            concurrency=concurrency,
        )
        for llm, concurrency in (
            (SimulatedIntersecter(1), 1), (Late(SimulatedIntersecter(1), seed=5), 20),
        )
    ]  # fmt: skip
    assert states[0]["thoughts"] == states[1]["thoughts"]
    assert outcome(states[0]) == outcome(states[1])


def test_the_problem_holds_no_truth() -> None:
    found, _ = items(chosen(2, size="32"))
    assert set(json.loads(found[0].problem)) == {"first", "second"}


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(UnknownName, match="size"):
        rows(chosen(1, noise="4"))
    with pytest.raises(InvalidArgument, match="32, 64, 128"):
        rows(chosen(1, size="48"))


def test_sets_of_another_size_are_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "sets.csv"
    path.write_text('ID,SET1,SET2,INTERSECTION\n0,"[1, 2]","[2, 3, 4]","[2]"\n')
    with pytest.raises(InvalidArgument, match="the data has 2, 3"):
        items(Choices(path))
