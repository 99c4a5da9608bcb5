"""Running a plan of operations: begin it, carry out all that it wants at once, keep the graph."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thought_graph.run.persist import persist_graph
from reasonloom.nodes.thought_graph.run.steps import (
    GotRunState,
    PlanTask,
    absorb_results,
    begin_plan,
    run_order,
    tasks,
)


def orders(state: GotRunState) -> list[Send] | str:
    """Send each order that the plan wants to a task of its own, or end."""
    return [Send("carry_out", task) for task in tasks(state)] or "keep_graph"


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of running a plan."""
    graph = StateGraph(GotRunState, context_schema=Execution)
    graph.add_node("begin_plan", begin_plan)
    graph.add_node("carry_out", run_order, input_schema=PlanTask)
    graph.add_node("take_in", absorb_results)
    graph.add_node("keep_graph", persist_graph)
    graph.add_edge(START, "begin_plan")
    graph.add_conditional_edges("begin_plan", orders, ["carry_out", "keep_graph"])
    graph.add_edge("carry_out", "take_in")
    graph.add_conditional_edges("take_in", orders, ["carry_out", "keep_graph"])
    graph.add_edge("keep_graph", END)
    return graph


GRAPH = Graph(
    "got_run",
    1,
    build,
    saved=True,
    writes=True,
    more_steps=lambda request: None,
    words={"carry_out": "carry out operations", "take_in": "take in what came"},
)
