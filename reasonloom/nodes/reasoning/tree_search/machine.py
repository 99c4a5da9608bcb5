"""The search as a state machine: it issues orders, absorbs their results, and continues.

A round has three phases: generate, check, judge. A phase is settled once all its results have
arrived, and in the order in which they were requested, so that arrival order has no effect.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from reasonloom.errors import InvalidArgument, ReasonloomError
from reasonloom.nodes.reasoning.tree_search import budget, phases
from reasonloom.nodes.reasoning.tree_search.deduplication import Distance
from reasonloom.nodes.reasoning.tree_search.orders import Order, Thought, as_order, read_result
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import Pending, Phase, State


class Step(NamedTuple):
    """A phase: the orders it issues, how it settles their results, and the next phase."""

    orders: Callable[[State], list[Pending]]
    settle: Callable[[State, Distance | None], None]
    then: Phase


STEPS: dict[Phase, Step] = {
    "generate": Step(phases.candidate_orders, phases.settle_candidates, "check"),
    "check": Step(phases.check_orders, lambda state, _: phases.settle_checks(state), "judge"),
    "judge": Step(
        phases.judging_orders, lambda state, _: phases.settle_judgements(state), "generate"
    ),
}


def begin_search(problem: str, settings: SearchSettings) -> State:
    """Return a search with its first orders.

    Raises:
        InvalidArgument: the problem is blank.
    """
    if not problem.strip():
        raise InvalidArgument("problem must not be blank", field="problem", kind="empty")
    state = State(
        problem=problem,
        settings=asdict(settings),
        nodes=[phases.root(problem)],
        round=0,
        phase="generate",
        queued=[],
        pending=[],
        billed=0,
        arrived={},
        spent={},
        elapsed=0.0,
        steps=0,
        exhausted=None,
        ended=None,
    )
    _plan(state)
    return _continue(state, None)


def open_orders(state: State) -> list[Order]:
    """Return the released orders without a result; all may run concurrently."""
    return [
        as_order(state, order) for order in state["pending"] if order["key"] not in state["arrived"]
    ]


def absorb(state: State, order: Order, result: object, distance: Distance | None = None) -> State:
    """Return the state with one result absorbed; the given state is not modified.

    A second result for an order has no effect. An unusable result or an `error` is recorded on its
    node, and the search continues. See `orders.read_result` for the format of a result.
    """
    pending = {each["key"]: each for each in state["pending"]}
    key = order["key"]
    if key not in pending or key in state["arrived"]:
        return state
    arrived = {**state["arrived"], key: read_result(pending[key], result)}
    after = State(**{**state, "arrived": arrived})
    if len(arrived) < len(pending):
        return after
    after = _copied(after)
    budget.record_costs(after)
    return _continue(after, distance)


def _copied(state: State) -> State:
    """Return a copy with its own mutable parts; `deepcopy` is much slower."""
    after = state.copy()
    after["nodes"] = [node.copy() for node in state["nodes"]]
    after["spent"] = {kind: cost.copy() for kind, cost in state["spent"].items()}
    after["queued"], after["pending"] = state["queued"].copy(), state["pending"].copy()
    return after


def finished(state: State) -> bool:
    """Return whether the search has ended; `state["ended"]` says how."""
    return state["ended"] is not None


def _continue(state: State, distance: Distance | None) -> State:
    """Advance through the phases until one has orders in flight or the search ends."""
    while not finished(state):
        budget.release_orders(state)
        if budget.in_flight(state):
            break
        _settle(state, distance)
        if not finished(state):
            _plan(state)
    return state


def _settle(state: State, distance: Distance | None) -> None:
    """Settle the phase; orders not released by the budget are dropped."""
    step = STEPS[state["phase"]]
    step.settle(state, distance)
    state["queued"], state["pending"], state["billed"], state["arrived"] = [], [], 0, {}
    state["phase"] = step.then
    if state["exhausted"] and step.then == "generate" and not finished(state):
        state["ended"] = "exhausted"


def _plan(state: State) -> None:
    """Queue the orders of the phase; without candidate orders the search is complete."""
    state["queued"] = STEPS[state["phase"]].orders(state)
    if state["phase"] == "generate" and not state["queued"]:
        state["ended"] = "complete"


Carrier = Callable[[Order], Awaitable[Mapping[str, Any]]]
Checker = Callable[[Thought], bool]


async def run_search(
    state: State,
    generator: Carrier,
    judge: Carrier,
    *,
    concurrency: int = 4,
    checker: Checker | None = None,
    distance: Distance | None = None,
) -> State:
    """Run the search to its end, with at most `concurrency` orders at once; return its state.

    `generator` handles propose and sample orders, `judge` all other paid orders, and `checker` the
    unpaid checks. Exceptions are recorded as the order's fault.

    Raises:
        InvalidArgument: the settings require `check: function`, but there is no checker.
    """
    if checker is None and state["settings"]["check"] == "function":
        raise InvalidArgument("checker must be given where check is function", field="checker")
    gate = asyncio.Semaphore(concurrency)
    began = time.perf_counter() - state["elapsed"]

    async def execute(order: Order) -> Mapping[str, Any]:
        async with gate:
            result = await _result(order, generator, judge, checker)
        return {**result, "at": time.perf_counter() - began}

    while not finished(state):
        orders = open_orders(state)
        for order, result in zip(orders, await asyncio.gather(*map(execute, orders)), strict=True):
            state = absorb(state, order, result, distance)
    return state


async def _result(
    order: Order, generator: Carrier, judge: Carrier, checker: Checker | None
) -> Mapping[str, Any]:
    try:
        if checker and not order["paid"]:
            return {"verified": checker(order["thoughts"][0])}
        carrier = generator if order["kind"] in ("propose", "sample") else judge
        result = await carrier(order)
    except Exception as error:  # noqa: BLE001  # a carrier may raise anything; the search continues
        message = error.message if isinstance(error, ReasonloomError) else type(error).__name__
        return {"error": message}
    return result if isinstance(result, Mapping) else {}
