"""The query for the nearest vectors, in a form that suits the size of an owner's data.

Exact by default. If the scope is narrow, or many memories are not visible, only the distances of
the remaining memories are computed; else those of all vectors, and invisible ones are dropped from
the nearest. An owner who has outgrown this has a vector index (`stores/vector_indexes.py`): it
covers their memories up to a number, and the vectors of later ones are all compared.
"""

from dataclasses import dataclass, field
from math import ceil
from typing import Any, TypeVar

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.query_terms import QueryTerms
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.pipelines import Work, together
from reasonloom.stores.statements import load

VECTORS_A_MEMORY = 3
SPARE = 10
LEAST_SEEN = 0.5
"""If a smaller share of the owner's memories is visible, the visible ones are selected first."""

FARTHEST, NEARER = 200, 80
"""The `hnsw.ef_search` of an index for a list of candidates, and for a few links."""

FEW = 20
"""A pool of at most this size is searched with `NEARER`."""

LEAST_INDEXED = 20
"""If an index yields fewer memories than this, an exact search follows."""

SQL = load(__file__)
T = TypeVar("T")

IN_SECTORS = " AND e.sectors & CAST(:sectors AS smallint) <> 0"


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """A query that yields `id` and `cosine`, nearest first.

    Attributes:
        enough: with fewer results than this it may have missed some.
        reach: the index's `hnsw.ef_search`, which `tuned` sets beforehand; None without an index.
    """

    sql: str
    values: dict[str, Any] = field(default_factory=dict)
    enough: int = 0
    reach: int | None = None


async def tuned(tx: Transaction, query: VectorQuery, reading: Work[T]) -> T:
    """Return the result of `reading`, which executes the query, after setting the index's reach."""
    if not query.reach:
        return await reading
    _, found = await together(tx.run(SQL.tune, {"reach": query.reach}), reading)
    return found


def exact_query(near: Nearness, scope: Scope) -> VectorQuery:
    """Return the exact query, which misses nothing: the nearest of all visible memories."""
    return VectorQuery(SQL.part("visible_first", where=scope.where(), of_model=_of_model(near)))


def nearest_query(near: Nearness, scope: Scope, query: QueryTerms, pool: int) -> VectorQuery:
    """Return the query that suits the owner; if it finds too few, use `exact_query`."""
    seen = query.visible / max(query.every, 1)
    if scope.narrow or seen < LEAST_SEEN or scope.uncounted:
        return exact_query(near, scope)
    needed = ceil(pool * VECTORS_A_MEMORY / seen) + SPARE
    if query.indexed is not None:
        return _by_index(near, scope, pool, needed, query.indexed)
    vectors = SQL.part("every_vector", of_model=_of_model(near))
    sql = SQL.part("nearest_first", vectors=vectors, where=scope.where())
    return VectorQuery(sql, {"looked": needed}, min(pool, query.visible))


def _by_index(near: Nearness, scope: Scope, pool: int, needed: int, indexed: int) -> VectorQuery:
    """Return the query for an owner with an index; it yields no more than one index scan finds.

    A second scan would cost as much again. With a filter on sectors, about half may remain.
    """
    reach = NEARER if pool <= FEW else FARTHEST
    looked = min(needed, reach if near.everywhere else reach // 3)
    vectors = SQL.part("by_index", of_model=_of_model(near), size=str(len(near.vector)))
    sql = SQL.part("nearest_first", vectors=vectors, where=scope.where())
    return VectorQuery(sql, {"looked": looked, "indexed": indexed}, min(pool, LEAST_INDEXED), reach)


def _of_model(near: Nearness) -> str:
    """Return the condition on a vector `e`, without one on sectors if all are searched."""
    sectors = "" if near.everywhere else IN_SECTORS
    return f"e.owner = :owner AND e.model = :model{sectors}"
