"""The `memory_traverse`, `memory_causal` and `memory_context` tools, which walk along edges."""

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.queries import (
    Direction,
    Impact,
    MemoryCausal,
    MemoryContext,
    MemoryTraverse,
    ReachedNode,
    Walked,
)
from reasonloom.contracts.graph_memory.shared import MemoryEdge
from reasonloom.errors import NodeNotFound
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.rendering import (
    bound_contents,
    injection_warnings,
    node_fields,
    render_edge,
)
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory import memory_nodes
from reasonloom.stores.graph_memory.traversal import (
    Bounds,
    Reached,
    Walk,
    Way,
    edges_between,
    kinds,
    walk,
)
from reasonloom.stores.pipelines import together

MOST_EDGES = 1_000
"""Maximum edges of an answer."""

MORE_REACHED = "more than {count} nodes can be reached; those with the best paths are shown"
EDGES_CUT = "a node has more than {count} edges one way: its {count} heaviest were followed"
LEVEL_CUT = "more than {nodes} nodes or {edges} edges at one distance: the best were followed"
LATE = "the walk was ended after {seconds:g} s; more may be reached, and by better paths"
JOINED = "more than {count} edges join these nodes; the heaviest are shown"


async def reached_nodes(
    tx: Transaction, start: int, reached: Sequence[Reached], *, field: str
) -> tuple[list[ReachedNode], list[str]]:
    """Return the start, at depth 0, and the reached nodes, best paths first, with notes on cuts.

    Raises:
        NodeNotFound: the start does not exist; `field` names its argument.
    """
    paths = {start: Reached(start, 0, 1.0), **{each.id: each for each in reached}}
    rows, notes = bound_contents(await memory_nodes.fetch(tx, paths))
    if not rows or rows[0].id != start:
        raise NodeNotFound(str(start), field=field)
    nodes = [
        ReachedNode(
            **node_fields(row),
            depth=paths[row.id].depth,
            path_weight=float(f"{paths[row.id].worth:.6g}"),  # products of many edges are small
        )
        for row in rows
    ]
    nodes.sort(key=lambda node: (node.depth > 0, -node.path_weight, node.depth, node.node_id))
    return nodes, notes


async def joining_edges(
    tx: Transaction, start: int, reached: Sequence[Reached], types: Sequence[str] | None
) -> tuple[list[MemoryEdge], list[str]]:
    """Return the edges between nodes, heaviest first, and a note if some are left out."""
    ids = [start, *(each.id for each in reached)]
    rows, more = await edges_between(tx, ids, types, most=MOST_EDGES)
    return [render_edge(row) for row in rows], [JOINED.format(count=MOST_EDGES)] if more else []


def cut_notes(walk: Walk, bounds: Bounds, *, more: str = MORE_REACHED) -> list[str]:
    """Return notes on the limits that a walk reached; `more` is the note on too many nodes."""
    remarks = {
        more.format(count=bounds.most): walk.more,
        EDGES_CUT.format(count=bounds.edges): walk.edges_cut,
        LEVEL_CUT.format(nodes=bounds.level, edges=bounds.read): walk.level_cut,
        LATE.format(seconds=bounds.seconds): walk.late,
    }
    return [note for note, applies in remarks.items() if applies]


TRAVERSE_DIRECTIONS: dict[Direction, tuple[bool, ...]] = {
    "forward": (True,),
    "backward": (False,),
    "both": (True, False),
}


async def memory_traverse(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the nodes reached from the start, which comes first and does not count."""
    request = runtime.context.request(MemoryTraverse)
    types = None if request.edge_types is None else tuple(request.edge_types)
    ways = tuple(Way(forward, types) for forward in TRAVERSE_DIRECTIONS[request.direction])
    bounds = Bounds(request.max_depth, request.max_results, request.min_confidence or 0.0)
    return await _walked(runtime.context, request.start_id, ways, bounds, types, field="start_id")


async def _walked(
    execution: Execution,
    start: int,
    ways: tuple[Way, ...],
    bounds: Bounds,
    types: Sequence[str] | None,
    *,
    field: str,
) -> dict[str, Any]:
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        done = await walk(tx, start, ways, bounds)
        tx.end_with_next()
        (nodes, shortened), (edges, left_out) = await together(
            reached_nodes(tx, start, done.reached, field=field),
            joining_edges(tx, start, done.reached, types),
        )
    notes = [*cut_notes(done, bounds), *left_out, *shortened]
    answer = Walked(results=nodes, edges=edges, count=len(nodes), truncated=bool(notes))
    return {"answer": answer.wire(), "notes": [*notes, *injection_warnings(execution, nodes)]}


# A node's dependents are those that it caused, that were derived from it or that it supports; its
# evidence is not. No other edge means dependence: a correction does not depend on what it corrects.

MOST_LISTED = 100
MOST_COUNTED = 5_000
RESTING = ("caused_by", "derived_from")
"""Types of edges from a dependent to what it depends on."""

DERIVING = ("supports",)
"""Types of edges to a dependent."""

CAUSAL_DIRECTIONS = (Way(forward=False, types=RESTING), Way(forward=True, types=DERIVING))
MORE_DEPENDENTS = "more than {count} nodes depend on it; the count ends there"
LISTED = "{count} dependents were counted; the {shown} with the best paths are shown"
SUPERSEDED = "{count} of the dependents are superseded by newer nodes; they are counted"


async def memory_causal(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Count the node's dependents, and list the nearest by weight."""
    execution = runtime.context
    request = execution.request(MemoryCausal)
    bounds = Bounds(request.max_depth, MOST_COUNTED, edges=MOST_COUNTED, level=MOST_COUNTED)
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        done = await walk(tx, request.node_id, CAUSAL_DIRECTIONS, bounds)
        best = done.reached[:MOST_LISTED]
        tx.end_with_next()
        (nodes, shortened), (edges, left_out), counted = await together(
            reached_nodes(tx, request.node_id, best, field="node_id"),
            joining_edges(tx, request.node_id, best, RESTING + DERIVING),
            kinds(tx, [each.id for each in done.reached]),
        )
    count = sum(found for found, _ in counted.values())
    cut = [LISTED.format(count=count, shown=MOST_LISTED)] if count > MOST_LISTED else []
    cut = [*cut_notes(done, bounds, more=MORE_DEPENDENTS), *cut, *left_out, *shortened]
    answer = Impact(
        root_id=request.node_id,
        dependent_count=count,
        affected_decisions=counted.get("decision", (0, 0))[0],
        affected_inferences=counted.get("inference", (0, 0))[0],
        dependents=nodes[1:],
        edges=edges,
        truncated=bool(cut),
    )
    superseded = sum(found for _, found in counted.values())
    notes = [*cut, *([SUPERSEDED.format(count=superseded)] if superseded else [])]
    return {
        "answer": answer.wire(),
        "notes": [*notes, *injection_warnings(execution, answer.dependents)],
    }


MOST_AROUND = 100
"""Maximum nodes of an answer besides the requested one."""

CONTEXT_DIRECTIONS = (Way(forward=True), Way(forward=False))


async def memory_context(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the node, the nodes nearest to it by weight, and the edges between them."""
    request = runtime.context.request(MemoryContext)
    bounds = Bounds(request.depth, MOST_AROUND)
    return await _walked(
        runtime.context, request.node_id, CONTEXT_DIRECTIONS, bounds, None, field="node_id"
    )
