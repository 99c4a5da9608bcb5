"""A budget is never exceeded: calls not at all, the rest by no more than what was in flight."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasonloom.nodes.reasoning.tree_search.budget import best_so_far, spent
from reasonloom.nodes.reasoning.tree_search.machine import (
    absorb,
    begin_search,
    finished,
    open_orders,
)
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from tests.nodes.reasoning.tree_search.test_arrival import chosen
from tests.nodes.reasoning.tree_search.worlds import KnownTree, chaos, grown, search


@settings(max_examples=400, deadline=None)
@given(salt=st.integers(0, 10**6), given=chosen())
def test_calls_are_never_exceeded_at_all(salt: int, given: dict[str, Any]) -> None:
    answer, state, given_out = chaos(salt), begin_search("?", SearchSettings(**given)), set[str]()
    while not finished(state):
        given_out |= {order["key"] for order in open_orders(state) if order["paid"]}
        assert len(given_out) <= given["most_calls"]
        state = absorb(state, open_orders(state)[-1], answer(open_orders(state)[-1]))
    assert spent(state, "calls") == len(given_out)


@settings(max_examples=400, deadline=None)
@given(salt=st.integers(0, 10**6), given=chosen())
def test_tokens_and_money_are_exceeded_by_no_more_than_what_is_in_flight(
    salt: int, given: dict[str, Any]
) -> None:
    answer, state = chaos(salt), begin_search("?", SearchSettings(**given))
    limits = {what: given[f"most_{what}"] or math.inf for what in ("tokens", "usd")}
    while not finished(state):
        orders = open_orders(state)
        before = {what: spent(state, what) for what in limits}
        results = [answer(order) or {} for order in orders]
        if any(order["paid"] for order in orders):
            assert all(before[what] < limits[what] for what in limits)
        for order, result in zip(orders, results, strict=True):
            state = absorb(state, order, result)
        for what in limits:
            flown = sum(result.get(what, 0) for result in results)
            assert spent(state, what) == pytest.approx(before[what] + flown)


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**6), limit=st.integers(1, 60), each=st.integers(1, 9))
def test_what_costs_as_expected_is_never_exceeded_at_all(seed: int, limit: int, each: int) -> None:
    tree = grown(seed, admissible=False)
    state = search(
        lambda order: {**tree.answer(order), "tokens": each},
        controller="best_first",
        width=2,
        depth=9,
        most_tokens=limit,
        expected_tokens=each,
    )
    assert spent(state, "tokens") <= limit
    assert state["exhausted"] in (None, "tokens")


@pytest.mark.parametrize("what", ["calls", "tokens", "usd", "seconds"])
def test_what_ran_out_is_named_and_the_best_so_far_returned(what: str) -> None:
    """Six calls go as far as the answers below `a`; the best of all lies below `b`."""
    tree = KnownTree(
        {"r": ["a", "b"], "a": ["a0", "a1"], "b": ["b0"], "a0": [], "a1": [], "b0": []},
        {"a": 0.9, "b": 0.5, "a0": 0.2, "a1": 0.4, "b0": 1.0},
    )
    limits: dict[str, Any] = {f"most_{what}": 6}
    clock = itertools.count(1)
    state = search(
        lambda order: {**tree.answer(order), "tokens": 1, "usd": 1, "at": next(clock)},
        controller="depth_first",
        **limits,
    )
    found = best_so_far(state)
    assert (found["ended"], found["exhausted"]) == ("exhausted", what)
    assert found["reason"] == f"the budget of {what} ran out"
    assert (found["text"], found["value"]) == ("a1", 0.4)


def test_what_has_been_seen_is_expected_again() -> None:
    """A third proposal at 40 tokens would pass 100, so that it is not given out."""
    state = search(
        lambda order: (
            {"candidates": [f"{order['key']} {n}" for n in range(2)], "tokens": 40}
            if order["kind"] == "propose"
            else {"values": [0.5]}
        ),
        controller="depth_first",
        most_tokens=100,
    )
    assert spent(state, "tokens") == 80
    assert state["exhausted"] == "tokens"


def test_a_plain_function_checks_when_the_calls_are_used_up() -> None:
    state = search(
        lambda order: (
            {"candidates": ["2", "4"]}
            if order["kind"] == "propose"
            else {"verified": order["thoughts"][0]["text"] == "4"}
        ),
        depth=1,
        check="function",
        most_calls=1,
    )
    assert (best_so_far(state)["text"], best_so_far(state)["verified"]) == ("4", True)
