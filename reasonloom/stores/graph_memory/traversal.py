"""Walks over the edges between memories: one recursive query, a level of edges a step.

The query carries the whole walk in one row, so that it knows every memory reached so far. A path's
worth is the product of its edges' weights, 0..1. A memory is walked on from again where a longer
path to it is worth more, and not at all where nothing behind it can be worth more than the last of
those that are wanted. Each memory's heaviest edges are read first, by an index, however many it
has: where they lead to more memories than are wanted, nothing better is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import TextClause

from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES
from reasonloom.stores.statements import load

SAME = 1e-9
"""Two worths that differ by less of themselves are equal: products are rounded."""

SQL = load(__file__, visible_nodes=VISIBLE_NODES, same=SAME)


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
    """Return what can be reached from `start`, which is not checked and not returned.

    The transaction has been begun for walking. What is hidden, of another space, or not of graph
    memory is never walked through.
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
    """Return for each event type how many of `ids` have it, and how many are superseded."""
    rows = await tx.tuples(SQL.kinds, {"ids": list(ids)})
    return {kind: (count, superseded) for kind, count, superseded in rows}


@cache
def _query(shape: tuple[tuple[bool, bool], ...]) -> TextClause:
    """Return the query of some ways: for each, whether it is forward and whether it has types."""
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


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """An edge; `weight` is 0..1, `reason` says why a memory was corrected."""

    source: int
    target: int
    type: str
    weight: float
    reason: str | None


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
