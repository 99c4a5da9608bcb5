"""Checkpoints: tags on a session, each with the state that the session had when it was set."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Select, Uuid, bindparam, select, text
from sqlalchemy.dialects.postgresql import JSONB

from reasonloom.errors import CheckpointNotFound
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.sessions import branches, sessions
from reasonloom.stores.sessions.tables import Checkpoint
from reasonloom.stores.tables import Session

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.sessions.sessions import SessionRow


@dataclass(frozen=True, slots=True)
class NewCheckpoint:
    """A checkpoint to be set: on which branch, at which thought, with which state."""

    id: UUID
    session_id: UUID
    branch_id: UUID
    head_id: UUID | None
    name: str
    description: str | None
    snapshot: dict[str, Any]
    run_id: UUID


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """One checkpoint as stored; `number` counts those of its session from 1."""

    id: UUID
    session_id: UUID
    number: int
    branch_id: UUID
    head_id: UUID | None
    name: str
    description: str | None
    snapshot: dict[str, Any]
    run_id: UUID | None
    created_at: datetime


IDS = ("id", "session_id", "branch_id", "head_id", "run_id")
CREATE = text("""
INSERT INTO session_checkpoints (owner, id, session_id, number, branch_id, head_id, name,
    description, snapshot, run_id)
SELECT :owner, :id, :session_id, coalesce(max(number), 0) + 1, :branch_id, :head_id, :name,
    :description, :snapshot, :run_id
FROM session_checkpoints WHERE owner = :owner AND session_id = :session_id
ON CONFLICT (owner, id) DO NOTHING
""").bindparams(*(bindparam(name, type_=Uuid) for name in IDS), bindparam("snapshot", type_=JSONB))


async def create(tx: Transaction, checkpoint: NewCheckpoint) -> CheckpointRow:
    """Set a checkpoint and return it; the session must be held."""
    values = {name: getattr(checkpoint, name) for name in NewCheckpoint.__slots__}
    await tx.run(CREATE, {"owner": tx.owner, **values})
    return await require(tx, str(checkpoint.id))


async def require(
    tx: Transaction,
    checkpoint_id: str,
    *,
    session_id: UUID | None = None,
    field: str = "checkpoint_id",
) -> CheckpointRow:
    """Return a checkpoint; with `session_id` one of that session alone.

    Raises:
        CheckpointNotFound: this owner, or the session, has none such, or the text is no uuid.
    """
    wanted = parse_uuid(checkpoint_id)
    row = wanted and await tx.first(_rows(tx).where(Checkpoint.id == wanted))
    if not row or session_id not in (None, row.session_id):
        raise CheckpointNotFound(checkpoint_id, field=field)
    return CheckpointRow(**row._mapping)


async def of_session(tx: Transaction, session_id: UUID) -> list[CheckpointRow]:
    """Return the checkpoints of a session in the order in which they were set."""
    rows = await tx.all(
        _rows(tx).where(Checkpoint.session_id == session_id).order_by(Checkpoint.number)
    )
    return [CheckpointRow(**row._mapping) for row in rows]


def _rows(tx: Transaction) -> Select[Any]:
    """Select this owner's checkpoints, of sessions of the space that the transaction named."""
    columns = [getattr(Checkpoint, name) for name in CheckpointRow.__slots__]
    joined = (Session.owner == Checkpoint.owner) & (Session.id == Checkpoint.session_id)
    return (
        select(*columns)
        .join(Session, joined)
        .where(Checkpoint.owner == tx.owner, Session.space == tx.space)
    )


# A checkpoint keeps it, a step back restores it; both hold the session.

RESTORE_STATE = text("""
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
SNAPSHOT_STATE = text("""
INSERT INTO state_snapshots (owner, id, session_id, cause, state, run_id)
VALUES (:owner, :id, :session, :cause, :state, :run) ON CONFLICT (owner, id) DO NOTHING
""").bindparams(
    *(bindparam(name, type_=Uuid) for name in ("id", "session", "run")),
    bindparam("state", type_=JSONB),
)


async def capture_state(tx: Transaction, session: SessionRow) -> dict[str, Any]:
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


async def restore_state(
    tx: Transaction, session: SessionRow, state: dict[str, Any], *, beside: UUID
) -> None:
    """Give every branch the state it had, and let `beside`, a new one, be the active branch.

    A branch that was not there yet is abandoned. Heads stay: what was thought later remains
    the end of the branch on which it was thought.
    """
    values = {"session": session.id, "state": state, "beside": beside}
    await tx.run(RESTORE_STATE, {"owner": tx.owner, **values})
    await sessions.make_active(tx, session.id, beside)


async def snapshot_state(
    tx: Transaction, session: SessionRow, *, snapshot_id: UUID, cause: str, run_id: UUID
) -> None:
    """Keep the state that a session has now, so that what replaces it loses nothing."""
    values = {"id": snapshot_id, "session": session.id, "cause": cause, "run": run_id}
    state = await capture_state(tx, session)
    await tx.run(SNAPSHOT_STATE, {"owner": tx.owner, "state": state, **values})
