"""Continuing a node of a graph: find it, ask (once more where too few came), keep."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thought_graph.generate import (
    GenerateState,
    find_node,
    is_complete,
    persist_nodes,
    propose,
)

NEXT: dict[Hashable, str] = {True: "keep_nodes", False: "propose"}


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of generating."""
    graph = StateGraph(GenerateState, context_schema=Execution)
    graph.add_node("find_node", find_node)
    graph.add_node("propose", propose)
    graph.add_node("keep_nodes", persist_nodes)
    graph.add_edge(START, "find_node")
    graph.add_edge("find_node", "propose")
    graph.add_conditional_edges("propose", is_complete, NEXT)
    graph.add_edge("keep_nodes", END)
    return graph


GRAPH = Graph(
    "got_generate",
    1,
    build,
    saved=True,
    writes=True,
    words={"propose": "propose continuations"},
)
