"""Walks over the edges between memories: one recursive query, a level of edges a step.

The query carries the whole walk in one row, so that it knows every memory reached so far. A path's
worth is the product of its edges' weights, 0..1. A memory is walked on from again where a longer
path to it is worth more, and not at all where nothing behind it can be worth more than the last of
those that are wanted. Each memory's heaviest edges are read first, by an index, however many it
has: where they lead to more memories than are wanted, nothing better is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import TextClause, text

from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


SAME = 1e-9
"""Two worths that differ by less of themselves are equal: products are rounded."""

STEP = """
        SELECT e.id, f.worth * e.weight AS worth, e.place > :fan AS cut, false AS old
        FROM unnest(w.frontier, w.frontier_worths) AS f (id, worth)
        CROSS JOIN LATERAL (
            SELECT {far} AS id, weight, row_number() OVER (ORDER BY weight DESC, {far}) AS place
            FROM edges WHERE owner = :owner AND {near} = f.id{types} AND weight > CASE
                WHEN f.worth > 0 THEN w.floor / f.worth WHEN w.floor < 0 THEN -1 ELSE 2 END
            ORDER BY weight DESC, {far} LIMIT CAST(:fan AS bigint) + 1) e"""
"""The edges of one way from the memories of the last level; `floor` is what must be exceeded."""

WALK = """
WITH RECURSIVE walk AS (
    SELECT 0 AS depth, ARRAY[CAST(:start AS bigint)] AS frontier,
        ARRAY[CAST(1 AS float8)] AS frontier_worths, ARRAY[CAST(:start AS bigint)] AS seen,
        ARRAY[CAST(1 AS float8)] AS worths, ARRAY[0] AS depths, ARRAY[false] AS counts,
        CAST(-1 AS float8) AS floor, false AS fan_cut, false AS level_cut
  UNION ALL
    SELECT w.depth + 1, further.ids, further.worths, w.seen || level.ids,
        w.worths || level.worths,
        w.depths || array_fill(w.depth + 1, ARRAY[cardinality(level.ids)]),
        w.counts || level.counts, lowest.floor, w.fan_cut OR level.fan_cut,
        w.level_cut OR level.read_cut OR cardinality(level.ids) > :level
    FROM walk w CROSS JOIN LATERAL (
        WITH met AS MATERIALIZED (SELECT * FROM ({steps}
            ) AS edges LIMIT :read
        ), better AS (
            SELECT id, max(worth) FILTER (WHERE NOT old) AS worth FROM (
                SELECT * FROM met
                UNION ALL
                SELECT id, worth, false, true FROM unnest(w.seen, w.worths) AS s (id, worth)) every
            GROUP BY id HAVING max(worth) FILTER (WHERE NOT old)
                > coalesce(max(worth) FILTER (WHERE old) * (1 + {same}), -1)
        ), reached AS (
            SELECT b.id, b.worth, m.confidence >= :confidence AS counts
            FROM better b CROSS JOIN LATERAL (
                SELECT m.confidence FROM memories m WHERE m.id = b.id AND {shown} LIMIT 1) m
            ORDER BY b.worth DESC, b.id LIMIT CAST(:level AS bigint) + 1
        )
        SELECT coalesce(array_agg(id), '{{}}') AS ids, coalesce(array_agg(worth), '{{}}') AS worths,
            coalesce(array_agg(counts), '{{}}') AS counts,
            coalesce((SELECT bool_or(cut) FROM met), false) AS fan_cut,
            (SELECT count(*) FROM met) = :read AS read_cut
        FROM reached
    ) level CROSS JOIN LATERAL (
        SELECT coalesce((SELECT max(worth) FROM unnest(w.seen || level.ids,
                w.worths || level.worths, w.counts || level.counts) AS s (id, worth, counts)
            WHERE counts GROUP BY id ORDER BY max(worth) DESC
            OFFSET :most LIMIT 1), -1) AS floor
    ) lowest CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(id), '{{}}') AS ids, coalesce(array_agg(worth), '{{}}') AS worths
        FROM unnest(level.ids, level.worths) AS s (id, worth) WHERE worth > lowest.floor
    ) further
    WHERE w.depth < :depth AND cardinality(w.frontier) > 0
        AND clock_timestamp() < now() + make_interval(secs => :seconds)
), final AS (SELECT * FROM walk ORDER BY depth DESC LIMIT 1)
SELECT best.ids, best.depths, best.worths, f.fan_cut, f.level_cut,
    f.depth < :depth AND cardinality(f.frontier) > 0
FROM final f CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(id), '{{}}') AS ids, coalesce(array_agg(depth), '{{}}') AS depths,
        coalesce(array_agg(worth), '{{}}') AS worths
    FROM (SELECT * FROM (
            SELECT DISTINCT ON (id) * FROM unnest(f.seen, f.depths, f.worths, f.counts)
                AS s (id, depth, worth, counts)
            WHERE counts ORDER BY id, worth DESC) each
        ORDER BY worth DESC, depth, id LIMIT CAST(:most AS bigint) + 1) heaviest
) best
"""
"""`counts` marks the memories that are wanted; the start is none. What a level has too much of,
or a memory, is told by one more than its limit."""

KINDS = text(f"""
SELECT m.event_type, count(*), count(m.superseded_by) FROM memories m
WHERE {VISIBLE_NODES} AND m.id = ANY(:ids) GROUP BY m.event_type
""")  # noqa: S608 - our own condition, no values


@dataclass(frozen=True, slots=True)
class Way:
    """Which edges are followed: from source to target or against that, of some types or all."""

    forward: bool
    types: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a walk goes.

    Attributes:
        depth: the most edges of a path.
        most: the most memories that are returned.
        confidence: what a memory must have to be returned; others are walked through.
        edges: how many edges of each way are read of one memory, heaviest first.
        level: from how many memories of one level the walk goes on, best first.
        read: how many edges are read for one level, those of the best memories first.
        seconds: when no further level is begun.
    """

    depth: int
    most: int
    confidence: float = 0.0
    edges: int = 600
    level: int = 1_000
    read: int = 200_000
    seconds: float = 2.0


@dataclass(frozen=True, slots=True)
class Reached:
    """A memory, and the best path to it: its number of edges, and its worth, 0..1."""

    id: int
    depth: int
    worth: float


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk reached, best first, and which bounds ended it; depth is not among them."""

    reached: list[Reached]
    more: bool
    edges_cut: bool
    level_cut: bool
    late: bool


async def walk(tx: Transaction, start: int, ways: tuple[Way, ...], bounds: Bounds) -> Walk:
    """Return what can be reached from `start`, which is not looked at itself and not returned.

    The transaction has been begun for walking. What is hidden, of another space, or not of graph
    memory is never walked through.
    """
    values = {
        "owner": tx.owner,
        "space": tx.space,
        "start": start,
        "depth": bounds.depth,
        "most": bounds.most,
        "confidence": bounds.confidence,
        "fan": bounds.edges,
        "level": bounds.level,
        "read": bounds.read,
        "seconds": bounds.seconds,
        **{f"types_{n}": list(way.types) for n, way in enumerate(ways) if way.types is not None},
    }
    shape = tuple((way.forward, way.types is not None) for way in ways)
    ((ids, depths, worths, edges_cut, level_cut, late),) = await tx.tuples(_query(shape), values)
    reached = [Reached(*each) for each in zip(ids, depths, worths, strict=True)]
    more = len(reached) > bounds.most
    return Walk(reached[: bounds.most], more, edges_cut, level_cut, late)


async def kinds(tx: Transaction, ids: Sequence[int]) -> dict[str, tuple[int, int]]:
    """Return how many memories of `ids` there are of each event type, and how many superseded."""
    rows = await tx.tuples(KINDS, {"owner": tx.owner, "space": tx.space, "ids": list(ids)})
    return {kind: (count, superseded) for kind, count, superseded in rows}


@cache
def _query(shape: tuple[tuple[bool, bool], ...]) -> TextClause:
    """Return the query of some ways: for each, whether it is forward and whether it has types."""
    ends = {True: ("source_id", "target_id"), False: ("target_id", "source_id")}
    steps = [
        STEP.format(
            near=ends[forward][0],
            far=ends[forward][1],
            types=f" AND type = ANY(CAST(:types_{n} AS text[]))" if typed else "",
        )
        for n, (forward, typed) in enumerate(shape)
    ]
    return text(WALK.format(steps=" UNION ALL ".join(steps), shown=VISIBLE_NODES, same=SAME))


JOINING = """
SELECT e.source_id, e.target_id, e.type, e.weight, e.reason
FROM unnest(CAST(:ids AS bigint[])) AS s (id) CROSS JOIN LATERAL (
    SELECT * FROM edges WHERE owner = :owner AND source_id = s.id
        AND target_id = ANY(CAST(:ids AS bigint[])){types} OFFSET 0) e
ORDER BY e.weight DESC, e.source_id, e.target_id, e.type LIMIT CAST(:most AS bigint) + 1
"""
"""Both ends are looked up in the primary key: a memory with very many edges costs no more."""

OF_ANY = text(JOINING.format(types=""))
OF_TYPES = text(JOINING.format(types=" AND type = ANY(CAST(:types AS text[]))"))


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One edge; `weight` is 0..1, `reason` says why a memory was corrected."""

    source: int
    target: int
    type: str
    weight: float
    reason: str | None


async def edges_between(
    tx: Transaction, ids: Sequence[int], types: Sequence[str] | None, *, most: int
) -> tuple[list[EdgeRow], bool]:
    """Return the heaviest edges among `ids`, of some types or all, and whether there are more."""
    values = {"owner": tx.owner, "ids": list(ids), "most": most}
    if types is None:
        rows = await tx.tuples(OF_ANY, values)
    else:
        rows = await tx.tuples(OF_TYPES, {**values, "types": list(types)})
    return [EdgeRow(*row) for row in rows[:most]], len(rows) > most
