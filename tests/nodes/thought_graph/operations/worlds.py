"""Plans drawn at random, and worlds that answer their orders: exactly, or as chaos does."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.nodes.thought_graph.operations.machine import (
    absorb,
    finished,
    open_orders,
    start_plan,
)
from reasonloom.nodes.thought_graph.operations.orders import Order
from reasonloom.nodes.thought_graph.operations.state import State
from reasonloom.nodes.thought_graph.operations.task import Task
from reasonloom.nodes.thought_graph.operations.tasks.general import GENERAL

MOST_THOUGHTS = 1_000
"""Of a drawn plan: each repetition multiplies them, and a step takes as long as there are some."""

Answer = Callable[[Order], Any]


def plan(*operations: dict[str, Any], **more: Any) -> Plan:
    """Return a plan of these operations."""
    return Plan.model_validate({"operations": list(operations), **more})


def leaf() -> st.SearchStrategy[dict[str, Any]]:
    """Draw an operation that is no repetition."""
    return st.one_of(
        st.fixed_dictionaries(
            {"do": st.just("generate"), "samples": st.integers(1, 4), "apart": st.booleans()}
        ),
        st.fixed_dictionaries({"do": st.just("refine"), "samples": st.integers(1, 3)}),
        st.fixed_dictionaries({"do": st.just("aggregate"), "size": st.integers(2, 4)}),
        st.fixed_dictionaries({"do": st.just("aggregate")}),
        st.fixed_dictionaries({"do": st.just("score")}),
        st.fixed_dictionaries(
            {
                "do": st.just("keep_best"),
                "n": st.integers(1, 3),
                "of": st.sampled_from(["part", "all"]),
            }
        ),
    )


def drawn() -> st.SearchStrategy[Plan]:
    """Draw a plan, with repetitions and conditions."""
    when = st.sampled_from([{}, {"when": {"count_more_than": 1}}, {"when": {"best_below": 0.5}}])
    step = st.tuples(leaf(), when).map(lambda pair: {**pair[0], **pair[1]})
    repeat = st.lists(step, min_size=1, max_size=3).map(
        lambda body: {"do": "repeat", "body": body, "until": {"parts_at_most": 1}, "most": 2}
    )
    until = st.sampled_from([{}, {"stop_at": 0.8}])
    limits = st.sampled_from([{}, {"calls": 3}, {"calls": 9}, {"tokens": 60}, {"usd": 0.4}])
    operations = st.lists(st.one_of(step, repeat), min_size=1, max_size=5)
    few = operations.filter(lambda given: _thoughts(given) <= MOST_THOUGHTS)
    return st.tuples(few, until, limits).map(
        lambda given: Plan.model_validate({"operations": given[0], **given[1], "limits": given[2]})
    )


def _thoughts(operations: Sequence[dict[str, Any]]) -> int:
    """Return how many thoughts chaos may make of one: more than asked for, in every repetition."""
    count = 1
    for each in operations:
        count *= _thoughts(each.get("body", ())) ** each.get("most", 1)
        count *= each["samples"] + 1 if "samples" in each else 1
    return count


def dice(seed: object) -> random.Random:
    """Return dice that fall the same for the same seed."""
    return random.Random(str(seed))  # noqa: S311 - a test, not a secret


def chaos(salt: int) -> Answer:
    """Return a world whose answers hang on the order alone; some are errors or nonsense."""

    def answer(order: Order) -> Any:
        thrown = dice(f"{salt}{order['key']}")
        kind = thrown.random()
        if kind < 0.15:
            return thrown.choice([None, "nonsense", {"error": "away"}, {"candidates": [1, {}]}])
        cost = {"tokens": thrown.randrange(20), "usd": thrown.random() / 10}
        if order["kind"] == "judge":
            said = {each["id"]: {"total": thrown.random()} for each in order["thoughts"]}
            return {"ballot": said, **cost}
        count = thrown.randint(1, order["count"] + 1)
        found = [{"text": f"{order['key']}:{number}"} for number in range(count)]
        return {"candidates": found, **cost}

    return answer


def run(
    plan: Plan, answer: Answer, *, order: random.Random | None = None, task: Task = GENERAL,
    problem: str = "?", saved: bool = False,
) -> State:  # fmt: skip
    """Carry out a plan; with `order` its results arrive in random order, one or some at a time.

    With `saved` the state is written and read as JSON between any two steps.
    """
    state = start_plan(plan, problem, task)
    while not finished(state):
        orders = open_orders(state)
        assert orders, "a plan at work wants something"
        came = _some(orders, order)
        state = absorb(state, {each["key"]: answer(each) for each in came}, task)
        if saved:
            state = json.loads(json.dumps(state))
    return state


def _some(orders: Sequence[Order], order: random.Random | None) -> Sequence[Order]:
    if order is None:
        return orders
    return order.sample(orders, order.randint(1, len(orders)))
