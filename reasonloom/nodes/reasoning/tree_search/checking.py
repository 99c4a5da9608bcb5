"""Second phase of a round: have answers proved right or wrong, before a judge is paid."""

from __future__ import annotations

from reasonloom.nodes.reasoning.tree_search.state import Node, Pending, State, settings_of
from reasonloom.nodes.reasoning.tree_search.treesearch_orders import planned


def orders(state: State) -> list[Pending]:
    """Return one order for each new answer that is not a twin."""
    check = settings_of(state).check
    if check == "none":
        return []
    return [
        order
        for node in _answers(state)
        if node["twin_of"] is None
        for order in planned(
            state, "check", [node["id"]], asked=1, one_call=True, paid=check == "call"
        )
    ]


def settle(state: State) -> None:
    """Mark what was proved; the search ends with the first answer proved right."""
    for order in state["pending"]:
        node, received = state["nodes"][order["nodes"][0]], state["arrived"][order["key"]]
        node["fault"] = received["fault"]
        if received["given"]:
            node["status"] = "verified" if received["given"][0] else "refuted"
    for node in _answers(state):
        if node["twin_of"] is not None and state["nodes"][node["twin_of"]]["status"] == "refuted":
            node["status"] = "refuted"
    if any(node["status"] == "verified" for node in state["nodes"]):
        state["ended"] = "verified"


def _answers(state: State) -> list[Node]:
    return [node for node in state["nodes"] if node["status"] == "new" and node["final"]]
