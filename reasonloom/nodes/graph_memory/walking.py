"""What the tools that walk have in common: the nodes and edges they show, and what was cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

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
from reasonloom.contracts.memory.export_format import EdgeType
from reasonloom.errors import NodeNotFound
from reasonloom.nodes.graph_memory.rendering import bound_contents, injection_warnings, node_fields
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes
from reasonloom.stores.graph_memory.traversal import (
    Bounds,
    EdgeRow,
    Reached,
    Walk,
    Way,
    edges_between,
    kinds,
    walk,
)

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


MOST_EDGES = 1_000
"""Edges that an answer shows."""

MORE_REACHED = "more than {count} nodes can be reached; those with the best paths are shown"
EDGES_CUT = "a node has more than {count} edges one way: its {count} heaviest were followed"
LEVEL_CUT = "more than {nodes} nodes or {edges} edges at one distance: the best were followed"
LATE = "the walk was ended after {seconds:g} s; more may be reached, and by better paths"
JOINED = "more than {count} edges join these nodes; the heaviest are shown"


async def reached_nodes(
    tx: Transaction, start: int, reached: Sequence[Reached], *, field: str
) -> tuple[list[ReachedNode], list[str]]:
    """Return the start, at depth 0, and what was reached, best paths first; and what was cut.

    Raises:
        NodeNotFound: the start is not there; `field` names the argument.
    """
    paths = {start: Reached(start, 0, 1.0), **{each.id: each for each in reached}}
    rows, notes = bound_contents(await memory_nodes.fetch(tx, paths))
    if not rows or rows[0].id != start:
        raise NodeNotFound(str(start), field=field)
    told = [
        ReachedNode(
            **node_fields(row),
            depth=paths[row.id].depth,
            path_weight=six_digits(paths[row.id].worth),
        )
        for row in rows
    ]
    told.sort(key=lambda node: (node.depth > 0, -node.path_weight, node.depth, node.node_id))
    return told, notes


async def joining_edges(
    tx: Transaction, shown: Sequence[ReachedNode], types: Sequence[str] | None
) -> tuple[list[MemoryEdge], list[str]]:
    """Return the edges between nodes, heaviest first, and a note where some are left out."""
    rows, more = await edges_between(tx, [node.node_id for node in shown], types, most=MOST_EDGES)
    return [render_edge(row) for row in rows], [JOINED.format(count=MOST_EDGES)] if more else []


def render_edge(row: EdgeRow) -> MemoryEdge:
    """Return an edge as it is told."""
    return MemoryEdge(
        source_id=row.source,
        target_id=row.target,
        edge_type=cast("EdgeType", row.type),
        weight=row.weight,
        reason=row.reason,
    )


def cut_notes(walk: Walk, bounds: Bounds, *, more: str = MORE_REACHED) -> list[str]:
    """Return notes of the bounds that ended a walk; `more` is said of too many nodes."""
    told = (
        (walk.more, more.format(count=bounds.most)),
        (walk.edges_cut, EDGES_CUT.format(count=bounds.edges)),
        (walk.level_cut, LEVEL_CUT.format(nodes=bounds.level, edges=bounds.read)),
        (walk.late, LATE.format(seconds=bounds.seconds)),
    )
    return [note for cut, note in told if cut]


def six_digits(worth: float) -> float:
    """Return a path's worth in six significant digits: products of many edges are small."""
    return float(f"{worth:.6g}")


TRAVERSE_DIRECTIONS: dict[Direction, tuple[bool, ...]] = {
    "forward": (True,),
    "backward": (False,),
    "both": (True, False),
}


async def memory_traverse(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Walk from the request's node; it is shown first and is none of `max_results`."""
    execution = runtime.context
    request = MemoryTraverse.model_validate(state["request"])
    types = None if request.edge_types is None else tuple(request.edge_types)
    ways = tuple(Way(forward, types) for forward in TRAVERSE_DIRECTIONS[request.direction])
    bounds = Bounds(request.max_depth, request.max_results, request.min_confidence or 0.0)
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        done = await walk(tx, request.start_id, ways, bounds)
        shown, shortened = await reached_nodes(tx, request.start_id, done.reached, field="start_id")
        edges, left_out = await joining_edges(tx, shown, types)
    notes = [*cut_notes(done, bounds), *left_out, *shortened]
    answer = Walked(results=shown, edges=edges, count=len(shown), truncated=bool(notes))
    return {"answer": answer.wire(), "notes": [*notes, *injection_warnings(execution, shown)]}


# What was caused by a node or derived from it depends on it, and so does what it supports; the
# evidence for it does not. No other edge carries dependence: what corrects a node does not rest
# on it.

MOST_LISTED = 100
MOST_COUNTED = 5_000
RESTING = ("caused_by", "derived_from")
"""Types of edges that lead from what depends to what it depends on."""

DERIVING = ("supports",)
"""Types of edges that lead to what depends."""

CAUSAL_DIRECTIONS = (Way(forward=False, types=RESTING), Way(forward=True, types=DERIVING))
MORE_DEPENDENTS = "more than {count} nodes depend on it; the count ends there"
LISTED = "{count} dependents were counted; the {shown} with the best paths are shown"
SUPERSEDED = "{count} of the dependents are superseded by newer nodes; they are counted"


async def memory_causal(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Count what depends on the request's node, and show the nearest by weight."""
    execution = runtime.context
    request = MemoryCausal.model_validate(state["request"])
    bounds = Bounds(request.max_depth, MOST_COUNTED, edges=MOST_COUNTED, level=MOST_COUNTED)
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        done = await walk(tx, request.node_id, CAUSAL_DIRECTIONS, bounds)
        best = done.reached[:MOST_LISTED]
        shown, shortened = await reached_nodes(tx, request.node_id, best, field="node_id")
        edges, left_out = await joining_edges(tx, shown, RESTING + DERIVING)
        counted = await kinds(tx, [each.id for each in done.reached])
    count = sum(found for found, _ in counted.values())
    cut = [LISTED.format(count=count, shown=MOST_LISTED)] if count > MOST_LISTED else []
    cut = [*cut_notes(done, bounds, more=MORE_DEPENDENTS), *cut, *left_out, *shortened]
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
    return {
        "answer": answer.wire(),
        "notes": [*notes, *injection_warnings(execution, answer.dependents)],
    }


MOST_AROUND = 100
"""Nodes that are shown around one."""

CONTEXT_DIRECTIONS = (Way(forward=True), Way(forward=False))


async def memory_context(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Show the request's node, the nodes nearest to it by weight, and the edges among them."""
    execution = runtime.context
    request = MemoryContext.model_validate(state["request"])
    bounds = Bounds(request.depth, MOST_AROUND)
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        done = await walk(tx, request.node_id, CONTEXT_DIRECTIONS, bounds)
        shown, shortened = await reached_nodes(tx, request.node_id, done.reached, field="node_id")
        edges, left_out = await joining_edges(tx, shown, None)
    notes = [*cut_notes(done, bounds), *left_out, *shortened]
    answer = Walked(results=shown, edges=edges, count=len(shown), truncated=bool(notes))
    return {"answer": answer.wire(), "notes": [*notes, *injection_warnings(execution, shown)]}
