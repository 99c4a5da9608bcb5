"""Checking a claim: gather, look through lenses at the same time where there is an llm, tell."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.graph_memory.ground import (
    VERDICT_NODE,
    answer_verdict,
    ask_judge,
    gather_evidence,
    plan_votes,
)
from reasonloom.nodes.graph_memory.grounding.judges import JUDGES, GroundState
from reasonloom.nodes.loom import Execution

WORDS = {
    "gather": "find what stands near",
    "look": "look through lenses",
    VERDICT_NODE: "tell the verdict",
}


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring; the lenses answer at the same time, each blind to the others."""
    graph = StateGraph(GroundState, context_schema=Execution)
    graph.add_node("gather", gather_evidence)
    graph.add_node("look", ask_judge)
    graph.add_node(VERDICT_NODE, answer_verdict)
    graph.add_edge(START, "gather")
    graph.add_conditional_edges("gather", plan_votes, ["look", VERDICT_NODE])
    graph.add_edge("look", VERDICT_NODE)
    graph.add_edge(VERDICT_NODE, END)
    return graph


def more_steps(request: dict[str, Any]) -> int:
    """Return the steps beyond one of each node."""
    return len(JUDGES) - 1


GRAPH = Graph(
    "memory_ground",
    1,
    build,
    saved=True,
    saved_offline=False,
    more_steps=more_steps,
    words=WORDS,
)
