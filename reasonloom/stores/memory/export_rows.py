"""Whole memories, page by page: what an export reads, with links and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

EXPORTED = """(:hidden OR {m}.deleted_at IS NULL) AND NOT EXISTS (
    SELECT FROM chunks c WHERE c.owner = {m}.owner AND c.memory_id = {m}.id)"""
"""Chunks of past conversations are not exported: they are read from their transcripts again."""

COUNT = text(f"""
SELECT count(*) AS memories, coalesce(max(id), 0) AS last FROM memories m
WHERE owner = :owner AND space = :space AND {EXPORTED.format(m="m")}
""")  # noqa: S608 - our own condition, no values
COLUMNS = (
    "id", "content", "sector", "event_type", "created_at", "last_accessed", "decayed_at",
    "deleted_at", "strength", "salience", "importance", "confidence", "trust", "decay_rate",
    "access_count", "keywords", "tags", "category", "context", "session_id", "project",
    "source_kind", "principal", "tool", "run_id", "effect",
)  # fmt: skip
PAGE = text(f"""
SELECT {", ".join("m." + name for name in COLUMNS)}, s.external_name AS session_name,
    coalesce((SELECT json_agg(json_build_object('target', e.target_id, 'type', e.type,
            'weight', e.weight, 'origin', e.origin, 'created_at', e.created_at)
            ORDER BY e.target_id, e.type)
        FROM edges e JOIN memories t ON t.owner = e.owner AND t.id = e.target_id
        WHERE e.owner = :owner AND e.source_id = m.id AND t.space = :space AND t.id <= :last
            AND {EXPORTED.format(m="t")}), '[]') AS edges,
    (SELECT h.id FROM memories h WHERE h.owner = m.owner AND h.id = m.superseded_by
        AND h.space = :space AND h.id <= :last AND {EXPORTED.format(m="h")}) AS superseded_by,
    coalesce((SELECT json_agg(json_build_object('sectors', v.sectors, 'vector',
            CAST(v.embedding AS text)) ORDER BY v.sectors)
        FROM embeddings v WHERE v.owner = :owner AND v.memory_id = m.id
            AND v.model = CAST(:model AS text)), '[]') AS vectors
FROM memories m LEFT JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
WHERE m.owner = :owner AND m.space = :space AND m.id > :after AND m.id <= :last
    AND {EXPORTED.format(m="m")}
ORDER BY m.id LIMIT :size
""")  # noqa: S608 - names of columns and our own condition, no values


@dataclass(frozen=True, slots=True)
class Extent:
    """How many memories there are to export, and the last one's number."""

    memories: int
    last: int


@dataclass(frozen=True, slots=True)
class ExportRow:
    """A memory with all that belongs to it; times are aware.

    `edges` and `vectors` are as JSON holds them, a vector as pgvector writes it.
    """

    id: int
    content: str
    sector: str
    event_type: str
    created_at: datetime
    last_accessed: datetime
    decayed_at: datetime | None
    deleted_at: datetime | None
    strength: float
    salience: float
    importance: float
    confidence: float
    trust: float
    decay_rate: float
    access_count: int
    keywords: list[str]
    tags: list[str]
    category: str | None
    context: str | None
    session_id: UUID | None
    project: str | None
    source_kind: str
    principal: str
    tool: str
    run_id: UUID | None
    effect: UUID
    session_name: str | None
    edges: list[dict[str, Any]]
    superseded_by: int | None
    vectors: list[dict[str, Any]]


async def extent(tx: Transaction, *, hidden: bool) -> Extent:
    """Return how much the space holds now, with what is hidden or without."""
    row = await tx.first(COUNT, {"owner": tx.owner, "space": tx.space, "hidden": hidden})
    assert row is not None  # noqa: S101 - a count always is
    return Extent(row.memories, row.last)


async def page(
    tx: Transaction, *, after: int, last: int, size: int, hidden: bool, model: str | None
) -> Sequence[ExportRow]:
    """Return the next memories by number, after `after` and not behind `last`.

    Links lead to memories that the whole export holds. `model` names whose vectors go along.
    """
    values = {"owner": tx.owner, "space": tx.space, "hidden": hidden, "model": model}
    rows = await tx.all(PAGE, {**values, "after": after, "last": last, "size": size})
    return [ExportRow(**row._mapping) for row in rows]
