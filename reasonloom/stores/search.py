"""Finds candidates among an owner's memories: by likeness of vectors and by words.

Exact search over the owner's rows: an approximate index under a tenant filter returns
almost nothing, and a prepared plan would freeze one owner's choice for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import TextClause, text

from reasonloom.stores.memories import TEXT_CONFIG

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

VISIBLE = "m.owner = :owner AND m.deleted_at IS NULL AND m.source_kind = ANY(:kinds)"

FILTERS = {
    "sector": "m.sector = :sector",
    "min_strength": "m.strength >= :min_strength",
    "min_salience": "m.salience >= :min_salience",
    "after": "m.created_at >= :after",
    "before": "m.created_at <= :before",
    "keywords": "m.keywords && CAST(:keywords AS text[])",
    "tags": "m.tags && CAST(:tags AS text[])",
    "category": "m.category = :category",
}

ALIKE = """
SELECT e.memory_id AS id, 1 - min(e.embedding <=> CAST(:vector AS halfvec)) AS cosine
FROM embeddings e JOIN memories m ON m.owner = e.owner AND m.id = e.memory_id
WHERE e.owner = :owner AND e.model = :model AND e.sector = ANY(:sectors) AND {where}
GROUP BY e.memory_id ORDER BY min(e.embedding <=> CAST(:vector AS halfvec)), e.memory_id
LIMIT :pool
"""

LEXEMES = """
SELECT coalesce(array_agg(lexeme), '{}') AS lexemes
FROM (SELECT lexeme FROM unnest(to_tsvector(CAST(:config AS regconfig), :text)) LIMIT 32) found
"""

WORDED = """
SELECT m.id, cardinality(ARRAY(SELECT unnest(tsvector_to_array(m.words))
    INTERSECT SELECT unnest(CAST(:lexemes AS text[]))))::float / cardinality(
    CAST(:lexemes AS text[])) AS coverage
FROM memories m
WHERE {where} AND m.words @@ CAST(:query AS tsquery)
ORDER BY coverage DESC, ts_rank(m.words, CAST(:query AS tsquery)) DESC, m.id
LIMIT :pool
"""

ANY = """
SELECT m.id FROM memories m WHERE {where}
ORDER BY m.salience DESC, m.last_accessed DESC, m.id LIMIT :pool
"""

FETCH = """
SELECT m.*, coalesce((SELECT avg(d.weight) FROM edges d
    WHERE d.owner = m.owner AND (d.source_id = m.id OR d.target_id = m.id)
    AND d.origin = 'waypoint'), 0) AS link
FROM memories m WHERE m.owner = :owner AND m.id = ANY(:ids) AND m.deleted_at IS NULL
"""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which memories may be found at all; a None does not narrow."""

    kinds: Sequence[str] = ("user", "tool")
    sector: str | None = None
    min_strength: float | None = None
    min_salience: float | None = None
    after: datetime | None = None
    before: datetime | None = None
    keywords: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    category: str | None = None

    def where(self) -> str:
        """Return the SQL condition of this scope."""
        chosen = [FILTERS[name] for name in FILTERS if getattr(self, name) is not None]
        return " AND ".join([VISIBLE, *chosen])

    def values(self, owner: str) -> dict[str, Any]:
        """Return what the condition's parameters stand for."""
        given = {name: getattr(self, name) for name in FILTERS}
        return {
            "owner": owner,
            "kinds": list(self.kinds),
            **{
                name: value if isinstance(value, str | float | datetime) else list(value)
                for name, value in given.items()
                if value is not None
            },
        }


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A stored memory as a search returns it; `link` is its waypoints' mean weight, 0..1."""

    id: int
    session_id: UUID | None
    content: str
    sector: str
    event_type: str
    source_kind: str
    strength: float
    salience: float
    importance: float
    confidence: float
    keywords: list[str]
    tags: list[str]
    category: str | None
    context: str | None
    created_at: datetime
    last_accessed: datetime
    link: float


async def alike(
    tx: Transaction,
    vector: Sequence[float],
    *,
    model: str,
    sectors: Sequence[str],
    scope: Scope,
    pool: int,
) -> dict[int, float]:
    """Return the ids of the nearest memories with their best cosine over the sectors."""
    rows = await tx.all(
        _statement(ALIKE, scope),
        {
            **scope.values(tx.owner),
            "vector": HalfVector(list(vector)).to_text(),
            "model": model,
            "sectors": list(sectors),
            "pool": pool,
        },
    )
    return {int(row.id): float(row.cosine) for row in rows}


async def worded(tx: Transaction, query: str, *, scope: Scope, pool: int) -> dict[int, float]:
    """Return the ids of memories that share words with `query`, and the share of its words.

    Any word will do: a question finds what answers it. A query of stop words finds nothing.
    """
    row = await tx.first(text(LEXEMES), {"config": TEXT_CONFIG, "text": query[:10_000]})
    lexemes = list(row.lexemes) if row else []
    if not lexemes:
        return {}
    quoted = ("'" + word.replace("\\", "\\\\").replace("'", "''") + "'" for word in lexemes)
    rows = await tx.all(
        _statement(WORDED, scope),
        {
            **scope.values(tx.owner),
            "lexemes": lexemes,
            "query": " | ".join(quoted),
            "pool": pool,
        },
    )
    return {int(found.id): float(found.coverage) for found in rows}


async def within(tx: Transaction, *, scope: Scope, pool: int) -> list[int]:
    """Return the ids of the memories of a scope, the most salient first."""
    rows = await tx.all(_statement(ANY, scope), {**scope.values(tx.owner), "pool": pool})
    return [int(row.id) for row in rows]


async def fetch(tx: Transaction, ids: Sequence[int]) -> Mapping[int, FoundMemory]:
    """Return the memories of `ids` that are there and not hidden."""
    rows = await tx.all(text(FETCH), {"owner": tx.owner, "ids": list(ids)})
    return {int(row.id): _found(row) for row in rows}


def _found(row: Any) -> FoundMemory:
    return FoundMemory(**{name: getattr(row, name) for name in FoundMemory.__slots__})


def _statement(template: str, scope: Scope) -> TextClause:
    return text(template.format(where=scope.where()))
