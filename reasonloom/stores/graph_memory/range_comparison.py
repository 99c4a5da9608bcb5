"""Compares two ranges of nodes: their sizes, and which nodes supersede which."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.memory_nodes import NEWEST, VISIBLE_NODES
from reasonloom.stores.statements import load

SQL = load(__file__, visible_nodes=VISIBLE_NODES)
Part = Literal["only_in_b", "in_a", "faded_in_a"]


@dataclass(frozen=True, slots=True)
class Range:
    """The nodes of some sessions, or those stored between two times, both inclusive."""

    sessions: Sequence[UUID] | None = None
    start: datetime | None = None
    end: datetime | None = None

    def condition(self, name: str, node: str = "m") -> str:
        """Return the SQL condition on a memory `node`; `name` distinguishes its parameters."""
        if self.sessions is not None:
            return f"({node}.session_id = ANY(:{name}_sessions))"
        return f"({node}.created_at BETWEEN :{name}_start AND :{name}_end)"

    def values(self, name: str) -> dict[str, Any]:
        """Return the parameters of the condition."""
        if self.sessions is not None:
            return {f"{name}_sessions": list(self.sessions)}
        return {f"{name}_start": self.start, f"{name}_end": self.end}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ranges to be compared."""

    a: Range
    b: Range

    def values(self) -> dict[str, Any]:
        """Return the parameters of both conditions."""
        return {**self.a.values("a"), **self.b.values("b")}


@dataclass(frozen=True, slots=True)
class Counts:
    """How many nodes are in A, in B, and in B alone.

    Attributes:
        faded: nodes of A, not corrected in B, whose strength is low.
        elsewhere: nodes of A, not corrected in B, that are superseded elsewhere.
    """

    in_a: int
    in_b: int
    only_b: int
    faded: int
    elsewhere: int


@dataclass(frozen=True, slots=True)
class Step:
    """A node superseded by another, and the ranges both are in."""

    older: int
    newer: int
    older_in_a: bool
    newer_in_a: bool
    newer_in_b: bool


async def steps(tx: Transaction, pair: Pair) -> list[Step]:
    """Return every supersession of a node of the space, by number."""
    statement = SQL.fill(
        "steps",
        a_older=pair.a.condition("a"),
        a_newer=pair.a.condition("a", "newer"),
        b_newer=pair.b.condition("b", "newer"),
        older=VISIBLE_NODES,
        newer=VISIBLE_NODES.replace("m.", "newer."),
    )
    return await tx.rows(Step, statement, pair.values())


async def counts(
    tx: Transaction, pair: Pair, *, corrected: Collection[int], faded: float
) -> Counts:
    """Return the counts of both ranges; `corrected` are nodes of A that B corrects."""
    statement = SQL.fill("counts", a=pair.a.condition("a"), b=pair.b.condition("b"))
    values = {**pair.values(), "corrected": list(corrected), "faded": faded}
    [counted] = await tx.rows(Counts, statement, values)
    return counted


async def some(
    tx: Transaction, pair: Pair, part: Part, *, without: Collection[int], faded: float, most: int
) -> list[int]:
    """Return the newest nodes of a part; of the faded ones, below `faded`, the weakest."""
    a, b = pair.a.condition("a"), pair.b.condition("b")
    chosen, order = {
        "only_in_b": (f"{b} AND {a} IS NOT TRUE", NEWEST),
        "in_a": (a, NEWEST),
        "faded_in_a": (f"{a} AND m.strength < :faded", f"m.strength, {NEWEST}"),
    }[part]
    values = {**pair.values(), "without": list(without), "faded": faded, "most": most}
    statement = SQL.fill("some", chosen=chosen, order=order)
    return [row[0] for row in await tx.tuples(statement, values)]
