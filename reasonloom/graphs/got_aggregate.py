"""Merging nodes of a graph: find them, ask, keep."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thought_graph.aggregate import (
    AggregateState,
    find_inputs,
    merge,
    persist_merged,
)


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of aggregating."""
    graph = StateGraph(AggregateState, context_schema=Execution)
    graph.add_node("find_inputs", find_inputs)
    graph.add_node("merge", merge)
    graph.add_node("keep_merged", persist_merged)
    graph.add_edge(START, "find_inputs")
    graph.add_edge("find_inputs", "merge")
    graph.add_edge("merge", "keep_merged")
    graph.add_edge("keep_merged", END)
    return graph


GRAPH = Graph("got_aggregate", 1, build, saved=True, writes=True)
