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
from reasonloom.stores.sessions.tables import Checkpoint
from reasonloom.stores.tables import Session

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


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
