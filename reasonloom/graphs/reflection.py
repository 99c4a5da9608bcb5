"""Reflection: criticise, revise, compare blind; round again while the revision is preferred."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.contracts.reasoning.reflection import ReasoningReflection
from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.reflection.persist import persist_reflection
from reasonloom.nodes.reasoning.reflection.steps import (
    ReflectionState,
    compare,
    criticise,
    find_answer,
    is_stopped,
    revise,
)

ROUND = 3
"""Steps of one round: criticise, revise, compare."""


def _unless_stopped(onward: str) -> dict[Hashable, str]:
    return {True: "keep_reflection", False: onward}


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of reflection."""
    graph = StateGraph(ReflectionState, context_schema=Execution)
    graph.add_node("find_answer", find_answer)
    graph.add_node("criticise", criticise)
    graph.add_node("revise", revise)
    graph.add_node("compare", compare)
    graph.add_node("keep_reflection", persist_reflection)
    graph.add_edge(START, "find_answer")
    graph.add_edge("find_answer", "criticise")
    graph.add_conditional_edges("criticise", is_stopped, _unless_stopped("revise"))
    graph.add_conditional_edges("revise", is_stopped, _unless_stopped("compare"))
    graph.add_conditional_edges("compare", is_stopped, _unless_stopped("criticise"))
    graph.add_edge("keep_reflection", END)
    return graph


def more_steps(request: dict[str, Any]) -> int:
    """Return the further steps where every round is made; many runs stop earlier."""
    return (ReasoningReflection.model_validate(request).max_iterations - 1) * ROUND


GRAPH = Graph("reflection", 1, build, saved=True, writes=True, more_steps=more_steps)
