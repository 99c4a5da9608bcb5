"""The budget of a search: orders are released as limits allow; and the best thought so far."""

from typing import Any, TypedDict, get_args

from reasonloom.nodes.reasoning.tree_search.state import (
    Cost,
    Kind,
    Node,
    Pending,
    State,
    path,
    settings_of,
)

LIMITED = ("calls", "tokens", "usd")


def release_orders(state: State) -> None:
    """Move orders from the queue to the pending ones, as far as the budget allows.

    An order that would exceed a limit waits while others are in flight, since these may cost less
    than expected. With none in flight, the limit is recorded as exhausted.
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
    """Return how many released orders have not been billed yet."""
    return len(state["pending"]) - state["billed"]


def exceeded(state: State, order: Pending) -> str | None:
    """Return the limit that `order` would exceed, with orders in flight at their expected cost.

    All orders in flight belong to one phase, and so have the same kind.
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
    """Return the calls, tokens or US dollars spent on finished orders."""
    rows = [state["spent"][kind] for kind in get_args(Kind) if kind in state["spent"]]
    return float(sum(row[what] for row in rows))  # type: ignore[literal-required]


def expected(state: State, kind: Kind, what: str) -> float:
    """Return an order's expected cost: the mean of its kind, else of all, else as configured."""
    if what == "calls":
        return 1.0
    row = state["spent"].get(kind)
    if row and row["calls"]:
        return float(row[what] / row["calls"])  # type: ignore[literal-required]
    calls = spent(state, "calls")
    if calls:
        return spent(state, what) / calls
    return float(getattr(settings_of(state), f"expected_{what}"))


def record_costs(state: State) -> None:
    """Add the costs of orders in flight, in order: the sum of floats depends on it."""
    for order in state["pending"][state["billed"] :]:
        received = state["arrived"][order["key"]]
        row = state["spent"].setdefault(order["kind"], Cost(calls=0, tokens=0.0, usd=0.0))
        row["calls"] += order["paid"]
        row["tokens"] += received["tokens"]
        row["usd"] += received["usd"]
        state["elapsed"] = max(state["elapsed"], received["at"])
    state["billed"] = len(state["pending"])
    state["steps"] += 1


REASONS = {
    None: "the search has not ended",
    "verified": "the answer was proved right",
    "complete": "nothing was left to go on from",
}


class Best(TypedDict):
    """The best thought; `node` is None and `text` empty if there was no candidate at all.

    `ended` is verified, complete, exhausted, failed, or None; `exhausted` names the budget limit
    that was reached.
    """

    node: int | None
    text: str
    data: Any
    path: list[str]
    value: float | None
    verified: bool
    status: str | None
    ended: str | None
    exhausted: str | None
    reason: str


def best_so_far(state: State) -> Best:
    """Return the best thought so far.

    Verified thoughts come first, refuted or pruned ones last; answers before unfinished thoughts,
    judged before unjudged, then by value, then by creation order. Votes of different rounds are not
    comparable, so with vote judging deeper thoughts come first.
    """
    deeper = settings_of(state).judge == "vote"
    found = max(state["nodes"][1:], key=lambda node: _final_standing(node, deeper), default=None)
    failed = found is None and state["ended"] == "complete"
    return Best(
        node=found["id"] if found else None,
        text=found["text"] if found else "",
        data=found["data"] if found else None,
        path=[step["text"] for step in path(state, found["id"])] if found else [],
        value=found["value"] if found else None,
        verified=found is not None and found["status"] == "verified",
        status=found["status"] if found else None,
        ended="failed" if failed else state["ended"],
        exhausted=state["exhausted"],
        reason=_reason(state, failed),
    )


def _final_standing(node: Node, deeper: bool) -> tuple[float, ...]:
    return (
        node["status"] == "verified",
        node["status"] not in ("refuted", "pruned"),
        node["final"],
        node["value"] is not None,
        node["depth"] if deeper else 0,
        node["value"] or 0.0,
        -node["id"],
    )


def _reason(state: State, failed: bool) -> str:
    if failed:
        return f"no candidate came: {state['nodes'][0]['fault']}"
    if state["ended"] == "exhausted":
        return f"the budget of {state['exhausted']} ran out"
    return REASONS[state["ended"]]
