"""Resolving a prediction: judge what came of it, then count it."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.mental_models.resolve import ResolvingState, judge_outcome, resolve_prediction


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of resolving."""
    graph = StateGraph(ResolvingState, context_schema=Execution)
    graph.add_node("judge_outcome", judge_outcome)
    graph.add_node("resolve_prediction", resolve_prediction)
    graph.add_edge(START, "judge_outcome")
    graph.add_edge("judge_outcome", "resolve_prediction")
    graph.add_edge("resolve_prediction", END)
    return graph


GRAPH = Graph("resolve_prediction", 1, build, saved=True, saved_offline=False, writes=True)
