"""What a walk through past conversations reads: edges around chunks, and chunks to be told."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

ORIGINS = ("sequence", "brief", "debrief", "continuation", "cause")
SIDE = """(SELECT source_id, target_id, type, weight, origin, reason FROM edges
    WHERE owner = :owner AND {end} = f.id AND origin = ANY(CAST(:origins AS text[]))
    ORDER BY weight DESC, {other} LIMIT :fan)"""
EDGES = text(f"""
SELECT DISTINCT e.source_id, e.target_id, e.type, e.weight, e.origin, e.reason
FROM unnest(CAST(:ids AS bigint[])) AS f (id) CROSS JOIN LATERAL (
    {SIDE.format(end="source_id", other="target_id")}
    UNION ALL {SIDE.format(end="target_id", other="source_id")}) e
ORDER BY e.source_id, e.target_id, e.type
""")  # noqa: S608 - names of columns, no values
CHUNKS = text("""
SELECT c.memory_id AS id, c.project, c.session, c.agent, c.started_at, c.at, c.first_turn,
    c.ordinal, c.tokens, m.content
FROM chunks c JOIN memories m ON m.owner = :owner AND m.id = c.memory_id AND m.deleted_at IS NULL
WHERE c.owner = :owner AND c.memory_id = ANY(CAST(:ids AS bigint[]))
""")


@dataclass(frozen=True, slots=True)
class WalkEdge:
    """An edge between two chunks as it is stored; `weight` is 0..1."""

    source: int
    target: int
    type: str
    weight: float
    origin: str
    reason: str | None

    @property
    def earlier(self) -> int:
        """The chunk that leads to the other: what causes is the target, what follows is, too."""
        return self.target if self.type == "caused_by" else self.source

    @property
    def later(self) -> int:
        """The chunk that follows."""
        return self.source if self.type == "caused_by" else self.target


@dataclass(frozen=True, slots=True)
class WalkChunk:
    """A chunk as it may be told; `started_at` is None where its transcript tells no time."""

    id: int
    project: str
    session: str
    agent: str | None
    started_at: datetime | None
    at: datetime
    first_turn: int
    ordinal: int
    tokens: int
    content: str

    @property
    def place(self) -> tuple[datetime, int, int, int]:
        """Where it stands in time."""
        return self.at, self.first_turn, self.ordinal, self.id


async def edges(tx: Transaction, ids: Collection[int], *, fan: int) -> list[WalkEdge]:
    """Return the `fan` heaviest edges that lead from each chunk, and as many that lead to it."""
    values = {"owner": tx.owner, "ids": list(ids), "origins": list(ORIGINS), "fan": fan}
    return [WalkEdge(*row) for row in await tx.tuples(EDGES, values)]


async def chunks(tx: Transaction, ids: Sequence[int]) -> dict[int, WalkChunk]:
    """Return the chunks of `ids` that are there and not hidden."""
    rows = await tx.tuples(CHUNKS, {"owner": tx.owner, "ids": list(ids)})
    return {row[0]: WalkChunk(*row) for row in rows}
