"""Closing a graph: find what it ends in, ask what that comes to, weigh it, close."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thought_graph.conclude import FinalizeState, conclude, find_ends
from reasonloom.nodes.thought_graph.finalize import close_graph, weigh_conclusion


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of finalizing."""
    graph = StateGraph(FinalizeState, context_schema=Execution)
    graph.add_node("find_ends", find_ends)
    graph.add_node("conclude", conclude)
    graph.add_node("weigh_conclusion", weigh_conclusion)
    graph.add_node("close_graph", close_graph)
    graph.add_edge(START, "find_ends")
    graph.add_edge("find_ends", "conclude")
    graph.add_edge("conclude", "weigh_conclusion")
    graph.add_edge("weigh_conclusion", "close_graph")
    graph.add_edge("close_graph", END)
    return graph


GRAPH = Graph("got_finalize", 1, build, saved=True, writes=True)
