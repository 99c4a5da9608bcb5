"""Unfinished runs: the leases of the processes that work on them, and their answered calls."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from reasonloom.stores.database import Database, Transaction
from reasonloom.stores.statements import load

NOBODY = UUID(int=0)
"""The holder of a revoked lease: its run is to be cancelled, not resumed."""

SQL = load(__file__, nobody=NOBODY)


@dataclass(frozen=True, slots=True)
class Lease:
    """The lease of a run, active or abandoned; `now` is the database's clock."""

    owner: str
    run_id: UUID
    until: datetime
    now: datetime
    revoked: bool = False


async def release_lease(tx: Transaction, run_id: UUID) -> None:
    """Delete the lease of a run that has ended."""
    await tx.run(SQL.release_lease, {"run": run_id})


async def expire_lease(tx: Transaction, run_id: UUID, holder: UUID) -> None:
    """Expire a holder's lease of an unfinished run now."""
    await tx.run(SQL.expire_lease, {"run": run_id, "holder": holder})


async def revoke_lease(tx: Transaction, run_id: UUID) -> bool:
    """Revoke the lease of a run, so that its process cancels it; return whether it has one."""
    return await tx.run(SQL.revoke_lease, {"run": run_id}) == 1


async def renew_leases(
    database: Database, holder: UUID, active: Collection[UUID], seconds: float
) -> set[UUID]:
    """Extend a holder's leases of its active runs; return those of the runs that were revoked.

    The lease of a run abandoned without release is not extended, so that the run is recovered.
    """
    values = {"holder": holder, "runs": list(active), "seconds": seconds}
    async with database.recovering() as tx:
        return set(await tx.column(SQL.renew_leases, values))


async def leases(database: Database, *, limit: int = 1_000) -> list[Lease]:
    """Return the leases of all owners, those that expire first at the front."""
    async with database.recovering() as tx:
        rows = await tx.all(SQL.leases, {"limit": limit})
    return [Lease(**row._asdict()) for row in rows]


async def end_lease(database: Database, lease: Lease) -> None:
    """Expire a lease now, unless it has been renewed since."""
    values = {"owner": lease.owner, "run_id": lease.run_id, "until": lease.until}
    async with database.recovering() as tx:
        await tx.run(SQL.end_lease, values)


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
