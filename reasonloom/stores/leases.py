"""Leases: which process carries an unfinished run, so that one alone resumes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Database, Transaction

TAKE = text("""
INSERT INTO leases (owner, run_id, holder, until)
VALUES (:owner, :run, :holder, clock_timestamp() + make_interval(secs => :seconds))
ON CONFLICT (owner, run_id) DO UPDATE SET holder = :holder, until = excluded.until
WHERE leases.until < clock_timestamp() OR leases.holder = :holder
""")
RENEW = text("""
UPDATE leases SET until = clock_timestamp() + make_interval(secs => :seconds)
WHERE holder = :holder RETURNING run_id
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


async def take(tx: Transaction, run_id: UUID, holder: UUID, seconds: float) -> bool:
    """Take or keep the lease of a run; False while another holder's has not run out."""
    values = {"owner": tx.owner, "run": run_id, "holder": holder, "seconds": seconds}
    return await tx.run(TAKE, values) == 1


async def release(tx: Transaction, run_id: UUID) -> None:
    """Give the lease back; the run has ended."""
    await tx.run(
        text("DELETE FROM leases WHERE owner = :owner AND run_id = :run"),
        {"owner": tx.owner, "run": run_id},
    )


async def renew(database: Database, holder: UUID, seconds: float) -> set[UUID]:
    """Prolong all leases of a holder; return the runs it still carries."""
    async with database.recovering() as connection:
        rows = await connection.execute(RENEW, {"holder": holder, "seconds": seconds})
        return {row.run_id for row in rows}


async def orphans(database: Database, *, limit: int = 100) -> list[Orphan]:
    """Return runs of any owner that nobody carries any more, the longest lost first."""
    async with database.recovering() as connection:
        rows = await connection.execute(ORPHANS, {"limit": limit})
        return [Orphan(row.owner, row.run_id) for row in rows]
