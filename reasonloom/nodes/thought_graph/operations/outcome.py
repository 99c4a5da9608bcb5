"""The outcome of a plan, and running a plan in one process."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypedDict

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.errors import ReasonloomError
from reasonloom.nodes.thought_graph.operations.machine import (
    absorb,
    finished,
    frontier,
    open_orders,
    spent,
    start_plan,
)
from reasonloom.nodes.thought_graph.operations.orders import Order
from reasonloom.nodes.thought_graph.operations.state import WHOLE, State, Thought
from reasonloom.nodes.thought_graph.operations.task import Task

REASONS = {
    None: "the plan is at work",
    "found": "a thought on the whole problem reached the requested score",
    "complete": "all operations are done",
}


class Outcome(TypedDict):
    """The outcome of a plan.

    Attributes:
        best: the best thought, or None if there is none.
        whole: whether the best thought is about the whole problem.
        calls, tokens, usd: the cost.
        faults: the failures, by step.
    """

    best: Thought | None
    whole: bool
    ended: str | None
    exhausted: str | None
    reason: str
    calls: int
    tokens: float
    usd: float
    faults: dict[str, str]


def outcome(state: State) -> Outcome:
    """Return the outcome of a plan.

    The best thought is the best scored one about the whole problem among those the plan ends in, or
    else the best about the whole problem, or else the best that the plan ends in, or of all.
    """
    best = _best(state)
    return Outcome(
        best=best,
        whole=best is not None and best["part"] == WHOLE,
        ended=state["ended"],
        exhausted=state["exhausted"],
        reason=REASONS.get(state["ended"], f"the budget of {state['exhausted']} ran out"),
        calls=int(spent(state, "calls")),
        tokens=spent(state, "tokens"),
        usd=spent(state, "usd"),
        faults={name: step["fault"] for name, step in state["steps"].items() if step["fault"]},
    )


def _best(state: State) -> Thought | None:
    made = [each for each in state["thoughts"].values() if each["kind"] != "root"]
    ends = [each for each in frontier(state) if each["kind"] != "root"]
    for pool in (_whole(ends), _whole(made), ends, made):
        if pool:
            return max(pool, key=lambda each: -1.0 if each["score"] is None else each["score"])
    return None


def _whole(thoughts: list[Thought]) -> list[Thought]:
    return [each for each in thoughts if each["part"] == WHOLE]


Carrier = Callable[[Order], Awaitable[Mapping[str, Any]]]
"""Executes one order; the result has the form that `results.read_result` reads."""


async def run_plan(
    plan: Plan, problem: str, task: Task, carrier: Carrier, *, concurrency: int = 8
) -> State:
    """Run a plan to its end and return its state; carrier exceptions are recorded as faults."""
    gate, began = asyncio.Semaphore(concurrency), time.perf_counter()

    async def execute(order: Order) -> Mapping[str, Any]:
        async with gate:
            result = await _result(order, carrier)
        return {**result, "at": time.perf_counter() - began}

    state = start_plan(plan, problem, task)
    while not finished(state):
        orders = open_orders(state)
        came = await asyncio.gather(*map(execute, orders))
        keys = (order["key"] for order in orders)
        state = absorb(state, dict(zip(keys, came, strict=True)), task)
    return state


async def _result(order: Order, carrier: Carrier) -> Mapping[str, Any]:
    try:
        return await carrier(order)
    except Exception as error:  # noqa: BLE001  # a carrier may raise anything; the plan continues
        message = error.message if isinstance(error, ReasonloomError) else type(error).__name__
        return {"error": message}
