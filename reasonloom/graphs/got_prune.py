"""Pruning a graph: score what nobody has scored, take out; or put back instead."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thought_graph.prune import PruneState, find_unscored, put_back, take_out
from reasonloom.nodes.thought_graph.scoring import Ballot, cast_ballot, make_ballots


def way(state: PruneState) -> list[Send] | str:
    """Return the ballots on unscored nodes; where there are none, or none are needed, the rest."""
    if state["request"].get("restore"):
        return "put_back"
    return [Send("cast_ballot", ballot) for ballot in make_ballots(state)] or "take_out"


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of pruning."""
    graph = StateGraph(PruneState, context_schema=Execution)
    graph.add_node("find_unscored", find_unscored)
    graph.add_node("cast_ballot", cast_ballot, input_schema=Ballot)
    graph.add_node("take_out", take_out)
    graph.add_node("put_back", put_back)
    graph.add_edge(START, "find_unscored")
    graph.add_conditional_edges("find_unscored", way, ["cast_ballot", "take_out", "put_back"])
    graph.add_edge("cast_ballot", "take_out")
    graph.add_edge("take_out", END)
    graph.add_edge("put_back", END)
    return graph


GRAPH = Graph("got_prune", 1, build, saved=True, writes=True)
