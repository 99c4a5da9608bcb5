"""What the tools that walk have in common: the nodes and edges they show, and what was cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from reasonloom.contracts.graph_memory.shared import MemoryEdge
from reasonloom.contracts.graph_memory.walking import ReachedNode
from reasonloom.contracts.memory.export_format import EdgeType
from reasonloom.errors import NodeNotFound
from reasonloom.nodes.graph_memory.rendering import bounded, fields_of
from reasonloom.stores.graph_memory import memory_nodes
from reasonloom.stores.graph_memory.joining import EdgeRow, joining
from reasonloom.stores.graph_memory.traversal import Bounds, Reached, Walk

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

MOST_EDGES = 1_000
"""Edges that an answer shows."""

MORE = "more than {count} nodes can be reached; those with the best paths are shown"
EDGES_CUT = "a node has more than {count} edges one way: its {count} heaviest were followed"
LEVEL_CUT = "more than {nodes} nodes or {edges} edges at one distance: the best were followed"
LATE = "the walk was ended after {seconds:g} s; more may be reached, and by better paths"
JOINED = "more than {count} edges join these nodes; the heaviest are shown"


async def nodes(
    tx: Transaction, start: int, reached: Sequence[Reached], *, field: str
) -> tuple[list[ReachedNode], list[str]]:
    """Return the start, at depth 0, and what was reached, best paths first; and what was cut.

    Raises:
        NodeNotFound: the start is not there; `field` names the argument.
    """
    paths = {start: Reached(start, 0, 1.0), **{each.id: each for each in reached}}
    rows, notes = bounded(await memory_nodes.fetch(tx, paths))
    if not rows or rows[0].id != start:
        raise NodeNotFound(str(start), field=field)
    told = [
        ReachedNode(
            **fields_of(row),
            depth=paths[row.id].depth,
            path_weight=significant(paths[row.id].worth),
        )
        for row in rows
    ]
    told.sort(key=lambda node: (node.depth > 0, -node.path_weight, node.depth, node.node_id))
    return told, notes


async def edges(
    tx: Transaction, shown: Sequence[ReachedNode], types: Sequence[str] | None
) -> tuple[list[MemoryEdge], list[str]]:
    """Return the edges between nodes, heaviest first, and a note where some are left out."""
    rows, more = await joining(tx, [node.node_id for node in shown], types, most=MOST_EDGES)
    return [edge(row) for row in rows], [JOINED.format(count=MOST_EDGES)] if more else []


def edge(row: EdgeRow) -> MemoryEdge:
    """Return an edge as it is told."""
    return MemoryEdge(
        source_id=row.source,
        target_id=row.target,
        edge_type=cast("EdgeType", row.type),
        weight=row.weight,
        reason=row.reason,
    )


def cuts(walk: Walk, bounds: Bounds, *, more: str = MORE) -> list[str]:
    """Return notes of the bounds that ended a walk; `more` is said of too many nodes."""
    told = (
        (walk.more, more.format(count=bounds.most)),
        (walk.edges_cut, EDGES_CUT.format(count=bounds.edges)),
        (walk.level_cut, LEVEL_CUT.format(nodes=bounds.level, edges=bounds.read)),
        (walk.late, LATE.format(seconds=bounds.seconds)),
    )
    return [note for cut, note in told if cut]


def significant(worth: float) -> float:
    """Return a path's worth in six significant digits: products of many edges are small."""
    return float(f"{worth:.6g}")
