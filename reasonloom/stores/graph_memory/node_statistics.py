"""Counts what is weak in the graph, and finds examples of it; only current nodes are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

from reasonloom.stores.graph_memory.memory_nodes import SHOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.stores.database import Transaction

SOME = """ARRAY(SELECT {what} FROM {where} ORDER BY {order} LIMIT :most)"""
JUDGE = text(f"""
WITH shown AS MATERIALIZED (
    SELECT m.id, m.event_type, m.confidence, m.strength, m.superseded_by IS NULL AS current
    FROM memories m WHERE {SHOWN}
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
class Judged:
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


async def judge(tx: Transaction, *, low: float, stale: float, most: int) -> Judged:
    """Return what is weak: confidence below `low`, strength below `stale`; `most` of each."""
    values = {"owner": tx.owner, "space": tx.space, "low": low, "stale": stale, "most": most}
    [row] = await tx.tuples(JUDGE, values)
    return Judged(*row)
