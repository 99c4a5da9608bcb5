"""Counts what is weak in the graph, and finds examples of it; only current nodes are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.stores.database import Transaction


WEIGHED = 1_000
"""Memories whose rows are weighed; where there are more, the newest stand for all."""

NODES = text(f"""
SELECT m.event_type, count(*), count(*) FILTER (WHERE m.superseded_by IS NOT NULL)
FROM memories m WHERE {VISIBLE_NODES} GROUP BY m.event_type
""")  # noqa: S608 - our own condition, no values
SESSIONS = text(f"""
SELECT count(*) FROM sessions s WHERE s.owner = :owner AND s.space = :space
    AND EXISTS (SELECT FROM memories m WHERE m.session_id = s.id AND {VISIBLE_NODES})
""")  # noqa: S608 - our own condition, no values
EDGES = text(f"""
WITH unseen AS MATERIALIZED (
    SELECT m.id FROM memories m WHERE m.owner = :owner AND NOT ({VISIBLE_NODES})
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
class GraphCounts:
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


async def count_graph(tx: Transaction) -> GraphCounts:
    """Count the graph of the transaction's owner and space."""
    values = {"owner": tx.owner, "space": tx.space}
    nodes = await tx.tuples(NODES, values)
    [(sessions,)] = await tx.tuples(SESSIONS, values)
    edges = await tx.tuples(EDGES, values)
    [(weighed, stored, size)] = await tx.tuples(BYTES, {**values, "weighed": WEIGHED})
    estimated = weighed < stored
    whole = int(size) * stored // weighed if estimated and weighed else int(size)
    return GraphCounts(
        types={kind: number for kind, number, _ in nodes},
        superseded=sum(superseded for *_, superseded in nodes),
        sessions=sessions,
        edges=dict(edges),
        bytes=whole,
        estimated=estimated,
    )


SOME = """ARRAY(SELECT {what} FROM {where} ORDER BY {order} LIMIT :most)"""
JUDGE = text(f"""
WITH shown AS MATERIALIZED (
    SELECT m.id, m.event_type, m.confidence, m.strength, m.superseded_by IS NULL AS current
    FROM memories m WHERE {VISIBLE_NODES}
), linked AS MATERIALIZED (
    SELECT e.source_id, e.target_id, e.type, s.current AS source_current,
        t.current AS target_current
    FROM edges e JOIN shown s ON s.id = e.source_id JOIN shown t ON t.id = e.target_id
    WHERE e.owner = :owner AND e.type <> 'temporal_next'
), weak AS MATERIALIZED (
    SELECT id, confidence FROM shown WHERE current AND confidence < :low
), stale AS MATERIALIZED (
    SELECT id, strength FROM shown WHERE current AND strength < :stale
), orphans AS MATERIALIZED (
    SELECT n.id FROM shown n LEFT JOIN (SELECT source_id AS id FROM linked
        UNION SELECT target_id FROM linked) joined ON joined.id = n.id
    WHERE n.current AND joined.id IS NULL
), unsupported AS MATERIALIZED (
    SELECT n.id FROM shown n LEFT JOIN (
        SELECT source_id AS id FROM linked
            WHERE type IN ('caused_by', 'derived_from') AND target_current
        UNION SELECT target_id FROM linked WHERE type = 'supports' AND source_current
    ) grounded ON grounded.id = n.id
    WHERE n.current AND n.event_type = 'decision' AND grounded.id IS NULL
), opposed AS MATERIALIZED (
    SELECT DISTINCT least(source_id, target_id) AS one, greatest(source_id, target_id) AS other
    FROM linked WHERE type = 'contradicts' AND source_current AND target_current
)
SELECT counted.*,
    (SELECT count(*) FROM weak),
    {SOME.format(what="id", where="weak", order="confidence, id DESC")},
    (SELECT count(*) FROM stale), {SOME.format(what="id", where="stale", order="strength, id")},
    (SELECT count(*) FROM orphans), {SOME.format(what="id", where="orphans", order="id DESC")},
    (SELECT count(*) FROM unsupported),
    {SOME.format(what="id", where="unsupported", order="id DESC")},
    (SELECT count(*) FROM opposed),
    (SELECT count(*) FROM (SELECT one FROM opposed UNION SELECT other FROM opposed) either),
    {SOME.format(what="ARRAY[one, other]", where="opposed", order="other DESC, one DESC")}
FROM (SELECT count(*) AS nodes, count(*) FILTER (WHERE current) AS current,
    count(*) FILTER (WHERE current AND event_type = 'decision') AS decisions
    FROM shown) counted
""")  # noqa: S608 - our own conditions and orders, no values
"""A chain in time joins all of a session and says nothing: it makes no node linked."""


@dataclass(frozen=True, slots=True)
class GraphQuality:
    """How many nodes there are and how many are weak in which way, with some of each.

    Attributes:
        nodes: all that graph memory shows; the other counts are of those that are current.
        weak: of low confidence, the lowest first.
        stale: of low strength, the weakest first.
        orphans: joined to no other by anything but a session's course, the newest first.
        unsupported: decisions without grounds that are current, the newest first.
        opposed: pairs of which one contradicts the other, the newest first; `opposing` is how
            many nodes stand in one.
    """

    nodes: int
    current: int
    decisions: int
    weak: int
    weakest: Sequence[int]
    stale: int
    stalest: Sequence[int]
    orphans: int
    some_orphans: Sequence[int]
    unsupported: int
    some_unsupported: Sequence[int]
    opposed: int
    opposing: int
    some_opposed: Sequence[tuple[int, int]]


async def graph_quality(tx: Transaction, *, low: float, stale: float, most: int) -> GraphQuality:
    """Return what is weak: confidence below `low`, strength below `stale`; `most` of each."""
    values = {"owner": tx.owner, "space": tx.space, "low": low, "stale": stale, "most": most}
    [row] = await tx.tuples(JUDGE, values)
    return GraphQuality(*row)
