"""Refining a node of a graph: write it anew, compare both blind, keep the better one active."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thought_graph.refine import (
    RefineState,
    find_parent,
    is_changed,
    persist_better,
    write_anew,
)
from reasonloom.nodes.thought_graph.scoring import BALLOTS, Ballot, cast_ballot, make_ballots


def after_writing(state: RefineState) -> list[Send] | str:
    """Compare the two, unless they say the same."""
    if not is_changed(state):
        return "keep_better"
    return [Send("cast_ballot", ballot) for ballot in make_ballots(state)]


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of refining."""
    graph = StateGraph(RefineState, context_schema=Execution)
    graph.add_node("find_parent", find_parent)
    graph.add_node("write_anew", write_anew)
    graph.add_node("cast_ballot", cast_ballot, input_schema=Ballot)
    graph.add_node("keep_better", persist_better)
    graph.add_edge(START, "find_parent")
    graph.add_edge("find_parent", "write_anew")
    graph.add_conditional_edges("write_anew", after_writing, ["cast_ballot", "keep_better"])
    graph.add_edge("cast_ballot", "keep_better")
    graph.add_edge("keep_better", END)
    return graph


def more_steps(request: dict[str, Any]) -> int:
    """Return the further steps: each ballot is one."""
    return BALLOTS - 1


GRAPH = Graph(
    "got_refine",
    1,
    build,
    saved=True,
    writes=True,
    more_steps=more_steps,
    words={"find_parent": "find the node", "cast_ballot": "compare blind"},
)
