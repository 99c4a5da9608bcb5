"""Memories by their ids, several at once: read, held, hidden, restored or erased."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

NOT_PAST = """NOT EXISTS (SELECT FROM chunks c
    WHERE c.owner = memories.owner AND c.memory_id = memories.id)"""
"""Chunks of past conversations are hidden and erased together with what stands beside them, by
`history` alone."""

COLUMNS = (
    "id", "content", "created_at", "last_accessed", "strength", "salience", "confidence",
    "access_count", "sector", "keywords", "tags", "category", "context", "importance",
    "source_kind", "principal", "tool", "trust", "session_id", "run_id",
)  # fmt: skip
READ = text(f"""
SELECT {", ".join(COLUMNS)} FROM memories
WHERE owner = :owner AND space = :space AND id = ANY(:ids) AND deleted_at IS NULL
""")  # noqa: S608 - names of columns, no values
HOLD_OWNER = text("SELECT owner FROM owners WHERE owner = :owner FOR UPDATE")
HOLD = text(f"""
SELECT id FROM memories WHERE owner = :owner AND space = :space AND id = ANY(:ids)
    AND (:hidden OR deleted_at IS NULL) AND {NOT_PAST} ORDER BY id FOR UPDATE
""")  # noqa: S608 - our own condition, no values
HIDE = text("""
UPDATE memories SET deleted_at = :at WHERE owner = :owner AND id = ANY(:ids)
    AND deleted_at IS NULL
""")
RESTORE = text(f"""
UPDATE memories SET deleted_at = NULL
WHERE owner = :owner AND space = :space AND deleted_at = :at AND {NOT_PAST}
""")  # noqa: S608 - as above
ERASE = text("DELETE FROM memories WHERE owner = :owner AND id = ANY(:ids)")
COUNT = text("""
UPDATE owners SET memory_count = greatest(memory_count - :gone, 0) WHERE owner = :owner
""")


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory with its provenance; scores are in 0..1, times aware."""

    id: int
    content: str
    created_at: datetime
    last_accessed: datetime
    strength: float
    salience: float
    confidence: float
    access_count: int
    sector: str
    keywords: list[str]
    tags: list[str]
    category: str | None
    context: str | None
    importance: float
    source_kind: str
    principal: str
    tool: str
    trust: float
    session_id: UUID | None
    run_id: UUID | None


async def read(tx: Transaction, ids: Sequence[int]) -> dict[int, KnownMemory]:
    """Return those of the memories that this owner and space have and that are not hidden."""
    rows = await tx.all(READ, {"owner": tx.owner, "space": tx.space, "ids": list(ids)})
    return {row.id: KnownMemory(**row._mapping) for row in rows}


async def hold(tx: Transaction, ids: Sequence[int], *, hidden: bool = False) -> list[int]:
    """Return those of the memories that are there, with hidden ones or without, held.

    The owner's row comes first, as wherever memories are stored or removed.
    """
    await tx.all(HOLD_OWNER, {"owner": tx.owner})
    here = {"owner": tx.owner, "space": tx.space}
    return [row.id for row in await tx.all(HOLD, {**here, "ids": list(ids), "hidden": hidden})]


async def hide(tx: Transaction, ids: Sequence[int], at: datetime) -> int:
    """Mark held memories as deleted; return how many were not so already."""
    return await tx.run(HIDE, {"owner": tx.owner, "ids": list(ids), "at": at})


async def restore_hidden_at(tx: Transaction, at: datetime) -> int:
    """Bring back what was hidden together at this very moment; return how many."""
    return await tx.run(RESTORE, {"owner": tx.owner, "space": tx.space, "at": at})


async def erase(tx: Transaction, ids: Sequence[int]) -> int:
    """Remove held memories with their vectors and links; return how many."""
    gone = await tx.run(ERASE, {"owner": tx.owner, "ids": list(ids)})
    await tx.run(COUNT, {"owner": tx.owner, "gone": gone})
    return gone
