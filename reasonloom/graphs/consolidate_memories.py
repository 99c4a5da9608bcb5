"""Consolidation: find groups of old episodes, sum up one after another, tell of all."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.maintenance.consolidation import (
    ConsolidateState,
    find_groups,
    is_more_to_do,
    report_groups,
    summarise_group,
)

NEXT: dict[Hashable, str] = {True: "summarise_group", False: "report_groups"}


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of consolidation."""
    graph = StateGraph(ConsolidateState, context_schema=Execution)
    graph.add_node("find_groups", find_groups)
    graph.add_node("summarise_group", summarise_group)
    graph.add_node("report_groups", report_groups)
    graph.add_edge(START, "find_groups")
    graph.add_conditional_edges("find_groups", is_more_to_do, NEXT)
    graph.add_conditional_edges("summarise_group", is_more_to_do, NEXT)
    graph.add_edge("report_groups", END)
    return graph


GRAPH = Graph(
    "consolidate_memories",
    1,
    build,
    saved=True,
    writes=True,
    components=("memoryRepository", "embeddingEngine", "graphBuilder"),
    more_steps=lambda request: None,
)
