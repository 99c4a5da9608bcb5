"""The links of a memory: waypoints to similar ones, its edges, and its chain of corrections."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.memories import SOURCE, source_values
from reasonloom.stores.statements import load

MOST_INWARD = 12
"""Maximum links of one origin to a memory: a further one replaces the weakest if it is stronger,
and is dropped otherwise."""

WAYPOINT, NEAR_DUPLICATE = "waypoint", "near_duplicate"
ORIGINS = (WAYPOINT, NEAR_DUPLICATE)


async def link_waypoints(
    tx: Transaction,
    source: int | UUID,
    targets: Mapping[int, float],
    *,
    origins: Mapping[int, str],
    run_id: UUID | None = None,
) -> int:
    """Link a memory to others with weights in 0..1; return how many links were created.

    `source` is its id or its effect.
    """
    if not targets:
        return 0
    values = {
        **source_values(source),
        "targets": list(targets),
        "weights": list(targets.values()),
        "origins": [origins[target] for target in targets],
        "run_id": run_id,
    }
    return await tx.number(SQL.link, values)


LONGEST = 160
MOST = 60
"""Maximum edges of one direction, and memories of one chain of corrections."""
SQL = load(__file__, source=SOURCE, most_inward=MOST_INWARD, most=MOST, longest=LONGEST)


class Link(NamedTuple):
    """An edge and the memory at its other end; `total` counts the edges of this direction."""

    type: str
    weight: float
    origin: str
    reason: str | None
    run_id: UUID | None
    other: int
    content: str
    hidden: bool
    total: int


class Correction(NamedTuple):
    """A memory in a chain of corrections; `reason` is why it replaced the previous ones."""

    id: int
    content: str
    created_at: datetime
    superseded_by: int | None
    hidden: bool
    reason: str | None


async def outward(tx: Transaction, memory_id: int) -> list[Link]:
    """Return the heaviest edges that lead from a memory."""
    return await tx.rows(Link, SQL.outward, {"id": memory_id})


async def inward(tx: Transaction, memory_id: int) -> list[Link]:
    """Return the heaviest edges that lead to a memory."""
    return await tx.rows(Link, SQL.inward, {"id": memory_id})


async def corrections(tx: Transaction, memory_id: int) -> list[Correction]:
    """Return the chain of corrections that a memory is part of, oldest first."""
    return await tx.rows(Correction, SQL.chain, {"id": memory_id})
