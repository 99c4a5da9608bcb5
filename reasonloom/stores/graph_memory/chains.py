"""The chain of a session's memories in time: each leads to the one that was stored after it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

ORIGIN = "session"
"""What the edges say that a session's course has drawn, and nobody by hand."""

WEIGHT = 0.5
"""Less than a drawn edge has where none is named: a walk takes what somebody linked before what
merely came next."""

CHAIN = text("""
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
SELECT :owner, before.id, :id, 'temporal_next', :weight, :origin, :run_id FROM (
    SELECT m.id FROM memories m
    WHERE m.owner = :owner AND m.space = :space AND m.session_id = :session_id AND m.id < :id
        AND m.deleted_at IS NULL AND m.source_kind IN ('user', 'tool')
    ORDER BY m.id DESC LIMIT 1) before
ON CONFLICT DO NOTHING
""").bindparams(bindparam("session_id", type_=Uuid), bindparam("run_id", type_=Uuid))


async def follow(tx: Transaction, memory_id: int, session_id: UUID, *, run_id: UUID) -> None:
    """Let a memory that was just stored follow the one before it in its session.

    Whoever stores holds the owner's row until it commits, so that of two writers at once the
    second sees what the first has stored, and the chain has no fork.
    """
    await tx.run(
        CHAIN,
        {
            "owner": tx.owner,
            "space": tx.space,
            "id": memory_id,
            "session_id": session_id,
            "weight": WEIGHT,
            "origin": ORIGIN,
            "run_id": run_id,
        },
    )
