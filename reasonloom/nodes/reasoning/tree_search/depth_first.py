"""Depth-first search with pruning and backtracking: algorithm 2 of Yao et al. 2023."""

from __future__ import annotations

from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import Node, State, rank


def depth_first(state: State, settings: SearchSettings) -> list[int]:
    """Return the best open child of the latest opened thought that has one.

    That is backtracking: a thought whose subtree is done has no open child any more. What was
    valued below `prune_below` is not open.
    """
    nodes = state["nodes"]

    def order(node: Node) -> tuple[float, tuple[bool, float, int]]:
        opened = None if node["parent"] is None else nodes[node["parent"]]["opened"]
        return -(opened or 0), rank(node)

    first = min((node for node in nodes if node["status"] == "open"), key=order, default=None)
    return [first["id"]] if first else []
