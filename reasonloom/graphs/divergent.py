"""Divergent reasoning: recall, look through all lenses at once, bring together, keep."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.contracts.reasoning.divergent import ReasoningDivergent
from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.divergent.persist import persist_perspectives
from reasonloom.nodes.reasoning.divergent.steps import (
    DivergentState,
    after_synthesis,
    perspective_tasks,
    recall_context,
    synthesise,
    take_perspective,
)


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of divergent reasoning."""
    graph = StateGraph(DivergentState, context_schema=Execution)
    graph.add_node("recall_context", recall_context)
    graph.add_node("take_perspective", take_perspective)
    graph.add_node("synthesise", synthesise)
    graph.add_node("keep_perspectives", persist_perspectives)
    graph.add_edge(START, "recall_context")
    graph.add_conditional_edges("recall_context", perspective_tasks, ["take_perspective"])
    graph.add_edge("take_perspective", "synthesise")
    graph.add_conditional_edges(
        "synthesise", after_synthesis, ["take_perspective", "synthesise", "keep_perspectives"]
    )
    graph.add_edge("keep_perspectives", END)
    return graph


def more_steps(request: dict[str, Any]) -> int:
    """Return the further steps: each perspective is one, and the plain answer another."""
    return ReasoningDivergent.model_validate(request).num_perspectives


GRAPH = Graph("divergent", 1, build, saved=True, writes=True, more_steps=more_steps)
"""The perspectives are tasks of one step: those that have ended are not taken again."""
