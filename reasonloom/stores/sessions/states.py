"""The state of a session: which branch is active, and each branch's state and head.

A checkpoint keeps it, a step back restores it; both hold the session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB

from reasonloom.stores.sessions import branches, sessions

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.sessions.sessions import SessionRow

RESTORE = text("""
UPDATE branches b SET state = was.state, updated_at = clock_timestamp()
FROM (SELECT id, coalesce(CAST(:state AS jsonb) -> 'branches' -> CAST(id AS text) ->> 'state',
        'abandoned') AS state
    FROM branches WHERE owner = :owner AND session_id = :session AND id <> :beside) was
WHERE b.owner = :owner AND b.id = was.id AND b.state <> was.state
""").bindparams(
    bindparam("state", type_=JSONB),
    bindparam("session", type_=Uuid),
    bindparam("beside", type_=Uuid),
)
KEEP = text("""
INSERT INTO state_snapshots (owner, id, session_id, cause, state, run_id)
VALUES (:owner, :id, :session, :cause, :state, :run) ON CONFLICT (owner, id) DO NOTHING
""").bindparams(
    *(bindparam(name, type_=Uuid) for name in ("id", "session", "run")),
    bindparam("state", type_=JSONB),
)


async def capture(tx: Transaction, session: SessionRow) -> dict[str, Any]:
    """Return a session's state: `active_branch_id`, and `branches` by id, each its state and head.

    Example: {"active_branch_id": "…", "branches": {"…": {"state": "active", "head": "…"}}}
    """
    return {
        "active_branch_id": str(session.active_branch_id),
        "branches": {
            str(each.id): {
                "state": each.state,
                "head": str(each.head_id) if each.head_id else None,
            }
            for each in await branches.of_session(tx, session)
        },
    }


async def restore(
    tx: Transaction, session: SessionRow, state: dict[str, Any], *, beside: UUID
) -> None:
    """Give every branch the state it had, and let `beside`, a new one, be the active branch.

    A branch that was not there yet is abandoned. Heads stay: what was thought later remains
    the end of the branch on which it was thought.
    """
    values = {"session": session.id, "state": state, "beside": beside}
    await tx.run(RESTORE, {"owner": tx.owner, **values})
    await sessions.make_active(tx, session.id, beside)


async def keep(
    tx: Transaction, session: SessionRow, *, snapshot_id: UUID, cause: str, run_id: UUID
) -> None:
    """Keep the state that a session has now, so that what replaces it loses nothing."""
    values = {"id": snapshot_id, "session": session.id, "cause": cause, "run": run_id}
    state = await capture(tx, session)
    await tx.run(KEEP, {"owner": tx.owner, "state": state, **values})
