"""Unfinished runs: the leases of the processes that work on them, and their answered calls."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from reasonloom.stores.database import Database, Transaction
from reasonloom.stores.statements import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Lease:
    """The lease of a run, active or abandoned; `now` is the database's clock."""

    owner: str
    run_id: UUID
    until: datetime
    now: datetime


async def release_lease(tx: Transaction, run_id: UUID) -> None:
    """Delete the lease of a run that has ended."""
    await tx.run(SQL.release_lease, {"run": run_id})


async def expire_lease(tx: Transaction, run_id: UUID, holder: UUID) -> None:
    """Expire a holder's lease of an unfinished run now."""
    await tx.run(SQL.expire_lease, {"run": run_id, "holder": holder})


async def renew_leases(
    database: Database, holder: UUID, active: Collection[UUID], seconds: float
) -> set[UUID]:
    """Extend a holder's leases of its active runs; return the runs it still holds.

    The lease of a run abandoned without release is not extended, so that the run is recovered.
    """
    values = {"holder": holder, "runs": list(active), "seconds": seconds}
    async with database.recovering() as connection:
        return {row.run_id for row in await connection.execute(SQL.renew_leases, values)}


async def leases(database: Database, *, limit: int = 1_000) -> list[Lease]:
    """Return the leases of all owners, those that expire first at the front."""
    async with database.recovering() as connection:
        rows = await connection.execute(SQL.leases, {"limit": limit})
        return [Lease(**row._mapping) for row in rows]


async def end_lease(database: Database, lease: Lease) -> None:
    """Expire a lease now, unless it has been renewed since."""
    values = {"owner": lease.owner, "run_id": lease.run_id, "until": lease.until}
    async with database.recovering() as connection:
        await connection.execute(SQL.end_lease, values)


class AnsweredCall(NamedTuple):
    """An answered call of an active run; only the run's fields are set before the first answer."""

    run_id: UUID
    tool: str
    begun: datetime
    node: str | None
    prompt: str | None
    version: int | None
    reply: str | None


async def answered_calls(tx: Transaction, session_id: UUID) -> list[AnsweredCall]:
    """Return the answered calls of the active runs of a session in the order of their answers."""
    return await tx.rows(AnsweredCall, SQL.answered_calls, {"session": session_id})
