"""Checkpoints tag a session with its state at that time; backtracking restores that state.

A state is the active branch, and the state and head of every branch. Writers lock the session.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.errors import CheckpointNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import require_row
from reasonloom.stores.sessions import branches, sessions
from reasonloom.stores.sessions.sessions import SessionRow
from reasonloom.stores.statements import columns, load, values_of


@dataclass(frozen=True, slots=True)
class NewCheckpoint:
    """A checkpoint to create: its branch, thought and session state."""

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
    """A checkpoint as stored; `number` counts those of its session from 1."""

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


SQL = load(__file__, columns=columns(CheckpointRow, "k"))


async def create(tx: Transaction, checkpoint: NewCheckpoint) -> CheckpointRow:
    """Create a checkpoint and return it."""
    await tx.run(SQL.create, values_of(checkpoint))
    return await require(tx, str(checkpoint.id))


async def require(
    tx: Transaction,
    checkpoint_id: str,
    *,
    session_id: UUID | None = None,
    field: str = "checkpoint_id",
) -> CheckpointRow:
    """Return a checkpoint; with `session_id` only if it belongs to that session.

    Raises:
        CheckpointNotFound: there is no such checkpoint, or the text is not a uuid.
    """
    found = await require_row(
        tx, CheckpointRow, SQL.find, checkpoint_id, missing=CheckpointNotFound, field=field
    )
    if session_id not in (None, found.session_id):
        raise CheckpointNotFound(checkpoint_id, field=field)
    return found


async def of_session(tx: Transaction, session_id: UUID) -> list[CheckpointRow]:
    """Return the checkpoints of a session in the order they were created."""
    return await tx.rows(CheckpointRow, SQL.of_session, {"session": session_id})


async def capture_state(tx: Transaction, session: SessionRow) -> dict[str, Any]:
    """Return a session's state: `active_branch_id`, and the state and head of `branches` by id.

    Example: {"active_branch_id": "…", "branches": {"…": {"state": "active", "head": "…"}}}
    """
    return {
        "active_branch_id": str(session.active_branch_id),
        "branches": {
            str(each.id): {"state": each.state, "head": str(each.head_id) if each.head_id else None}
            for each in await branches.of_session(tx, session)
        },
    }


async def restore_state(
    tx: Transaction, session: SessionRow, state: dict[str, Any], *, new_branch: UUID
) -> None:
    """Restore the state of every branch and make `new_branch` the active one.

    Branches created since are abandoned. Heads stay: later thoughts remain on their branches.
    """
    values = {"session": session.id, "state": state, "new_branch": new_branch}
    await tx.run(SQL.restore_state, values)
    await sessions.make_active(tx, session.id, new_branch)


async def snapshot_state(
    tx: Transaction, session: SessionRow, *, snapshot_id: UUID, cause: str, run_id: UUID
) -> None:
    """Save the current state of a session before it is replaced."""
    values = {"id": snapshot_id, "session": session.id, "cause": cause, "run": run_id}
    state = await capture_state(tx, session)
    await tx.run(SQL.snapshot_state, {"state": state, **values})
