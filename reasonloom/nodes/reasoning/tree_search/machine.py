"""The search as a step machine: it says what it wants, takes in what comes, and goes on.

A round has three phases: generate, check, judge. A phase is settled when all its results are
there, and in the order in which they were asked for: so the order of arrival decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from reasonloom.errors import InvalidArgument
from reasonloom.nodes.reasoning.tree_search import budget, checking, generating, phases
from reasonloom.nodes.reasoning.tree_search.deduplication import Distance
from reasonloom.nodes.reasoning.tree_search.orders import read
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import Pending, Phase, State
from reasonloom.nodes.reasoning.tree_search.treesearch_orders import Order, shown


class Step(NamedTuple):
    """A phase: what it asks for, how it takes in what came, and the phase after it."""

    orders: Callable[[State], list[Pending]]
    settle: Callable[[State, Distance | None], None]
    then: Phase


STEPS: dict[Phase, Step] = {
    "generate": Step(generating.orders, generating.settle, "check"),
    "check": Step(checking.orders, lambda state, _: checking.settle(state), "judge"),
    "judge": Step(phases.orders, lambda state, _: phases.settle(state), "generate"),
}


def begin(problem: str, settings: SearchSettings) -> State:
    """Return a search that wants its first orders.

    Raises:
        InvalidArgument: the problem is blank.
    """
    if not problem.strip():
        raise InvalidArgument("problem must not be blank", field="problem", kind="empty")
    state = State(
        problem=problem,
        settings=settings.to_state(),
        nodes=[generating.root(problem)],
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
    return _go_on(state, None)


def wanted(state: State) -> list[Order]:
    """Return the orders that were given out and not answered yet; all may run at once."""
    return [
        shown(state, order) for order in state["pending"] if order["key"] not in state["arrived"]
    ]


def absorb(state: State, order: Order, result: object, distance: Distance | None = None) -> State:
    """Return the state with one result taken in; the state that was given stays as it was.

    A second result for an order changes nothing. What cannot be used, or is an `error`, marks
    its node, and the search goes on with the rest. `results.read` tells the form of a result.
    """
    pending = {each["key"]: each for each in state["pending"]}
    key = order["key"]
    if key not in pending or key in state["arrived"]:
        return state
    arrived = {**state["arrived"], key: read(pending[key], result)}
    after = State(**{**state, "arrived": arrived})
    if len(arrived) < len(pending):
        return after
    after = _copied(after)
    budget.bill(after)
    return _go_on(after, distance)


def _copied(state: State) -> State:
    """Return a state whose changing parts are its own; `deepcopy` takes much longer."""
    after = state.copy()
    after["nodes"] = [node.copy() for node in state["nodes"]]
    after["spent"] = {kind: cost.copy() for kind, cost in state["spent"].items()}
    after["queued"], after["pending"] = state["queued"].copy(), state["pending"].copy()
    return after


def finished(state: State) -> bool:
    """Tell whether the search has ended; `state["ended"]` says how."""
    return state["ended"] is not None


def _go_on(state: State, distance: Distance | None) -> State:
    """Pass through the phases until one has orders in flight, or the search ends."""
    while not finished(state):
        budget.give_out(state)
        if budget.in_flight(state):
            break
        _settle(state, distance)
        if not finished(state):
            _plan(state)
    return state


def _settle(state: State, distance: Distance | None) -> None:
    """Take in what the phase has brought; what the budget did not let out is dropped."""
    step = STEPS[state["phase"]]
    step.settle(state, distance)
    state["queued"], state["pending"], state["billed"], state["arrived"] = [], [], 0, {}
    state["phase"] = step.then
    if state["exhausted"] and step.then == "generate" and not finished(state):
        state["ended"] = "exhausted"


def _plan(state: State) -> None:
    """Queue the orders of the phase; a search that has nothing to go on from is complete."""
    state["queued"] = STEPS[state["phase"]].orders(state)
    if state["phase"] == "generate" and not state["queued"]:
        state["ended"] = "complete"
