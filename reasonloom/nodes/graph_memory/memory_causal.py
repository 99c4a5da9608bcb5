"""Answers `memory_causal`: what depends on a node.

What was caused by a node or derived from it depends on it, and so does what it supports; the
evidence for it does not. No other edge carries dependence: what corrects a node does not rest
on it.
"""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.walking import Impact, MemoryCausal
from reasonloom.nodes.graph_memory import walking
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory.traversal import Bounds, Way, kinds, walk

MOST_SHOWN = 100
MOST_COUNTED = 5_000
RESTING = ("caused_by", "derived_from")
"""Types of edges that lead from what depends to what it depends on."""

CARRYING = ("supports",)
"""Types of edges that lead to what depends."""

WAYS = (Way(forward=False, types=RESTING), Way(forward=True, types=CARRYING))
MORE = "more than {count} nodes depend on it; the count ends there"
SHOWN = "{count} dependents were counted; the {shown} with the best paths are shown"
SUPERSEDED = "{count} of the dependents are superseded by newer nodes; they are counted"


async def memory_causal(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Count what depends on the request's node, and show the nearest by weight."""
    execution = runtime.context
    request = MemoryCausal.model_validate(state["request"])
    bounds = Bounds(request.max_depth, MOST_COUNTED, edges=MOST_COUNTED, level=MOST_COUNTED)
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        done = await walk(tx, request.node_id, WAYS, bounds)
        best = done.reached[:MOST_SHOWN]
        shown, shortened = await walking.nodes(tx, request.node_id, best, field="node_id")
        edges, left_out = await walking.edges(tx, shown, RESTING + CARRYING)
        counted = await kinds(tx, [each.id for each in done.reached])
    count = sum(found for found, _ in counted.values())
    cut = [SHOWN.format(count=count, shown=MOST_SHOWN)] if count > MOST_SHOWN else []
    cut = [*walking.cuts(done, bounds, more=MORE), *cut, *left_out, *shortened]
    answer = Impact(
        root_id=request.node_id,
        dependent_count=count,
        affected_decisions=counted.get("decision", (0, 0))[0],
        affected_inferences=counted.get("inference", (0, 0))[0],
        dependents=shown[1:],
        edges=edges,
        truncated=bool(cut),
    )
    superseded = sum(found for _, found in counted.values())
    notes = [*cut, *([SUPERSEDED.format(count=superseded)] if superseded else [])]
    return {"answer": answer.wire(), "notes": [*notes, *warned(execution, answer.dependents)]}
