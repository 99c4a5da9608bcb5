"""Going back to a checkpoint: find it, explore a new direction where one is given, restore."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.backtrack import (
    BacktrackState,
    explore_direction,
    find_checkpoint,
    is_explored,
    restore_state,
)

NEXT: dict[Hashable, str] = {True: "restore_state", False: "explore_direction"}


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of going back."""
    graph = StateGraph(BacktrackState, context_schema=Execution)
    graph.add_node("find_checkpoint", find_checkpoint)
    graph.add_node("explore_direction", explore_direction)
    graph.add_node("restore_state", restore_state)
    graph.add_edge(START, "find_checkpoint")
    graph.add_conditional_edges("find_checkpoint", is_explored, NEXT)
    graph.add_conditional_edges("explore_direction", is_explored, NEXT)
    graph.add_edge("restore_state", END)
    return graph


def more_steps(request: dict[str, Any]) -> int:
    """Return -1 where there is no new direction to explore."""
    return 0 if request.get("new_direction") else -1


GRAPH = Graph("backtrack", 1, build, saved=True, writes=True, more_steps=more_steps)
