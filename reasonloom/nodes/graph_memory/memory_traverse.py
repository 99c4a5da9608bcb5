"""Answers `memory_traverse`: what can be reached from a node, best paths first."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.walking import Direction, MemoryTraverse, Walked
from reasonloom.nodes.graph_memory import walking
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory.traversal import Bounds, Way, walk

WAYS: dict[Direction, tuple[bool, ...]] = {
    "forward": (True,),
    "backward": (False,),
    "both": (True, False),
}


async def memory_traverse(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Walk from the request's node; it is shown first and is none of `max_results`."""
    execution = runtime.context
    request = MemoryTraverse.model_validate(state["request"])
    types = None if request.edge_types is None else tuple(request.edge_types)
    ways = tuple(Way(forward, types) for forward in WAYS[request.direction])
    bounds = Bounds(request.max_depth, request.max_results, request.min_confidence or 0.0)
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        done = await walk(tx, request.start_id, ways, bounds)
        shown, shortened = await walking.nodes(tx, request.start_id, done.reached, field="start_id")
        edges, left_out = await walking.edges(tx, shown, types)
    notes = [*walking.cuts(done, bounds), *left_out, *shortened]
    answer = Walked(results=shown, edges=edges, count=len(shown), truncated=bool(notes))
    return {"answer": answer.wire(), "notes": [*notes, *warned(execution, shown)]}
