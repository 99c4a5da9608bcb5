"""Scoring a node of a graph: find it, cast blind ballots at once, weigh and keep."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thought_graph.score import find_scored, persist_score
from reasonloom.nodes.thought_graph.scoring import (
    BALLOTS,
    Ballot,
    ScoringState,
    cast_ballot,
    make_ballots,
)


def at_once(state: ScoringState) -> list[Send]:
    """Send each ballot to a task of its own."""
    return [Send("cast_ballot", ballot) for ballot in make_ballots(state)]


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of scoring."""
    graph = StateGraph(ScoringState, context_schema=Execution)
    graph.add_node("find_scored", find_scored)
    graph.add_node("cast_ballot", cast_ballot, input_schema=Ballot)
    graph.add_node("keep_score", persist_score)
    graph.add_edge(START, "find_scored")
    graph.add_conditional_edges("find_scored", at_once, ["cast_ballot"])
    graph.add_edge("cast_ballot", "keep_score")
    graph.add_edge("keep_score", END)
    return graph


def more_steps(request: dict[str, Any]) -> int:
    """Return the further steps: each ballot is one."""
    return BALLOTS - 1


GRAPH = Graph(
    "got_score",
    1,
    build,
    saved=True,
    writes=True,
    more_steps=more_steps,
    words={"find_scored": "find the node", "cast_ballot": "cast blind ballots"},
)
