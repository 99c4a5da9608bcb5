"""The query for the nearest vectors, in the shape that suits how much an owner has stored.

Exact by default. Where the scope narrows, or much is not to be seen, distances are taken of
the memories that remain; else of all vectors, and of the nearest those are dropped that may
not be seen. An owner who outgrew that has an index of their own (`stores/vector_indexes.py`): it
holds their memories up to a number, and the vectors of later ones are all looked at.
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
"""Where less of the owner's memories may be seen than this, what may be seen is taken first."""

FARTHEST, NEARER = 200, 80
"""What an index looks at (`hnsw.ef_search`) for a list of candidates, and for a few links."""

FEW = 20
"""A pool that is no larger is satisfied by what lies nearer."""

LEAST_INDEXED = 20
"""With fewer memories than this from an index, all are looked at after all."""

SQL = load(__file__)
T = TypeVar("T")

IN_SECTORS = " AND e.sectors & CAST(:sectors AS smallint) <> 0"


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """A query that gives `id` and `cosine`, the nearest first.

    Attributes:
        enough: with fewer memories than this it may have missed some.
        reach: how far an index is to look, which `tuned` sets before; None without an index.
    """

    sql: str
    values: dict[str, Any] = field(default_factory=dict)
    enough: int = 0
    reach: int | None = None


async def tuned(tx: Transaction, query: VectorQuery, reading: Work[T]) -> T:
    """Return what `reading` gives, which executes the query, by an index that looks far enough."""
    if not query.reach:
        return await reading
    _, found = await together(tx.run(SQL.tune, {"reach": query.reach}), reading)
    return found


def exact_query(near: Nearness, scope: Scope) -> VectorQuery:
    """Return the query that misses nothing: the nearest of all visible memories."""
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
    """Return the query of an owner who has an index; it gives no more than one look at it finds.

    A second look costs as much again. Of the views of some sectors alone about half may remain.
    """
    reach = NEARER if pool <= FEW else FARTHEST
    looked = min(needed, reach if near.everywhere else reach // 3)
    vectors = SQL.part("by_index", of_model=_of_model(near), size=str(len(near.vector)))
    sql = SQL.part("nearest_first", vectors=vectors, where=scope.where())
    return VectorQuery(sql, {"looked": looked, "indexed": indexed}, min(pool, LEAST_INDEXED), reach)


def _of_model(near: Nearness) -> str:
    """Return the condition on a vector `e`; none on its sectors where all are searched."""
    sectors = "" if near.everywhere else IN_SECTORS
    return f"e.owner = :owner AND e.model = :model{sectors}"
