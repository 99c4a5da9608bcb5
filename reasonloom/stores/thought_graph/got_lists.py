"""Graphs of Thoughts as a list shows them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

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
