"""Evaluating a session: measure it, hear an opinion, answer."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.reflection.evaluate import (
    EvaluationState,
    hear_opinion,
    measure_session,
    render_evaluation,
)


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of an evaluation."""
    graph = StateGraph(EvaluationState, context_schema=Execution)
    graph.add_node("measure_session", measure_session)
    graph.add_node("hear_opinion", hear_opinion)
    graph.add_node("tell_evaluation", render_evaluation)
    graph.add_edge(START, "measure_session")
    graph.add_edge("measure_session", "hear_opinion")
    graph.add_edge("hear_opinion", "tell_evaluation")
    graph.add_edge("tell_evaluation", END)
    return graph


GRAPH = Graph("reflection_evaluate", 1, build, saved=True, writes=True)
