"""Holds a search within its budget: each order is weighed before it is given out."""

from __future__ import annotations

from typing import get_args

from reasonloom.nodes.reasoning.tree_search.state import Cost, Kind, Pending, State, settings_of

LIMITED = ("calls", "tokens", "usd")


def give_out(state: State) -> None:
    """Move orders from the queue to the pending ones, as many as the budget allows.

    An order that would exceed a limit waits while others are in flight, since these may come
    cheaper than expected; with none in flight, the limit is written down as exhausted.
    """
    while state["queued"]:
        order = state["queued"][0]
        limit = exceeded(state, order) if order["paid"] else None
        if limit:
            if not in_flight(state):
                state["exhausted"] = state["exhausted"] or limit
            return
        state["pending"].append(state["queued"].pop(0))


def in_flight(state: State) -> int:
    """Return how many orders are given out and not billed."""
    return len(state["pending"]) - state["billed"]


def exceeded(state: State, order: Pending) -> str | None:
    """Return the limit that `order` would exceed, with all that is in flight at expected cost.

    What is in flight is of one phase, and so of one kind with the order.
    """
    settings, flying = settings_of(state), in_flight(state)
    for what in LIMITED:
        limit = getattr(settings, f"most_{what}")
        each = expected(state, order["kind"], what)
        if limit is not None and _over(spent(state, what) + flying * each, each, limit):
            return what
    pace = state["elapsed"] / state["steps"] if state["steps"] else 0.0
    limit = settings.most_seconds
    return "seconds" if limit is not None and _over(state["elapsed"], pace, limit) else None


def _over(used: float, more: float, limit: float) -> bool:
    return used >= limit or used + more > limit


def spent(state: State, what: str) -> float:
    """Return the calls, tokens or US dollars that finished orders have cost."""
    rows = [state["spent"][kind] for kind in get_args(Kind) if kind in state["spent"]]
    return float(sum(row[what] for row in rows))  # type: ignore[literal-required]


def expected(state: State, kind: Kind, what: str) -> float:
    """Return what an order costs: the mean of its kind, else of all, else as the settings say."""
    if what == "calls":
        return 1.0
    row = state["spent"].get(kind)
    if row and row["calls"]:
        return float(row[what] / row["calls"])  # type: ignore[literal-required]
    calls = spent(state, "calls")
    if calls:
        return spent(state, what) / calls
    return float(getattr(settings_of(state), f"expected_{what}"))


def bill(state: State) -> None:
    """Add what orders in flight have cost, in their own order: sums of floats depend on it."""
    for order in state["pending"][state["billed"] :]:
        received = state["arrived"][order["key"]]
        row = state["spent"].setdefault(order["kind"], Cost(calls=0, tokens=0.0, usd=0.0))
        row["calls"] += order["paid"]
        row["tokens"] += received["tokens"]
        row["usd"] += received["usd"]
        state["elapsed"] = max(state["elapsed"], received["at"])
    state["billed"] = len(state["pending"])
    state["steps"] += 1
