"""Ending a session: sum it up, then store its episode; saved where a language model is asked."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.graph_memory.session_end import EndState, end_session, sum_up_session
from reasonloom.nodes.loom import Execution


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of a session's end."""
    graph = StateGraph(EndState, context_schema=Execution)
    graph.add_node("sum_up_session", sum_up_session)
    graph.add_node("end_session", end_session)
    graph.add_edge(START, "sum_up_session")
    graph.add_edge("sum_up_session", "end_session")
    graph.add_edge("end_session", END)
    return graph


GRAPH = Graph("session_end", 1, build, saved=True, saved_offline=False, writes=True)
