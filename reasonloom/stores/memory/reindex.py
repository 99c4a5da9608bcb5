"""Which memories lack vectors of the embedder in use, and their vectors made anew.

Vectors of two models are never compared: a memory without vectors of the model in use is
found by its words alone. Old vectors stay until the owner's memories all have new ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import text

from reasonloom.stores.vectors import distinct

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

PROBES = 1
"""Ids that are looked at besides the oldest: the newest alone, since every recall looks."""

LARGEST_ID = 2**63 - 1

LACKING = (
    "NOT EXISTS (SELECT FROM embeddings e WHERE e.owner = :owner AND e.memory_id = m.id "
    "AND e.model = :model)"
)
STATE = "md5(jsonb_build_array(m.content, m.context, m.tags, m.category)::text)"
FOREIGN = text("""
WITH ends AS (
    SELECT (SELECT memory_id FROM embeddings WHERE owner = :owner
            ORDER BY memory_id LIMIT 1) AS first,
        (SELECT memory_id FROM embeddings WHERE owner = :owner
            ORDER BY memory_id DESC LIMIT 1) AS last
), probed AS (
    SELECT DISTINCT near.memory_id FROM ends, generate_series(0, :probes) AS place,
        LATERAL (SELECT memory_id FROM embeddings WHERE owner = :owner
            AND memory_id >= first + (last - first) * place / :probes
            ORDER BY memory_id LIMIT 1) near
)
SELECT DISTINCT e.model FROM probed m JOIN embeddings e
    ON e.owner = :owner AND e.memory_id = m.memory_id
WHERE NOT EXISTS (SELECT FROM embeddings own WHERE own.owner = :owner
    AND own.memory_id = m.memory_id AND own.model = :model)
ORDER BY 1
""")
COUNT = text(f"""
SELECT count(*) AS memories, count(*) FILTER (WHERE {LACKING}) AS lacking FROM memories m
WHERE m.owner = :owner AND m.space = :space
""")  # noqa: S608 - our own condition, no values
MODELS = text("""
SELECT model, count(DISTINCT memory_id) AS memories FROM embeddings WHERE owner = :owner
GROUP BY model ORDER BY model
""")
BATCH = text(f"""
SELECT m.id, m.content, m.created_at, m.context, m.tags, m.category,
    s.external_name AS session, {STATE} AS state
FROM memories m LEFT JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
WHERE m.owner = :owner AND m.space = :space AND m.id < :before AND {LACKING}
ORDER BY m.id DESC LIMIT :size
""")  # noqa: S608 - our own condition, no values
HOLD = text(f"""
SELECT m.id FROM memories m
JOIN unnest(CAST(:ids AS bigint[]), CAST(:states AS text[])) AS seen (id, state)
    ON m.id = seen.id AND {STATE} = seen.state
WHERE m.owner = :owner AND {LACKING}
ORDER BY m.id FOR NO KEY UPDATE OF m SKIP LOCKED
""")  # noqa: S608 - our own condition, no values
"""Holds what is as it was read; what somebody changes at the moment gets its vectors there."""

EMBED = text("""
INSERT INTO embeddings (owner, memory_id, model, sectors, embedding)
SELECT :owner, id, :model, sectors, CAST(vector AS halfvec) FROM unnest(
    CAST(:ids AS bigint[]), CAST(:sectors AS smallint[]), CAST(:vectors AS text[])
) AS v (id, sectors, vector)
ON CONFLICT DO NOTHING
""")
DROP = text("""
DELETE FROM embeddings WHERE (owner, memory_id, model, sectors) IN (
    SELECT e.owner, e.memory_id, e.model, e.sectors FROM embeddings e
    WHERE e.owner = :owner AND e.model <> :model AND EXISTS (
        SELECT FROM embeddings own WHERE own.owner = :owner
            AND own.memory_id = e.memory_id AND own.model = :model)
    LIMIT :size)
""")


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many memories a space holds, hidden ones too, and how many lack vectors."""

    memories: int
    lacking: int


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A memory that lacks vectors; `state` changes when what is embedded of it does."""

    id: int
    content: str
    created_at: datetime
    context: str | None
    tags: list[str]
    category: str | None
    session: str | None
    state: str


async def foreign_models(tx: Transaction, model: str) -> list[str]:
    """Return the models of memories of this owner that have no vectors of `model`.

    Cheap enough for every recall: it looks at seventeen memories, spread evenly over the
    owner's, the oldest and the newest among them. `reindex` works from the newest to the
    oldest, so that the oldest tells until the end. A few foreign ones amid many of ours may
    be missed; `coverage` counts them all.
    """
    values = {"owner": tx.owner, "model": model, "probes": PROBES}
    return [row.model for row in await tx.all(FOREIGN, values)]


async def coverage(tx: Transaction, model: str) -> Coverage:
    """Count the memories of this space, and those without vectors of `model`."""
    row = await tx.first(COUNT, {"owner": tx.owner, "space": tx.space, "model": model})
    assert row is not None  # noqa: S101 - a count always is
    return Coverage(row.memories, row.lacking)


async def models(tx: Transaction) -> dict[str, int]:
    """Return how many of the owner's memories, in all spaces, have vectors of each model."""
    return {row.model: row.memories for row in await tx.all(MODELS, {"owner": tx.owner})}


async def next_lacking(
    tx: Transaction, model: str, *, before: int, size: int
) -> Sequence[Unembedded]:
    """Return the newest memories below the number `before` that lack vectors of `model`."""
    values = {"owner": tx.owner, "space": tx.space, "model": model}
    rows = await tx.all(BATCH, {**values, "before": before, "size": size})
    return [Unembedded(**row._mapping) for row in rows]


async def embed(
    tx: Transaction,
    memories: Sequence[Unembedded],
    vectors: Mapping[int, Mapping[str, Sequence[float]]],
    model: str,
) -> int:
    """Give memories the vectors of their views; return how many were as they had been read."""
    values = {"owner": tx.owner, "model": model}
    seen = {"ids": [each.id for each in memories], "states": [each.state for each in memories]}
    held = [row.id for row in await tx.all(HOLD, {**values, **seen})]
    ids: list[int] = []
    sectors: list[int] = []
    texts: list[str] = []
    for memory_id in held:
        shared, written = distinct(vectors[memory_id])
        ids += [memory_id] * len(written)
        sectors += shared
        texts += written
    if ids:
        await tx.run(EMBED, {**values, "ids": ids, "sectors": sectors, "vectors": texts})
    return len(held)


async def drop_others(tx: Transaction, model: str, *, size: int) -> int:
    """Remove vectors of other models from memories that have their own of `model`."""
    return await tx.run(DROP, {"owner": tx.owner, "model": model, "size": size})
