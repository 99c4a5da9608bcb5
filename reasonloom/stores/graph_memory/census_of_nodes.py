"""Counts an owner's graph: nodes by type, edges by type, sessions, and the bytes of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

from reasonloom.stores.graph_memory.memory_nodes import SHOWN

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

WEIGHED = 1_000
"""Memories whose rows are weighed; where there are more, the newest stand for all."""

NODES = text(f"""
SELECT m.event_type, count(*), count(*) FILTER (WHERE m.superseded_by IS NOT NULL)
FROM memories m WHERE {SHOWN} GROUP BY m.event_type
""")  # noqa: S608 - our own condition, no values
SESSIONS = text(f"""
SELECT count(*) FROM sessions s WHERE s.owner = :owner AND s.space = :space
    AND EXISTS (SELECT FROM memories m WHERE m.session_id = s.id AND {SHOWN})
""")  # noqa: S608 - our own condition, no values
EDGES = text(f"""
WITH unseen AS MATERIALIZED (
    SELECT m.id FROM memories m WHERE m.owner = :owner AND NOT ({SHOWN})
)
SELECT e.type, count(*) FROM edges e WHERE e.owner = :owner
    AND e.origin NOT IN ('sequence', 'brief', 'debrief', 'continuation', 'cause')
    AND NOT EXISTS (SELECT FROM unseen u WHERE u.id = e.source_id)
    AND NOT EXISTS (SELECT FROM unseen u WHERE u.id = e.target_id)
GROUP BY e.type
""")  # noqa: S608 - our own condition, no values
BYTES = text("""
WITH newest AS MATERIALIZED (
    SELECT id FROM memories WHERE owner = :owner AND source_kind <> 'transcript'
    ORDER BY id DESC LIMIT :weighed
)
SELECT (SELECT count(*) FROM newest),
    (SELECT count(*) FROM memories WHERE owner = :owner AND source_kind <> 'transcript'),
    (SELECT coalesce(sum(pg_column_size(m.*)), 0) FROM memories m
        WHERE m.owner = :owner AND m.id = ANY(ARRAY(SELECT id FROM newest)))
    + (SELECT coalesce(sum(pg_column_size(v.*)), 0) FROM embeddings v
        WHERE v.owner = :owner AND v.memory_id = ANY(ARRAY(SELECT id FROM newest)))
    + (SELECT coalesce(sum(pg_column_size(e.*)), 0) FROM edges e
        WHERE e.owner = :owner AND e.source_id = ANY(ARRAY(SELECT id FROM newest)))
""")
"""Each edge is weighed with the memory that it leaves."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What graph memory shows of an owner.

    Attributes:
        sessions: those that hold a node that is shown.
        edges: by type, those whose ends are both shown.
        bytes: of the owner's rows in memories, embeddings and edges, whether shown or not;
            `estimated` from the newest WEIGHED memories.
    """

    types: dict[str, int]
    superseded: int
    sessions: int
    edges: dict[str, int]
    bytes: int
    estimated: bool


async def count(tx: Transaction) -> Counted:
    """Count the graph of the transaction's owner and space."""
    values = {"owner": tx.owner, "space": tx.space}
    nodes = await tx.tuples(NODES, values)
    [(sessions,)] = await tx.tuples(SESSIONS, values)
    edges = await tx.tuples(EDGES, values)
    [(weighed, stored, size)] = await tx.tuples(BYTES, {**values, "weighed": WEIGHED})
    estimated = weighed < stored
    whole = int(size) * stored // weighed if estimated and weighed else int(size)
    return Counted(
        types={kind: number for kind, number, _ in nodes},
        superseded=sum(superseded for *_, superseded in nodes),
        sessions=sessions,
        edges=dict(edges),
        bytes=whole,
        estimated=estimated,
    )
