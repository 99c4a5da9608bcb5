"""Whatever order results arrive in, and however often the search is saved, it ends the same."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from reasonloom.nodes.reasoning.tree_search.machine import (
    absorb,
    begin_search,
    finished,
    open_orders,
)
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import State
from tests.nodes.reasoning.tree_search.worlds import chaos, search


@st.composite
def chosen(draw: st.DrawFn) -> dict[str, Any]:
    """Draw settings of every kind that can be used together."""
    controller = draw(
        st.sampled_from(["greedy", "beam", "depth_first", "best_first", "uct"]), label="controller"
    )
    by_ballot = controller in ("greedy", "beam")
    return {
        "controller": controller,
        "generate": draw(st.sampled_from(["propose", "sample"])),
        "branching": draw(st.integers(1, 5)),
        "depth": draw(st.integers(1, 4)),
        "judge": draw(st.sampled_from(["value", "vote"] if by_ballot else ["value"])),
        "judgements": draw(st.integers(1, 3)),
        "batched": draw(st.booleans()),
        "check": draw(st.sampled_from(["none", "function", "call"])),
        "width": draw(st.integers(1, 3)) if controller in ("beam", "best_first") else 1,
        "prune_below": draw(st.sampled_from([None, 0.3])),
        "twins": draw(st.sampled_from(["close", "keep"])),
        "seed": draw(st.integers(0, 99)),
        "most_calls": draw(st.integers(1, 60)),
        "most_tokens": draw(st.sampled_from([None, 200, 1500])),
        "most_usd": draw(st.sampled_from([None, 0.05, 0.4])),
    }


def search_shuffled(salt: int, random: Random, given: dict[str, Any]) -> State:
    """Search with results in a random order, some twice, saved and loaded in between."""
    answer, state = chaos(salt), begin_search("What now?", SearchSettings(**given))
    while not finished(state):
        orders = open_orders(state)
        random.shuffle(orders)
        for order in orders[: random.randint(1, len(orders))]:
            state = json.loads(json.dumps(absorb(state, order, answer(order)), allow_nan=False))
            if random.random() < 0.2:
                state = absorb(state, order, {"error": "a late second result"})
    return state


@settings(max_examples=400, deadline=None)
@given(salt=st.integers(0, 10**6), random=st.randoms(use_true_random=False), given=chosen())
def test_the_order_of_arrival_decides_nothing(
    salt: int, random: Random, given: dict[str, Any]
) -> None:
    in_order = search(chaos(salt), "What now?", **given)
    assert search_shuffled(salt, random, given) == in_order


@settings(max_examples=100, deadline=None)
@given(salt=st.integers(0, 10**6), given=chosen())
def test_absorbing_leaves_the_state_that_was_given_as_it_was(
    salt: int, given: dict[str, Any]
) -> None:
    answer, state = chaos(salt), begin_search("What now?", SearchSettings(**given))
    while not finished(state):
        before = json.dumps(state)
        after = absorb(state, open_orders(state)[0], answer(open_orders(state)[0]))
        assert json.dumps(state) == before
        state = after


@settings(max_examples=100, deadline=None)
@given(salt=st.integers(0, 10**6), given=chosen())
def test_every_order_of_a_search_has_a_key_of_its_own(salt: int, given: dict[str, Any]) -> None:
    keys: list[str] = []

    def answer(order: Any) -> Any:
        keys.append(order["key"])
        return chaos(salt)(order)

    search(answer, "What now?", **given)
    assert len(keys) == len(set(keys))
