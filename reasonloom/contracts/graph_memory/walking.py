"""Walking the graph (reference: AgenticMemory)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from reasonloom.contracts.base import Answer, Request, Unit, Whole
from reasonloom.contracts.graph_memory.shared import (
    Count,
    Depth,
    EdgeTypes,
    MemoryEdge,
    MemoryNode,
    NodeId,
)

Direction = Literal["forward", "backward", "both"]


class MemoryTraverse(Request):
    """Walk from a node along edges; the best paths, by weight, come first."""

    start_id: NodeId
    edge_types: Annotated[EdgeTypes, Field(description="Default all")] = None
    direction: Direction = "forward"
    max_depth: Depth = 5
    max_results: Count = 20
    min_confidence: Unit | None = None


class MemoryContext(Request):
    """Show the nodes and edges around one node."""

    node_id: NodeId
    depth: Annotated[Whole, Field(ge=1, le=5)] = 2


class ReachedNode(MemoryNode):
    """A node and the best path to it: its edges' number, and their weights multiplied, 0..1."""

    depth: int
    path_weight: float


class Walked(Answer):
    """The start, at depth 0, then the nodes reached, best paths first; and the edges between them.

    The start is counted in `count` and not in `max_results`. `truncated` says that something
    was left out, and notes say what; `max_depth` leaves out silently what lies further away.
    """

    results: list[ReachedNode]
    edges: list[MemoryEdge]
    count: int
    truncated: bool


class MemoryCausal(Request):
    """Tell what depends on a node: what was caused by it, derived from it, or rests on it."""

    node_id: NodeId
    max_depth: Depth = 5


class Impact(Answer):
    """What depends on a node, best paths first.

    All that was found is counted, by type too; `dependents` are the first hundred of it.
    `edges` are those that carry dependence among the dependents and the root.
    """

    root_id: int
    dependent_count: int
    affected_decisions: int
    affected_inferences: int
    dependents: list[ReachedNode]
    edges: list[MemoryEdge]
    truncated: bool
