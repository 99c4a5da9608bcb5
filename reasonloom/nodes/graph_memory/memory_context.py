"""Answers `memory_context`: what stands around a node, whatever joins it."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.walking import MemoryContext, Walked
from reasonloom.nodes.graph_memory import walking
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory.traversal import Bounds, Way, walk

MOST_AROUND = 100
"""Nodes that are shown around one."""

WAYS = (Way(forward=True), Way(forward=False))


async def memory_context(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Show the request's node, the nodes nearest to it by weight, and the edges among them."""
    execution = runtime.context
    request = MemoryContext.model_validate(state["request"])
    bounds = Bounds(request.depth, MOST_AROUND)
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        done = await walk(tx, request.node_id, WAYS, bounds)
        shown, shortened = await walking.nodes(tx, request.node_id, done.reached, field="node_id")
        edges, left_out = await walking.edges(tx, shown, None)
    notes = [*walking.cuts(done, bounds), *left_out, *shortened]
    answer = Walked(results=shown, edges=edges, count=len(shown), truncated=bool(notes))
    return {"answer": answer.wire(), "notes": [*notes, *warned(execution, shown)]}
