"""Graphs of Thoughts: each belongs to a session and keeps the limits it was created with.

Writers of a graph lock it (`hold`), after the session if they write to that too.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from reasonloom.errors import GraphNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.statements import columns, load, values_of


@dataclass(frozen=True, slots=True)
class NewGraph:
    """A graph to create: its problem and its limits."""

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
    """A graph as stored; `number` counts those of its session from 1.

    `conclusion_id` is the thought it concluded in; it is immutable from `finalized_at` on.
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
    updated_at: datetime


class ListedGraph(NamedTuple):
    """A graph in a list: the number of its session, its own number within that, and its size."""

    id: UUID
    session: int
    number: int
    problem: str | None
    finalized: bool
    updated_at: datetime
    nodes: int
    pruned: int
    best: float | None


LONGEST = 400
SQL = load(__file__, longest=LONGEST, columns=columns(GraphRow, "g"))


async def create(tx: Transaction, graph: NewGraph) -> None:
    """Create a graph unless it exists; the session must be locked."""
    await tx.run(SQL.create, values_of(graph))


async def require(tx: Transaction, graph_id: str, *, field: str = "graph_id") -> GraphRow:
    """Return a graph for reading.

    Raises:
        GraphNotFound: the owner has no such graph, or the text is not a uuid.
    """
    wanted = parse_uuid(graph_id)
    row = wanted and await tx.first(SQL.find, {"id": wanted})
    if not row:
        raise GraphNotFound(graph_id, field=field)
    return GraphRow(**row._asdict())


async def hold(tx: Transaction, graph_id: str, *, field: str = "graph_id") -> GraphRow:
    """Return a graph, locked against other writers until the transaction ends.

    Raises:
        GraphNotFound: the owner has no such graph, or the text is not a uuid.
    """
    known = await require(tx, graph_id, field=field)
    await tx.run(SQL.hold, {"id": known.id})
    return await require(tx, graph_id, field=field)


async def newest(tx: Transaction, limit: int) -> list[GraphRow]:
    """Return the graphs written to last, newest first."""
    return await tx.rows(GraphRow, SQL.newest, {"limit": limit})


async def close(tx: Transaction, graph: GraphRow, conclusion_id: UUID) -> None:
    """Close a locked graph with the thought it concluded in."""
    await tx.run(SQL.close, {"id": graph.id, "conclusion": conclusion_id})


async def page(tx: Transaction, size: int, skip: int) -> list[ListedGraph]:
    """Return graphs, last written to first."""
    return await tx.rows(ListedGraph, SQL.page, {"size": size, "skip": skip})


async def count(tx: Transaction) -> int:
    """Return the number of graphs in the space."""
    return await tx.number(SQL.count)
