"""First phase of a round: choose where to go on, and have candidates made."""

from __future__ import annotations

from typing import Any

from reasonloom.nodes.reasoning.tree_search.deduplication import (
    Distance,
    last_hope,
    normalised,
    original_of,
)
from reasonloom.nodes.reasoning.tree_search.state import Node, Pending, State, settings_of
from reasonloom.nodes.reasoning.tree_search.table import CONTROLLERS
from reasonloom.nodes.reasoning.tree_search.treesearch_orders import planned


def root(problem: str) -> Node:
    """Return the problem as the node that the search begins from."""
    return _node(0, None, 0, {"text": problem, "identity": problem, "data": None, "final": False})


def orders(state: State) -> list[Pending]:
    """Return the orders for candidates, or none where the controller is at its end."""
    settings = settings_of(state)
    chosen = _choose(state)
    if not chosen:
        return []
    state["round"] += 1
    return [
        order
        for node in chosen
        for order in planned(
            state,
            "propose" if settings.generate == "propose" else "sample",
            [node],
            asked=settings.branching,
            one_call=settings.batched or settings.generate == "propose",
        )
    ]


def _choose(state: State) -> list[int]:
    settings = settings_of(state)
    choose = CONTROLLERS[settings.controller]
    chosen = choose(state, settings)
    if not chosen and (twin := last_hope(state)):
        twin["status"] = "open"
        chosen = choose(state, settings)
    return chosen


def settle(state: State, distance: Distance | None) -> None:
    """Put the candidates into the tree, in the order they were asked for."""
    for order in state["pending"]:
        parent = state["nodes"][order["nodes"][0]]
        parent["opened"] = state["round"]
        parent["fault"] = state["arrived"][order["key"]]["fault"] or parent["fault"]
        for candidate in state["arrived"][order["key"]]["given"]:
            _add(state, parent, candidate, distance)
    parents = {node["parent"] for node in state["nodes"] if node["born"] == state["round"]}
    for order in state["pending"]:
        node = state["nodes"][order["nodes"][0]]
        node["status"] = "opened" if node["id"] in parents else "barren"


def _add(state: State, parent: Node, candidate: dict[str, Any], distance: Distance | None) -> None:
    settings = settings_of(state)
    depth = parent["depth"] + 1
    node = _node(len(state["nodes"]), parent["id"], depth, candidate)
    node["born"] = state["round"]
    node["twin_of"] = original_of(state, node, distance)
    node["final"] = node["final"] or depth == settings.depth
    if settings.twins == "close" and node["twin_of"] is not None:
        node["status"] = "twin"
    elif node["twin_of"] == 0:  # the problem is never judged, so it has no value to lend
        node["twin_of"] = None
    state["nodes"].append(node)


def _node(number: int, parent: int | None, depth: int, candidate: dict[str, Any]) -> Node:
    return Node(
        id=number,
        parent=parent,
        depth=depth,
        text=candidate["text"],
        data=candidate["data"],
        identity=normalised(candidate["identity"]),
        final=candidate["final"],
        status="open" if parent is None else "new",
        value=candidate.get("value"),  # a search that was saved by an older version has none
        twin_of=None,
        born=0,
        opened=None,
        fault=None,
    )
