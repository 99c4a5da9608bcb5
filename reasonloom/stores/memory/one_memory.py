"""One memory with all that is known of it, hidden or not, a piece of the past or not."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import text

from reasonloom.errors import MemoryNotFound

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

READ = text("""
SELECT m.id, m.content, m.sector, m.event_type, m.source_kind, m.principal, m.tool, m.trust,
    m.run_id, m.session_id, s.external_name, m.project, m.confidence, m.strength, m.salience,
    m.importance, m.decay_rate, m.access_count, m.keywords, m.tags, m.category, m.context,
    m.token_count, m.created_at, m.last_accessed, m.decayed_at, m.deleted_at, m.superseded_by,
    c.session, c.project,
    EXISTS (SELECT FROM thoughts t WHERE t.owner = m.owner AND t.session_id = m.session_id)
FROM memories m LEFT JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
LEFT JOIN chunks c ON c.owner = m.owner AND c.memory_id = m.id
WHERE m.owner = :owner AND m.space = :space AND m.id = :id
""")
BASINS = text("""
SELECT b.id, b.name, k.strength FROM basin_members k
JOIN basins b ON b.owner = k.owner AND b.id = k.basin
WHERE k.owner = :owner AND k.memory_id = :id ORDER BY k.strength DESC, b.name LIMIT 20
""")


class OneMemory(NamedTuple):
    """A memory; scores are in 0..1, times aware.

    `past_session` and `past_project` tell where a piece of a past conversation stands;
    `has_thoughts` whether its session is one of reasoning.
    """

    id: int
    content: str
    sector: str
    event_type: str
    source_kind: str
    principal: str
    tool: str
    trust: float
    run_id: UUID | None
    session_id: UUID | None
    session_name: str | None
    project: str | None
    confidence: float
    strength: float
    salience: float
    importance: float
    decay_rate: float
    access_count: int
    keywords: list[str]
    tags: list[str]
    category: str | None
    context: str | None
    token_count: int
    created_at: datetime
    last_accessed: datetime
    decayed_at: datetime | None
    deleted_at: datetime | None
    superseded_by: int | None
    past_session: str | None
    past_project: str | None
    has_thoughts: bool


class Membership(NamedTuple):
    """A basin that a memory belongs to, and how strongly, 0..1."""

    basin: UUID
    name: str
    strength: float


async def require(tx: Transaction, memory_id: int) -> OneMemory:
    """Return a memory of the caller's space.

    Raises:
        MemoryNotFound: there is none such.
    """
    row = await tx.first(READ, {"owner": tx.owner, "space": tx.space, "id": memory_id})
    if row is None:
        raise MemoryNotFound(f"mem-{memory_id}", field="memoryId")
    return OneMemory._make(row)


async def basins_of(tx: Transaction, memory_id: int) -> list[Membership]:
    """Return the basins that a memory belongs to, the strongest first."""
    rows = await tx.tuples(BASINS, {"owner": tx.owner, "id": memory_id})
    return [Membership(*row) for row in rows]
