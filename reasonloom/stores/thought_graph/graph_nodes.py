"""Nodes of a Graph of Thoughts; what writes here holds the graph (`got_graphs.hold`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Uuid, bindparam, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from reasonloom.stores.thought_graph.tables import GraphNode, Pruning

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class NewNode:
    """A node to be added; `confidence` (0..1) is what its maker claims of it.

    `score`, `parts` and `check` are as `Scored` has them.
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
    """One node as stored; `number` counts those of its graph from 1, the root.

    `replaced_by` is the refinement that beat it, or the node that beat it as a refinement;
    `pruning_id` the pruning that took it out. Either makes it inactive.
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
        """Tell whether the node takes part: neither pruned nor beaten."""
        return self.replaced_by is None and self.pruning_id is None

    @property
    def worth(self) -> float:
        """Return the score, or what its maker claims of it where nobody has scored it."""
        return self.confidence if self.score is None else self.score


@dataclass(frozen=True, slots=True)
class Scored:
    """What a check made of a node.

    Attributes:
        score: 0..1, computed of `parts`.
        parts: the parts of the score by name, each 0..1.
        check: who stands behind it: local check, judge or oracle.
        node_type: what the text shows the node to be, None to leave its type.
    """

    score: float
    parts: Mapping[str, Any]
    check: str
    node_type: str | None = None


BATCH = 1_000
"""Rows of one statement: Postgres takes 65,535 values in one."""


async def add(tx: Transaction, nodes: Sequence[NewNode]) -> None:
    """Add nodes of one graph, in this order; one that is there stays as it is."""
    if not nodes:
        return
    of = (GraphNode.owner == tx.owner) & (GraphNode.graph_id == nodes[0].graph_id)
    row = await tx.first(
        select(func.coalesce(func.max(GraphNode.number), 0).label("last")).where(of)
    )
    last = row.last if row else 0
    values = [
        {"owner": tx.owner, "number": last + place, **_columns(node)}
        for place, node in enumerate(nodes, 1)
    ]
    for at in range(0, len(values), BATCH):
        await tx.run(insert(GraphNode).values(values[at : at + BATCH]).on_conflict_do_nothing())


def _columns(node: NewNode) -> dict[str, Any]:
    """Return a node's values by the attributes of its table."""
    values = {name: getattr(node, name) for name in NewNode.__slots__}
    return {"metadata_": values.pop("metadata"), **values}


async def of_graph(tx: Transaction, graph_id: UUID) -> list[NodeRow]:
    """Return the nodes of a graph in the order in which they were added, the root first."""
    names = [name for name in NodeRow.__slots__ if name != "metadata"]
    columns = [getattr(GraphNode, name) for name in names]
    rows = await tx.all(
        select(*columns, GraphNode.metadata_.label("meta"))
        .where(GraphNode.owner == tx.owner, GraphNode.graph_id == graph_id)
        .order_by(GraphNode.number)
    )
    return [_row(row) for row in rows]


async def set_scores(tx: Transaction, scores: Mapping[UUID, Scored]) -> None:
    """Give nodes their scores, instead of any that they had."""
    for node_id, scored in scores.items():
        values = {"score": scored.score, "parts": dict(scored.parts), "check": scored.check}
        if scored.node_type:
            values["node_type"] = scored.node_type
        await _change(tx, [node_id], **values)


async def set_replaced(tx: Transaction, node_id: UUID, by: UUID) -> None:
    """Note which node beat this one: it is inactive from now on."""
    await _change(tx, [node_id], replaced_by=by)


async def set_terminal(tx: Transaction, node_ids: Iterable[UUID]) -> None:
    """Mark nodes as terminal: what the graph ends in."""
    await _change(tx, node_ids, is_terminal=True, node_type="terminal")


async def set_pruned(tx: Transaction, node_ids: Iterable[UUID], pruning_id: UUID) -> None:
    """Take nodes out by a pruning."""
    await _change(tx, node_ids, pruning_id=pruning_id)


async def put_back(tx: Transaction, graph_id: UUID, pruning_id: UUID) -> list[UUID]:
    """Put back what a pruning took out; return those nodes."""
    rows = await tx.all(
        update(GraphNode)
        .where(
            GraphNode.owner == tx.owner,
            GraphNode.graph_id == graph_id,
            GraphNode.pruning_id == pruning_id,
        )
        .values(pruning_id=None)
        .returning(GraphNode.id, GraphNode.number)
    )
    return [row.id for row in sorted(rows, key=lambda each: each.number)]


async def _change(tx: Transaction, node_ids: Iterable[UUID], **values: Any) -> None:
    wanted = list(node_ids)
    if wanted:
        await tx.run(
            update(GraphNode)
            .where(GraphNode.owner == tx.owner, GraphNode.id.in_(wanted))
            .values(**values)
        )


def _row(row: Any) -> NodeRow:
    values = dict(row._mapping)
    return NodeRow(metadata=values.pop("meta"), **values)


@dataclass(frozen=True, slots=True)
class PruningRow:
    """One pruning as stored; `number` counts those of its graph from 1."""

    id: UUID
    graph_id: UUID
    number: int
    threshold: float
    run_id: UUID | None
    created_at: datetime
    restored_at: datetime | None


IDS = ("id", "graph_id", "run_id")
CREATE = text("""
INSERT INTO graph_prunings (owner, id, graph_id, number, threshold, run_id)
SELECT :owner, :id, :graph_id, coalesce(max(number), 0) + 1, :threshold, :run_id
FROM graph_prunings WHERE owner = :owner AND graph_id = :graph_id
ON CONFLICT (owner, id) DO NOTHING
""").bindparams(*(bindparam(name, type_=Uuid) for name in IDS))


async def create_pruning(
    tx: Transaction, pruning_id: UUID, graph_id: UUID, threshold: float, run_id: UUID
) -> None:
    """Note a pruning, unless it is there; the graph must be held."""
    values = {"id": pruning_id, "graph_id": graph_id, "threshold": threshold, "run_id": run_id}
    await tx.run(CREATE, {"owner": tx.owner, **values})


async def newest_pruning(tx: Transaction, graph_id: UUID) -> PruningRow | None:
    """Return the newest pruning of a graph that was not undone."""
    columns = [getattr(Pruning, name) for name in PruningRow.__slots__]
    row = await tx.first(
        select(*columns)
        .where(
            Pruning.owner == tx.owner,
            Pruning.graph_id == graph_id,
            Pruning.restored_at.is_(None),
        )
        .order_by(Pruning.number.desc())
        .limit(1)
    )
    return PruningRow(**row._mapping) if row else None


async def set_pruning_restored(tx: Transaction, pruning_id: UUID) -> None:
    """Note that a pruning was undone."""
    await tx.run(
        update(Pruning)
        .where(Pruning.owner == tx.owner, Pruning.id == pruning_id)
        .values(restored_at=func.clock_timestamp())
    )
