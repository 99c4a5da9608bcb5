"""The query for the nearest vectors, in the shape that suits how much an owner has stored.

Exact by default. Where the scope narrows, or much is not to be seen, distances are taken of
the memories that remain; else of all vectors, and of the nearest those are dropped that may
not be seen. An owner who outgrew that has an index of their own (`stores/vector_indexes.py`): it
holds their memories up to a number, and the vectors of later ones are all looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.memory.search.query_terms import QueryTerms
    from reasonloom.stores.memory.search.scope import Nearness, Scope

VECTORS_A_MEMORY = 3
SPARE = 10
LEAST_SEEN = 0.5
"""Where less of the owner's memories may be seen than this, what may be seen is taken first."""

FARTHEST, NEARER = 200, 80
"""What an index looks at (`hnsw.ef_search`) for a list of candidates, and for a few links."""

FEW = 20
"""A pool that is no larger is satisfied by what lies nearer."""

LEAST_INDEXED = 20
"""With fewer memories than this from an index, all are looked at after all."""

TUNE = text(
    "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), "
    "set_config('hnsw.ef_search', CAST(:reach AS text), true)"
)

IN_SECTORS = " AND e.sectors & CAST(:sectors AS smallint) <> 0"
VISIBLE_FIRST = """
SELECT id, 1 - min(distance) AS cosine FROM (
    SELECT m.id, e.embedding <=> CAST(:vector AS halfvec) AS distance
    FROM memories m JOIN embeddings e ON e.owner = m.owner AND e.memory_id = m.id
    WHERE {where} AND {of_model} OFFSET 0) near
GROUP BY id ORDER BY min(distance), id LIMIT :pool
"""
NEAREST_FIRST = """
WITH near AS MATERIALIZED (SELECT memory_id, min(distance) AS distance FROM ({vectors}) looked
    GROUP BY memory_id)
SELECT near.memory_id AS id, 1 - distance AS cosine FROM near WHERE memory_id = ANY(ARRAY(
    SELECT m.id FROM memories m WHERE {where} AND m.id = ANY(ARRAY(SELECT memory_id FROM near))))
ORDER BY distance, memory_id LIMIT :pool
"""
"""Ids go from one to the other as arrays: joined, before the tables were analysed, each of one
would be looked for among all of the other."""
EVERY_VECTOR = """
SELECT memory_id, distance FROM (
    SELECT e.memory_id, e.embedding <=> CAST(:vector AS halfvec) AS distance
    FROM embeddings e WHERE {of_model} OFFSET 0) taken
ORDER BY distance LIMIT :looked
"""
BY_INDEX = """
(SELECT e.memory_id, CAST(e.embedding AS halfvec({size})) <=> CAST(:vector AS halfvec({size}))
    AS distance
FROM embeddings e WHERE {of_model} AND e.memory_id <= CAST(:indexed AS bigint)
ORDER BY CAST(e.embedding AS halfvec({size})) <=> CAST(:vector AS halfvec({size})) LIMIT :looked)
UNION ALL (SELECT memory_id, distance FROM (
    SELECT e.memory_id, e.embedding <=> CAST(:vector AS halfvec) AS distance
    FROM embeddings e WHERE {of_model} AND e.memory_id > CAST(:indexed AS bigint) OFFSET 0) later
ORDER BY distance LIMIT :looked)
"""
"""The cast to a size and the first condition on the number are the index's own; without them
the planner does not know the index. An index of a larger number will do as well."""


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """A query that gives `id` and `cosine`, the nearest first.

    Attributes:
        enough: with fewer memories than this it may have missed some.
        reach: how far an index is to look, which TUNE sets before; None without an index.
    """

    sql: str
    values: dict[str, Any] = field(default_factory=dict)
    enough: int = 0
    reach: int | None = None


def exact_query(near: Nearness, scope: Scope) -> VectorQuery:
    """Return the query that misses nothing: of what may be seen the nearest."""
    return VectorQuery(VISIBLE_FIRST.format(where=scope.where(), of_model=_of_model(near)))


def nearest_query(near: Nearness, scope: Scope, asked: QueryTerms, pool: int) -> VectorQuery:
    """Return the query whose shape suits the owner; where it gives too few, take the whole."""
    seen = asked.visible / max(asked.every, 1)
    if scope.narrow or seen < LEAST_SEEN or scope.uncounted:
        return exact_query(near, scope)
    needed = ceil(pool * VECTORS_A_MEMORY / seen) + SPARE
    if asked.indexed is not None:
        return _by_index(near, scope, pool, needed, asked.indexed)
    vectors = EVERY_VECTOR.format(of_model=_of_model(near))
    sql = NEAREST_FIRST.format(vectors=vectors, where=scope.where())
    return VectorQuery(sql, {"looked": needed}, min(pool, asked.visible))


def _by_index(near: Nearness, scope: Scope, pool: int, needed: int, indexed: int) -> VectorQuery:
    """Return the query of an owner who has an index; it gives no more than one look at it finds.

    A second look costs as much again. Of the views of some sectors alone about half may remain.
    """
    reach = NEARER if pool <= FEW else FARTHEST
    looked = min(needed, reach if near.everywhere else reach // 3)
    vectors = BY_INDEX.format(of_model=_of_model(near), size=len(near.vector))
    sql = NEAREST_FIRST.format(vectors=vectors, where=scope.where())
    values = {"looked": looked, "indexed": indexed}
    return VectorQuery(sql, values, min(pool, LEAST_INDEXED), reach)


def _of_model(near: Nearness) -> str:
    """Return the condition on a vector `e`; none on its sectors where all are searched."""
    sectors = "" if near.everywhere else IN_SECTORS
    return f"e.owner = :owner AND e.model = :model{sectors}"
