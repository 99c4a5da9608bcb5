"""Graphs of Thoughts: each belongs to a session and keeps the limits it was made with.

What writes to a graph holds it (`hold`); what writes to its session too holds the session first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, Uuid, bindparam, func, select, text, update
from sqlalchemy.dialects.postgresql import JSONB

from reasonloom.errors import GraphNotFound
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.tables import Session
from reasonloom.stores.thought_graph.tables import ThoughtGraph

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class NewGraph:
    """A graph to be made: what it is about, and its limits."""

    id: UUID
    session_id: UUID
    problem: str | None
    max_depth: int
    max_branches: int
    prune_threshold: float
    run_id: UUID
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GraphRow:
    """One graph as stored; `number` counts those of its session from 1.

    `conclusion_id` is the thought of its session that it came to, `finalized_at` when it was
    closed: from then on nothing in it changes.
    """

    id: UUID
    session_id: UUID
    number: int
    problem: str | None
    max_depth: int
    max_branches: int
    prune_threshold: float
    conclusion_id: UUID | None
    finalized_at: datetime | None
    run_id: UUID | None
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


CREATE = text("""
INSERT INTO thought_graphs (owner, id, session_id, number, problem, max_depth, max_branches,
    prune_threshold, run_id, metadata)
SELECT :owner, :id, :session_id, coalesce(max(number), 0) + 1, :problem, :max_depth,
    :max_branches, :prune_threshold, :run_id, :metadata
FROM thought_graphs WHERE owner = :owner AND session_id = :session_id
ON CONFLICT (owner, id) DO NOTHING
""").bindparams(
    *(bindparam(name, type_=Uuid) for name in ("id", "session_id", "run_id")),
    bindparam("metadata", type_=JSONB),
)


async def create(tx: Transaction, graph: NewGraph) -> None:
    """Make a graph, unless it is there; the session must be held."""
    values = {name: getattr(graph, name) for name in NewGraph.__slots__}
    await tx.run(CREATE, {"owner": tx.owner, **values})


async def require(tx: Transaction, graph_id: str, *, field: str = "graph_id") -> GraphRow:
    """Return a graph, to be read.

    Raises:
        GraphNotFound: this owner has none such, or the text is no uuid.
    """
    wanted = parse_uuid(graph_id)
    row = wanted and await tx.first(_rows(tx).where(ThoughtGraph.id == wanted))
    if not row:
        raise GraphNotFound(graph_id, field=field)
    return _row(row)


async def hold(tx: Transaction, graph_id: str, *, field: str = "graph_id") -> GraphRow:
    """Return a graph, held until the transaction ends: others who write to it wait.

    Raises:
        GraphNotFound: this owner has none such, or the text is no uuid.
    """
    known = await require(tx, graph_id, field=field)
    await tx.run(
        update(ThoughtGraph)
        .where(ThoughtGraph.owner == tx.owner, ThoughtGraph.id == known.id)
        .values(updated_at=func.clock_timestamp())
    )
    return await require(tx, graph_id, field=field)


async def of_session(tx: Transaction, session_id: UUID) -> list[GraphRow]:
    """Return the graphs of a session in the order in which they were made."""
    rows = await tx.all(
        _rows(tx).where(ThoughtGraph.session_id == session_id).order_by(ThoughtGraph.number)
    )
    return [_row(row) for row in rows]


async def newest(tx: Transaction, limit: int) -> list[GraphRow]:
    """Return the graphs last written to, newest first."""
    rows = await tx.all(_rows(tx).order_by(ThoughtGraph.updated_at.desc()).limit(limit))
    return [_row(row) for row in rows]


async def close(tx: Transaction, graph: GraphRow, conclusion_id: UUID) -> None:
    """Close a graph with the thought that it came to; the graph must be held."""
    await tx.run(
        update(ThoughtGraph)
        .where(ThoughtGraph.owner == tx.owner, ThoughtGraph.id == graph.id)
        .values(conclusion_id=conclusion_id, finalized_at=func.clock_timestamp())
    )


def _rows(tx: Transaction) -> Select[Any]:
    """Select this owner's graphs, of sessions of the space that the transaction named."""
    names = [name for name in GraphRow.__slots__ if name != "metadata"]
    columns = [getattr(ThoughtGraph, name) for name in names]
    joined = (Session.owner == ThoughtGraph.owner) & (Session.id == ThoughtGraph.session_id)
    return (
        select(*columns, ThoughtGraph.metadata_.label("meta"))
        .join(Session, joined)
        .where(ThoughtGraph.owner == tx.owner, Session.space == tx.space)
    )


def _row(row: Any) -> GraphRow:
    values = dict(row._mapping)
    return GraphRow(metadata=values.pop("meta"), **values)


LONGEST = 400
OF_SPACE = """
FROM thought_graphs g JOIN sessions s ON s.owner = g.owner AND s.id = g.session_id
WHERE g.owner = :owner AND s.space = :space
"""
PAGE = text(f"""
SELECT g.id, s.number, g.number, left(g.problem, {LONGEST}), g.finalized_at IS NOT NULL,
    g.updated_at, n.nodes, n.pruned, n.best
FROM (SELECT g.* {OF_SPACE} ORDER BY g.updated_at DESC, g.id LIMIT :size OFFSET :skip) g
JOIN sessions s ON s.owner = g.owner AND s.id = g.session_id
LEFT JOIN LATERAL (SELECT count(*) AS nodes, count(n.pruning_id) AS pruned, max(n.score) AS best
    FROM graph_nodes n WHERE n.owner = g.owner AND n.graph_id = g.id) n ON true
ORDER BY g.updated_at DESC, g.id
""")  # noqa: S608 - our own condition and number, no values
COUNT = text(f"SELECT count(*) {OF_SPACE}")


class ListedGraph(NamedTuple):
    """One graph: the numbers of its session and of itself in it, and what it holds."""

    id: UUID
    session: int
    number: int
    problem: str | None
    finalized: bool
    updated_at: datetime
    nodes: int
    pruned: int
    best: float | None


async def page(tx: Transaction, size: int, skip: int) -> list[ListedGraph]:
    """Return graphs, those last written to first."""
    values = {"owner": tx.owner, "space": tx.space, "size": size, "skip": skip}
    return [ListedGraph(*row) for row in await tx.tuples(PAGE, values)]


async def count(tx: Transaction) -> int:
    """Return how many there are in all."""
    row = await tx.first(COUNT, {"owner": tx.owner, "space": tx.space})
    return int(row[0]) if row else 0
