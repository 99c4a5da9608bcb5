"""The budget of a plan: orders are released as its limits allow."""

import math
from statistics import fmean

from reasonloom.nodes.thought_graph.operations.state import State


def release_orders(state: State) -> None:
    """Move orders from the queue to the pending ones, as far as the limits allow.

    An order that would exceed a limit waits while others are in flight, since these may cost less
    than expected. With none in flight, the limit is recorded as exhausted.
    """
    while state["queued"]:
        limit = _limit_passed(state, state["queued"][0]["kind"])
        if limit:
            if not in_flight(state):
                state["exhausted"] = state["exhausted"] or limit
            return
        state["pending"].append(state["queued"].pop(0))


def in_flight(state: State) -> int:
    """Return how many released orders have no result yet."""
    return sum(order["key"] not in state["bills"] for order in state["pending"])


def spent(state: State, what: str) -> float:
    """Return the calls, tokens or US dollars of all orders with results, summed exactly."""
    if what == "calls":
        return len(state["bills"])
    return math.fsum(bill[what] for bill in state["bills"].values())  # type: ignore[literal-required]


def expected(state: State, kind: str, what: str) -> float:
    """Return an order's expected cost: the mean of its kind so far, else of all orders, else 0."""
    if what == "calls":
        return 1.0
    bills = list(state["bills"].values())
    alike = [bill for bill in bills if bill["kind"] == kind] or bills
    return fmean(bill[what] for bill in alike) if alike else 0.0  # type: ignore[literal-required]


def _limit_passed(state: State, kind: str) -> str | None:
    """Return the limit that another order of this kind would exceed, counting those in flight."""
    for what in ("calls", "tokens", "usd"):
        limit = state["limits"].get(what)
        if limit is None:
            continue
        used, each = spent(state, what), expected(state, kind, what)
        if used >= limit or used + (in_flight(state) + 1) * each > limit:
            return what
    seconds = state["limits"].get("seconds")
    return "seconds" if seconds is not None and state["elapsed"] >= seconds else None
