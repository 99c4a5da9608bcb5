"""The wiring of a tool that is one node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState


def single(
    name: str, node: Callable[..., Any]
) -> Callable[[], StateGraph[Any, Execution, Any, Any]]:
    """Return a builder of the graph START -> `name` -> END."""

    def build() -> StateGraph[Any, Execution, Any, Any]:
        graph = StateGraph(ToolState, context_schema=Execution)
        graph.add_node(name, node)
        graph.add_edge(START, name)
        graph.add_edge(name, END)
        return graph

    return build
