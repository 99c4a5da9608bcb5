"""Graph builders for LangGraph's own tools, one per graph, referenced by `langgraph.json`.

They serve inspection only: nodes, edges, state. A run needs a caller and a database record, which
LangGraph's tools cannot provide, so runs started there are refused.
"""

from collections.abc import Callable
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph_sdk.runtime import ServerRuntime

from reasonloom.errors import Conflict
from reasonloom.graphs.graph import load_graph


def opened(name: str) -> Callable[[ServerRuntime[Any]], CompiledStateGraph[Any, Any, Any, Any]]:
    """Return the builder that LangGraph's server calls whenever it opens the named graph."""

    def build(runtime: ServerRuntime[Any]) -> CompiledStateGraph[Any, Any, Any, Any]:
        if runtime.execution_runtime is not None:
            raise Conflict(f"{name} is run by `reasonloom call` or over MCP, not from here")
        return load_graph(name).build().compile(name=name)

    return build


linear = opened("linear")
tree = opened("tree")
divergent = opened("divergent")
reflection = opened("reflection")
backtrack = opened("backtrack")
auto = opened("auto")
got_run = opened("got_run")
think = opened("think")
ponder = opened("ponder")
deliberate = opened("deliberate")
analyze = opened("analyze")
breakdown = opened("breakdown")
memory_ground = opened("memory_ground")
remember = opened("remember")
recall = opened("recall")
