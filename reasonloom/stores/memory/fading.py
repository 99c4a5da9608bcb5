"""How strong a memory will be if nobody reads it: the formula of `decay`, at many moments."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

from reasonloom.stores.memory.decay import RATE, SINCE, WEAKENED

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

AT = "given.moment"
FADED = text(f"""
SELECT given.moment, {WEAKENED.replace(":at", AT)} AS strength
FROM memories CROSS JOIN unnest(CAST(:moments AS timestamptz[])) AS given (moment)
WHERE owner = :owner AND space = :space AND id = :id ORDER BY given.moment
""")  # noqa: S608 - our own formula, no values
KNOWN = text(f"""
SELECT strength, {SINCE} AS since, {RATE} AS rate FROM memories
WHERE owner = :owner AND space = :space AND id = :id
""")  # noqa: S608 - as above


class Standing(NamedTuple):
    """The stored strength, the moment it is of, and the rate per day by which it fades."""

    strength: float
    since: datetime
    rate: float


async def standing(tx: Transaction, memory_id: int) -> Standing | None:
    """Return what a memory's strength is reckoned from, None if it is not there."""
    row = await tx.first(KNOWN, {"owner": tx.owner, "space": tx.space, "id": memory_id})
    return Standing(float(row.strength), row.since, float(row.rate)) if row else None


async def at(
    tx: Transaction, memory_id: int, moments: Sequence[datetime]
) -> list[tuple[datetime, float]]:
    """Return the strength at each moment from the stored one's on, if nobody reads it till then."""
    values = {"owner": tx.owner, "space": tx.space, "id": memory_id, "moments": list(moments)}
    return [(when, float(strength)) for when, strength in await tx.tuples(FADED, values)]
