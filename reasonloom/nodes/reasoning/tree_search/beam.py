"""Beam search: of each level the best `width`; the breadth-first search of Yao et al. 2023."""

from __future__ import annotations

from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import LIVE, State, rank


def beam(state: State, settings: SearchSettings) -> list[int]:
    """Return the best `width` of the deepest level; an answer keeps its place among them."""
    deepest = max(
        (node["depth"] for node in state["nodes"] if node["opened"] is not None), default=-1
    )
    level = [
        node for node in state["nodes"] if node["depth"] == deepest + 1 and node["status"] in LIVE
    ]
    kept = sorted(level, key=rank)[: settings.width]
    return [node["id"] for node in kept if not node["final"]]
