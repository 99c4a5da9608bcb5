"""Linear reasoning: recall, continue (once more where the answer is too unsure), keep."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.linear import (
    LinearState,
    continue_thought,
    is_sure_enough,
    persist_thought,
    recall_context,
)


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of linear reasoning."""
    graph = StateGraph(LinearState, context_schema=Execution)
    graph.add_node("recall_context", recall_context)
    graph.add_node("continue_thought", continue_thought)
    graph.add_node("keep_thought", persist_thought)
    graph.add_edge(START, "recall_context")
    graph.add_edge("recall_context", "continue_thought")
    graph.add_conditional_edges(
        "continue_thought", is_sure_enough, {True: "keep_thought", False: "continue_thought"}
    )
    graph.add_edge("keep_thought", END)
    return graph


GRAPH = Graph("linear", 2, build, saved=True, writes=True)
