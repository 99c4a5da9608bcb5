"""Leases: which process carries an unfinished run, so that one alone resumes it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

if TYPE_CHECKING:
    from reasonloom.stores.database import Database, Transaction


RENEW_LEASES = text("""
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


async def release_lease(tx: Transaction, run_id: UUID) -> None:
    """Give the lease back; the run has ended."""
    await tx.run(
        text("DELETE FROM leases WHERE owner = :owner AND run_id = :run"),
        {"owner": tx.owner, "run": run_id},
    )


async def expire_lease(tx: Transaction, run_id: UUID, holder: UUID) -> None:
    """Let a holder's lease of an unfinished run run out now."""
    await tx.run(
        text(
            "UPDATE leases SET until = clock_timestamp() "
            "WHERE owner = :owner AND run_id = :run AND holder = :holder"
        ),
        {"owner": tx.owner, "run": run_id, "holder": holder},
    )


async def renew_leases(
    database: Database, holder: UUID, active: Collection[UUID], seconds: float
) -> set[UUID]:
    """Prolong a holder's leases of its active runs; return the runs it still carries.

    A run that it left without being able to say so is not prolonged, and so is found again.
    """
    values = {"holder": holder, "runs": list(active), "seconds": seconds}
    async with database.recovering() as connection:
        return {row.run_id for row in await connection.execute(RENEW_LEASES, values)}


async def orphaned_runs(database: Database, *, limit: int = 100) -> list[Orphan]:
    """Return runs of any owner that nobody carries any more, the longest lost first."""
    async with database.recovering() as connection:
        rows = await connection.execute(ORPHANS, {"limit": limit})
        return [Orphan(row.owner, row.run_id) for row in rows]


CALLS = text("""
SELECT r.id, r.tool, r.created_at, c.node, c.prompt, c.prompt_version, left(c.reply ->> 'text', 400)
FROM runs r LEFT JOIN llm_calls c ON c.owner = r.owner AND c.run_id = r.id
WHERE r.owner = :owner AND r.space = :space AND r.status = 'running'
    AND r.created_at > now() - interval '1 day'
    AND (r.session_id = :session OR r.input ->> 'session_id' = CAST(:session AS text))
ORDER BY r.created_at, r.id, c.created_at LIMIT 200
""").bindparams(bindparam("session", type_=Uuid))


class AnsweredCall(NamedTuple):
    """One answered call of a run at work; all but the run is None where there is none yet."""

    run_id: UUID
    tool: str
    begun: datetime
    node: str | None
    prompt: str | None
    version: int | None
    reply: str | None


async def answered_calls(tx: Transaction, session_id: UUID) -> list[AnsweredCall]:
    """Return what runs at work in a session have had answered, in the order of the answers."""
    values = {"owner": tx.owner, "space": tx.space, "session": session_id}
    return [AnsweredCall(*row) for row in await tx.tuples(CALLS, values)]
