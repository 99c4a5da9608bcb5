"""Graph walks over the edges between memories: one recursive query, one level of edges per step.

The query keeps the whole walk in one row, so that it knows every memory reached so far. A path's
worth is the product of its edges' weights, 0..1. A memory is expanded again if a longer path to it
is worth more, and not at all if nothing beyond it can be worth more than the last wanted result.
Each memory's heaviest edges are read first, by an index, however many it has: if they lead to more
memories than wanted, nothing better is missed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import TextClause

from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.evidence import EdgeRow
from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES
from reasonloom.stores.statements import load

SAME = 1e-9
"""Relative difference below which two worths are equal, because products are rounded."""

SQL = load(__file__, visible_nodes=VISIBLE_NODES, same=SAME)


@dataclass(frozen=True, slots=True)
class Way:
    """The edges to follow: forward from source to target or backward, of some types or all."""

    forward: bool
    types: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a walk.

    Attributes:
        depth: maximum edges of a path.
        most: maximum memories returned.
        confidence: minimum confidence of a returned memory; others are still walked through.
        edges: maximum edges read per memory and way, heaviest first.
        level: maximum memories of one level that are expanded, best first.
        read: maximum edges read for one level, those of the best memories first.
        seconds: time after which no further level is started.
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
    """The result of a walk, best first, and the bounds that cut it short, other than depth."""

    reached: list[Reached]
    more: bool
    edges_cut: bool
    level_cut: bool
    late: bool


async def walk(tx: Transaction, start: int, ways: tuple[Way, ...], bounds: Bounds) -> Walk:
    """Return the memories reachable from `start`, which is neither checked nor returned.

    The transaction must have been begun with `walking`. Memories that are hidden, in another
    space, or not part of graph memory are never walked through.
    """
    values = {
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
    """Return, for each event type, how many of `ids` have it and how many are superseded."""
    rows = await tx.tuples(SQL.kinds, {"ids": list(ids)})
    return {kind: (count, superseded) for kind, count, superseded in rows}


@cache
def _query(shape: tuple[tuple[bool, bool], ...]) -> TextClause:
    """Return the query for some ways: for each, whether it is forward and whether it has types."""
    ends = {True: ("source_id", "target_id"), False: ("target_id", "source_id")}
    steps = [
        SQL.part(
            "step",
            near=ends[forward][0],
            far=ends[forward][1],
            types=f" AND type = ANY(CAST(:types_{n} AS text[]))" if typed else "",
        )
        for n, (forward, typed) in enumerate(shape)
    ]
    return SQL.fill("walk", steps=" UNION ALL ".join(steps))


async def edges_between(
    tx: Transaction, ids: Sequence[int], types: Sequence[str] | None, *, most: int
) -> tuple[list[EdgeRow], bool]:
    """Return the heaviest edges among `ids`, of some types or all, and whether there are more."""
    values = {"ids": list(ids), "most": most}
    if types is None:
        rows = await tx.tuples(SQL.of_any, values)
    else:
        rows = await tx.tuples(SQL.of_types, {**values, "types": list(types)})
    return [EdgeRow(*row) for row in rows[:most]], len(rows) > most
