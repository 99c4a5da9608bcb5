"""Checking a claim: gather, look through lenses at the same time where there is an llm, tell."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.graph_memory.ground import TELL, gather, look, tell, to_look
from reasonloom.nodes.graph_memory.grounding.judges import GroundState
from reasonloom.nodes.graph_memory.grounding.lenses import LENSES
from reasonloom.nodes.loom import Execution

WORDS = {
    "gather": "find what stands near",
    "look": "look through lenses",
    TELL: "tell the verdict",
}


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring; the lenses answer at the same time, each blind to the others."""
    graph = StateGraph(GroundState, context_schema=Execution)
    graph.add_node("gather", gather)
    graph.add_node("look", look)
    graph.add_node(TELL, tell)
    graph.add_edge(START, "gather")
    graph.add_conditional_edges("gather", to_look, ["look", TELL])
    graph.add_edge("look", TELL)
    graph.add_edge(TELL, END)
    return graph


def more_steps(request: dict[str, Any]) -> int:
    """Return the steps beyond one of each node."""
    return len(LENSES) - 1


GRAPH = Graph(
    "memory_ground",
    1,
    build,
    saved=True,
    saved_offline=False,
    more_steps=more_steps,
    words=WORDS,
)
