"""Nodes of a Graph of Thoughts and their prunings; writers lock the graph."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import columns, load, values_of


@dataclass(frozen=True, slots=True)
class NewNode:
    """A node to add; `confidence` (0..1) is what its author claims for it.

    For `score`, `parts` and `check` see `Scored`.
    """

    id: UUID
    graph_id: UUID
    node_type: str
    content: str
    depth: int
    confidence: float
    run_id: UUID
    llm: str | None = None
    score: float | None = None
    parts: dict[str, Any] = field(default_factory=dict)
    check: str = "none"
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node as stored; `number` counts those of its graph from 1, the root.

    `replaced_by` is the node that beat it, `pruning_id` the pruning that removed it; either makes
    it inactive.
    """

    id: UUID
    graph_id: UUID
    number: int
    node_type: str
    content: str
    depth: int
    confidence: float
    score: float | None
    parts: dict[str, Any]
    check: str
    is_terminal: bool
    replaced_by: UUID | None
    pruning_id: UUID | None
    llm: str | None
    run_id: UUID | None
    metadata: dict[str, Any]
    created_at: datetime

    @property
    def is_active(self) -> bool:
        """Return whether the node is neither pruned nor beaten."""
        return self.replaced_by is None and self.pruning_id is None

    @property
    def worth(self) -> float:
        """Return the score, or the claimed confidence of an unscored node."""
        return self.confidence if self.score is None else self.score


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of checking a node.

    Attributes:
        score: 0..1, computed from `parts`.
        parts: the parts of the score by name, each 0..1.
        check: the source of the score: local check, judge or oracle.
        node_type: the type that the text implies, None to keep the node's.
    """

    score: float
    parts: Mapping[str, Any]
    check: str
    node_type: str | None = None


SQL = load(__file__, columns=columns(NodeRow).replace("check", '"check"'))


async def add(tx: Transaction, nodes: Sequence[NewNode]) -> None:
    """Add nodes to one graph in this order; existing ones stay as they are."""
    if not nodes:
        return
    row = await tx.first(SQL.last_number, {"graph": nodes[0].graph_id})
    last = row.last if row else 0
    rows = [{"number": last + place, **values_of(node)} for place, node in enumerate(nodes, 1)]
    await tx.run(SQL.add, {"rows": json.dumps(rows, default=str)})


async def of_graph(tx: Transaction, graph_id: UUID) -> list[NodeRow]:
    """Return the nodes of a graph in the order they were added, the root first."""
    return await tx.rows(NodeRow, SQL.of_graph, {"graph": graph_id})


async def set_scores(tx: Transaction, scores: Mapping[UUID, Scored]) -> None:
    """Set the scores of nodes, replacing earlier ones."""
    for node_id, scored in scores.items():
        await tx.run(
            SQL.set_score, {"id": node_id, **values_of(scored), "parts": dict(scored.parts)}
        )


async def set_replaced(tx: Transaction, node_id: UUID, by: UUID) -> None:
    """Record which node beat this one, which becomes inactive."""
    await tx.run(SQL.set_replaced, {"id": node_id, "by": by})


async def set_terminal(tx: Transaction, node_ids: Iterable[UUID]) -> None:
    """Mark nodes as terminal: where the graph ends."""
    await tx.run(SQL.set_terminal, {"ids": list(node_ids)})


async def set_pruned(tx: Transaction, node_ids: Iterable[UUID], pruning_id: UUID) -> None:
    """Deactivate nodes by a pruning."""
    await tx.run(SQL.set_pruned, {"ids": list(node_ids), "pruning": pruning_id})


async def put_back(tx: Transaction, graph_id: UUID, pruning_id: UUID) -> list[UUID]:
    """Reactivate the nodes of a pruning; return them in their order."""
    rows = await tx.tuples(SQL.put_back, {"graph": graph_id, "pruning": pruning_id})
    return [node_id for _, node_id in sorted(rows)]


async def create_pruning(
    tx: Transaction, pruning_id: UUID, graph_id: UUID, threshold: float, run_id: UUID
) -> None:
    """Record a pruning unless it exists; the graph must be locked."""
    values = {"id": pruning_id, "graph_id": graph_id, "threshold": threshold, "run_id": run_id}
    await tx.run(SQL.create, values)


async def newest_pruning(tx: Transaction, graph_id: UUID) -> tuple[UUID, float] | None:
    """Return the id and the threshold of a graph's newest pruning that was not undone."""
    row = await tx.first(SQL.newest_pruning, {"graph": graph_id})
    return (row.id, row.threshold) if row else None


async def set_pruning_restored(tx: Transaction, pruning_id: UUID) -> None:
    """Record that a pruning was undone."""
    await tx.run(SQL.set_pruning_restored, {"id": pruning_id})
