"""Leases: which process carries an unfinished run, so that one alone resumes it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Database, Transaction

RENEW = text("""
UPDATE leases SET until = clock_timestamp() + make_interval(secs => :seconds)
WHERE holder = :holder AND run_id = ANY(:runs) RETURNING run_id
""")
ORPHANS = text("""
SELECT owner, run_id FROM leases WHERE until < clock_timestamp()
ORDER BY until LIMIT :limit
""")


@dataclass(frozen=True, slots=True)
class Orphan:
    """A run whose carrier has stopped renewing its lease."""

    owner: str
    run_id: UUID


async def release(tx: Transaction, run_id: UUID) -> None:
    """Give the lease back; the run has ended."""
    await tx.run(
        text("DELETE FROM leases WHERE owner = :owner AND run_id = :run"),
        {"owner": tx.owner, "run": run_id},
    )


async def let_go(tx: Transaction, run_id: UUID, holder: UUID) -> None:
    """Let a holder's lease of an unfinished run run out now."""
    await tx.run(
        text(
            "UPDATE leases SET until = clock_timestamp() "
            "WHERE owner = :owner AND run_id = :run AND holder = :holder"
        ),
        {"owner": tx.owner, "run": run_id, "holder": holder},
    )


async def renew(
    database: Database, holder: UUID, active: Collection[UUID], seconds: float
) -> set[UUID]:
    """Prolong a holder's leases of its active runs; return the runs it still carries.

    A run that it left without being able to say so is not prolonged, and so is found again.
    """
    values = {"holder": holder, "runs": list(active), "seconds": seconds}
    async with database.recovering() as connection:
        return {row.run_id for row in await connection.execute(RENEW, values)}


async def orphans(database: Database, *, limit: int = 100) -> list[Orphan]:
    """Return runs of any owner that nobody carries any more, the longest lost first."""
    async with database.recovering() as connection:
        rows = await connection.execute(ORPHANS, {"limit": limit})
        return [Orphan(row.owner, row.run_id) for row in rows]
