"""Greedy search: always on from the best child, never back."""

from __future__ import annotations

from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import LIVE, State, rank


def greedy(state: State, settings: SearchSettings) -> list[int]:
    """Return the best child of the thought opened last, unless it is an answer."""
    last = max(state["nodes"], key=lambda node: node["opened"] or 0)
    if last["opened"] is None:
        return [0]
    children = [
        node for node in state["nodes"] if node["parent"] == last["id"] and node["status"] in LIVE
    ]
    best = min(children, key=rank, default=None)
    return [best["id"]] if best and not best["final"] else []
