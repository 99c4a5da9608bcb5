"""What must hold of every plan: it ends, the order of arrival decides nothing, limits hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.nodes.thought_graph.operations.machine import (
    absorb,
    finished,
    frontier,
    open_orders,
    spent,
    start_plan,
)
from reasonloom.nodes.thought_graph.operations.outcome import outcome
from reasonloom.nodes.thought_graph.operations.parts import join_parts
from reasonloom.nodes.thought_graph.operations.state import WHOLE, State
from reasonloom.nodes.thought_graph.operations.tasks.general import GENERAL
from tests.nodes.thought_graph.operations.worlds import chaos, dice, drawn, plan, run

TIMELESS = ("elapsed",)


def without_limits(given: Plan) -> Plan:
    return Plan.model_validate(
        {**given.model_dump(exclude_none=True), "limits": {}, "stop_at": None}
    )


def comparable(state: State) -> dict[str, object]:
    return {
        "thoughts": state["thoughts"],
        "steps": {name: (step["outputs"], step["fault"]) for name, step in state["steps"].items()},
        "bills": state["bills"],
        "ended": state["ended"],
    }


@settings(max_examples=300, deadline=None)
@given(given=drawn(), salt=st.integers(0, 10**6), turn=st.integers(0, 10**6))
def test_the_order_of_arrival_decides_nothing(given: Plan, salt: int, turn: int) -> None:
    """Limits apart: which order is let out may hang on what the others cost."""
    whole = without_limits(given)
    straight = run(whole, chaos(salt))
    mixed = run(whole, chaos(salt), order=dice(turn), saved=True)
    assert comparable(mixed) == comparable(straight)


@settings(max_examples=300, deadline=None)
@given(given=drawn(), salt=st.integers(0, 10**6), turn=st.integers(0, 10**6))
def test_every_plan_ends_within_its_calls(given: Plan, salt: int, turn: int) -> None:
    state = run(given, chaos(salt), order=dice(turn))
    calls = given.limits.calls
    assert calls is None or spent(state, "calls") <= calls
    assert (state["ended"] == "exhausted") == (
        state["exhausted"] is not None and state["ended"] != "found"
    )
    if state["ended"] != "found":
        assert all(step["standing"] in ("done", "skipped") for step in state["steps"].values())


@settings(max_examples=200, deadline=None)
@given(given=drawn(), salt=st.integers(0, 10**6))
def test_what_a_plan_ends_in_covers_each_part_once_or_more(given: Plan, salt: int) -> None:
    """However parts are cut and merged: together the thoughts are about the whole problem."""
    whole = without_limits(given)
    kept = [each for each in whole.operations if each.do != "keep_best"]
    if not kept:
        return
    state = run(whole.model_copy(update={"operations": kept}), chaos(salt))
    if any(getattr(each, "of", None) == "all" for each in _all(kept)):
        return
    parts = {each["part"] for each in frontier(state)}
    assert join_parts(parts, state["cuts"]) == WHOLE


def _all(operations: list) -> list:  # type: ignore[type-arg]
    found = []
    for each in operations:
        found += [each, *(_all(each.body) if each.do == "repeat" else ())]
    return found


@settings(max_examples=200, deadline=None)
@given(given=drawn(), salt=st.integers(0, 10**6))
def test_a_second_result_changes_nothing(given: Plan, salt: int) -> None:
    answer, state = chaos(salt), start_plan(given, "?", GENERAL)
    while not finished(state):
        first = open_orders(state)[0]
        after = absorb(state, {first["key"]: answer(first)}, GENERAL)
        if not finished(after):
            again = absorb(after, {first["key"]: {"candidates": [{"text": "late"}]}}, GENERAL)
            assert again == after
        state = after


@settings(max_examples=200, deadline=None)
@given(given=drawn(), salt=st.integers(0, 10**6))
def test_no_answer_is_asked_for_under_one_number_twice(given: Plan, salt: int) -> None:
    answer, state = chaos(salt), start_plan(given, "?", GENERAL)
    asked: set[tuple[object, ...]] = set()
    while not finished(state):
        results = {}
        for order in open_orders(state):
            texts = tuple(each["text"] for each in order["thoughts"])
            if order["kind"] != "judge":
                for number in range(order["sample"], order["sample"] + order["count"]):
                    assert (order["move"], texts, number) not in asked
                    asked.add((order["move"], texts, number))
            results[order["key"]] = answer(order)
        state = absorb(state, results, GENERAL)


def test_independent_operations_are_asked_for_at_once() -> None:
    given = plan(
        {"do": "generate", "id": "one", "after": None},
        {"do": "refine", "id": "left", "after": ["one"]},
        {"do": "generate", "id": "right", "after": ["one"]},
        {"do": "aggregate", "after": ["left", "right"]},
    )
    state = start_plan(given, "?", GENERAL)
    state = absorb(state, {each["key"]: chaos(5)(each) for each in open_orders(state)}, GENERAL)
    assert {order["key"].split("/")[0] for order in open_orders(state)} == {"left", "right"}


def test_the_best_so_far_is_returned_when_calls_run_out() -> None:
    given = plan(
        {"do": "generate", "samples": 2}, {"do": "score"}, {"do": "keep_best"},
        {"do": "refine"}, {"do": "score"}, {"do": "keep_best"}, limits={"calls": 3},
    )  # fmt: skip

    def answer(order):  # type: ignore[no-untyped-def]
        if order["kind"] == "judge":
            score = {"a": 0.2, "b": 0.7}
            return {"ballot": {t["id"]: {"total": score[t["text"]]} for t in order["thoughts"]}}
        return {"candidates": [{"text": "a"}, {"text": "b"}]}

    came = outcome(run(given, answer))
    assert came["best"] is not None
    assert came["best"]["text"] == "b"
    assert came["best"]["score"] == pytest.approx(0.7)
    assert (came["ended"], came["exhausted"], came["calls"]) == ("exhausted", "calls", 3)
    assert "ran out" in came["faults"]["refine4"]
