"""The packaged plans for sorting and intersecting, with helpers that are right, wrong, or both."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasonloom.errors import InvalidArgument
from reasonloom.nodes.thought_graph.operations.orders import Order
from reasonloom.nodes.thought_graph.operations.outcome import outcome
from reasonloom.nodes.thought_graph.operations.plans import packaged_plan, plan_names
from reasonloom.nodes.thought_graph.operations.tasks import intersection, sorting, task_of
from tests.nodes.thought_graph.operations.worlds import dice, plan, run

SETS = st.sets(st.integers(0, 30), min_size=1)
DIGITS = st.lists(st.integers(0, 9), min_size=17, max_size=70)


def problem_of(size: int) -> str:
    """Return a list of digits as a problem."""
    return json.dumps([dice(place).randrange(10) for place in range(size)])


def sorter(slips: float) -> Any:
    """Return a world that sorts, and loses a digit of an answer with a chance of `slips`."""

    def answer(order: Order) -> dict[str, Any]:
        of = [digit for each in order["thoughts"] for digit in each["data"]["of"]]
        if order["move"] == "cut":
            cut = [of[at : at + 16] for at in range(0, len(of), 16)]
            return {
                "candidates": [
                    {"text": str(part), "data": {"list": part, "of": part}} for part in cut
                ]
            }
        found = []
        for number in range(order["count"]):
            thrown = dice(f"{order['key']}{number}")
            digits = sorted(of)
            if thrown.random() < slips:
                digits.pop(thrown.randrange(len(digits)))
            found.append({"text": str(digits), "data": {"list": digits, "of": of}})
        return {"candidates": found}

    return answer


@settings(max_examples=50, deadline=None)
@given(digits=DIGITS)
def test_a_list_is_sorted_by_cutting_and_merging(digits: list[int]) -> None:
    problem = json.dumps(digits)
    state = run(packaged_plan("sort"), sorter(0.3), task=sorting.SORTING, problem=problem)
    came = outcome(state)
    assert came["best"] is not None
    assert came["best"]["data"]["list"] == sorted(digits)
    assert (came["best"]["score"], came["best"]["check"]) == (1.0, "local check")
    assert came["ended"] == "found"


def test_an_odd_number_of_parts_is_merged_to_one() -> None:
    problem = problem_of(40)
    came = outcome(run(packaged_plan("sort"), sorter(0), task=sorting.SORTING, problem=problem))
    assert came["whole"]
    assert came["ended"] == "found"


def test_what_is_clean_is_not_repaired() -> None:
    problem = problem_of(64)
    state = run(packaged_plan("sort"), sorter(0), task=sorting.SORTING, problem=problem)
    assert {each["kind"] for each in state["thoughts"].values()} == {
        "root",
        "generate",
        "aggregate",
    }


def test_where_every_merge_fails_the_parts_are_told() -> None:
    def answer(order: Order) -> dict[str, Any]:
        return {"error": "away"} if order["kind"] == "aggregate" else sorter(0)(order)

    problem = problem_of(32)
    came = outcome(run(packaged_plan("sort"), answer, task=sorting.SORTING, problem=problem))
    assert not came["whole"]
    assert came["best"] is not None
    assert came["best"]["part"] in ("0.0", "0.1")
    assert came["faults"]["repeat5.1.1"] == "away"


def test_what_a_cut_loses_is_missed_in_the_end() -> None:
    def answer(order: Order) -> dict[str, Any]:
        found = sorter(0)(order)
        if order["move"] == "cut":
            found["candidates"][1]["data"]["of"] = found["candidates"][1]["data"]["of"][1:]
        return found  # type: ignore[no-any-return]

    problem = problem_of(32)
    came = outcome(run(packaged_plan("sort"), answer, task=sorting.SORTING, problem=problem))
    assert came["best"] is not None
    assert (came["whole"], came["ended"], came["best"]["valid"]) == (True, "complete", False)
    assert came["best"]["score"] == 1 / 2


def test_the_same_words_are_asked_for_other_answers_whatever_they_are_asked_about() -> None:
    """Later rounds intersect the sets anew: what was found before is not in the question."""
    again = {"do": "refine", "move": "generate", "samples": 3}
    given = plan({"do": "generate", "samples": 2}, {"do": "repeat", "most": 2, "body": [again]})
    asked: list[int] = []

    def answer(order: Order) -> dict[str, Any]:
        asked.extend(range(order["sample"], order["sample"] + order["count"]))
        data = order["problem"]["data"]
        return {"candidates": [{"text": f"{len(asked)}", "data": {**data, "found": [len(asked)]}}]}

    problem = json.dumps({"first": [1, 2], "second": [2, 3]})
    run(given, answer, task=intersection.INTERSECTION, problem=problem)
    assert sorted(asked) == list(range(2 + 2 * 3 + 3))


@given(
    digits=st.lists(st.integers(0, 9), min_size=1, max_size=20),
    given=st.lists(st.integers(0, 9), max_size=20),
)
def test_errors_are_the_published_score(digits: list[int], given: list[int]) -> None:
    falls = len([1 for i in range(len(given) - 1) if given[i + 1] < given[i]])
    wrong = sum(abs(given.count(d) - digits.count(d)) for d in range(10))
    assert sorting.errors(digits, given) == falls + wrong
    assert (sorting.errors(digits, given) == 0) == (given == sorted(digits))


@given(first=SETS, second=SETS, found=st.lists(st.integers(0, 30)))
def test_errors_of_an_intersection(first: set[int], second: set[int], found: list[int]) -> None:
    true = first & second
    assert (intersection.errors(true, found) == 0) == (sorted(found) == sorted(true))
    assert intersection.errors(true, found) >= abs(len(true) - len(set(found)))


@pytest.mark.parametrize("problem", ["sort this", "[]", "[10]", '["1"]', "[1.5]", "{}", "[true]"])
def test_what_is_no_list_of_digits_is_refused(problem: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        sorting.begin(problem)
    assert refused.value.field == "problem"


@pytest.mark.parametrize(
    "problem",
    [
        "x",
        "[]",
        "{}",
        '{"first": [1]}',
        '{"first": [], "second": [1]}',
        '{"first": [1, 1], "second": [1]}',
        '{"first": 1, "second": [1]}',
        '{"first": [[1]], "second": [1]}',
    ],
)
def test_what_is_no_pair_of_sets_is_refused(problem: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        intersection.begin(problem)
    assert refused.value.field == "problem"


@pytest.mark.parametrize("name", plan_names())
def test_every_packaged_plan_names_what_its_task_has(name: str) -> None:
    plan = packaged_plan(name)
    problems = {
        "general": "How?", "sorting": "[1, 0]", "intersection": '{"first": [1], "second": [1]}',
    }  # fmt: skip
    from reasonloom.nodes.thought_graph.operations.machine import open_orders, start_plan

    assert open_orders(start_plan(plan, problems[plan.task], task_of(plan.task)))
