"""Sessions by their numbers: looked up, ended, and summed up by an episode."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

from reasonloom.errors import SessionNotFound
from reasonloom.stores.graph_memory.memory_nodes import SHOWN

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

SESSION = "SELECT id, number, metadata, ended_at, episode_id FROM sessions s"
OF_NUMBER = text(f"""
{SESSION} WHERE s.owner = :owner AND s.space = :space AND s.number = :number
""")
OF_ID = text(f"{SESSION} WHERE s.owner = :owner AND s.space = :space AND s.id = :id").bindparams(
    bindparam("id", type_=Uuid)
)
MERGE = text("""
UPDATE sessions SET metadata = metadata || CAST(:metadata AS jsonb), updated_at = now()
WHERE owner = :owner AND id = :id RETURNING metadata
""").bindparams(bindparam("id", type_=Uuid))
END = text("""
UPDATE sessions SET ended_at = coalesce(ended_at, :at), updated_at = now(),
    episode_id = coalesce(CAST(:episode AS bigint), episode_id)
WHERE owner = :owner AND id = :id
""").bindparams(bindparam("id", type_=Uuid))
HEAD = text(f"""
WITH RECURSIVE later (id, superseded_by) AS (
    SELECT m.id, m.superseded_by FROM memories m WHERE {SHOWN} AND m.id = :id
    UNION ALL
    SELECT m.id, m.superseded_by FROM later JOIN memories m ON m.id = later.superseded_by
    WHERE {SHOWN}
)
SELECT id FROM later WHERE superseded_by IS NULL
""")  # noqa: S608 - a constant, no values
"""What supersedes a memory is newer than it, so that this ends."""


@dataclass(frozen=True, slots=True)
class Course:
    """A session as far as it has come; `episode_id` sums it up, or did before it was forgotten."""

    id: UUID
    number: int
    metadata: dict[str, Any]
    ended_at: datetime | None
    episode_id: int | None


async def of_number(tx: Transaction, number: int, *, field: str = "session_id") -> Course:
    """Return the session of a number.

    Raises:
        SessionNotFound: this owner has none such in this space.
    """
    row = await tx.first(OF_NUMBER, {"owner": tx.owner, "space": tx.space, "number": number})
    if row is None:
        raise SessionNotFound(str(number), field=field)
    return _course(row)


async def of_id(tx: Transaction, session_id: UUID) -> Course:
    """Return a session that is known to be there."""
    row = await tx.first(OF_ID, {"owner": tx.owner, "space": tx.space, "id": session_id})
    assert row is not None  # noqa: S101 - sessions are never removed
    return _course(row)


async def merge_metadata(
    tx: Transaction, session_id: UUID, metadata: dict[str, Any]
) -> dict[str, Any]:
    """Add to a session's metadata, the new value where a key is there; return the whole."""
    said = json.dumps(metadata, ensure_ascii=False)
    row = await tx.first(MERGE, {"owner": tx.owner, "id": session_id, "metadata": said})
    assert row is not None  # noqa: S101 - the session is there
    return dict(row.metadata)


async def end(tx: Transaction, session_id: UUID, at: datetime, episode_id: int | None) -> None:
    """Mark a session as ended, with the episode that sums it up, if there is a new one."""
    await tx.run(END, {"owner": tx.owner, "id": session_id, "at": at, "episode": episode_id})


async def head(tx: Transaction, memory_id: int | None) -> int | None:
    """Return the memory that stands for another today; None where that was hidden."""
    if memory_id is None:
        return None
    row = await tx.first(HEAD, {"owner": tx.owner, "space": tx.space, "id": memory_id})
    return int(row.id) if row else None


def _course(row: Any) -> Course:
    return Course(row.id, row.number, row.metadata, row.ended_at, row.episode_id)
