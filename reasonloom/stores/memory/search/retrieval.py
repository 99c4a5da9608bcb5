"""Retrieves candidates among an owner's memories by vector similarity and by words.

Each statement is planned for its owner: an approximate index under a tenant filter returns
almost nothing, and a prepared plan would fix one owner's choice for all.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sqlalchemy import TextClause, text

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.memories import MemoryFields
from reasonloom.stores.memory.search.lexical_search import lexical_query
from reasonloom.stores.memory.search.query_terms import (
    LONGEST_QUERY,
    QUESTION,
    QueryTerms,
    weigh_terms,
)
from reasonloom.stores.memory.search.ranking_features import FEATURES, Candidate
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.memory.search.vector_search import (
    VectorQuery,
    exact_query,
    nearest_query,
    tuned,
)
from reasonloom.stores.statements import columns, load

__all__ = [
    "LONGEST_QUERY",
    "QUESTION",
    "Candidate",
    "FoundMemory",
    "Naming",
    "Nearness",
    "QueryTerms",
    "Scope",
    "candidates",
    "fetch",
    "fetch_nearest",
    "find_nearest",
    "most_salient",
    "tags_in",
    "weigh_terms",
]  # fmt: skip

NONE_ALIKE = VectorQuery("SELECT NULL::bigint AS id, NULL::float8 AS cosine WHERE false")


@dataclass(frozen=True, slots=True)
class FoundMemory(MemoryFields):
    """A stored memory as a search returns it.

    `session` is its session's external name, `link` the mean weight of its waypoints, 0..1.
    """

    event_type: str
    session: str | None
    link: float


SQL = load(
    __file__,
    columns=columns(FoundMemory, "m", without=("session", "link")),
    features=FEATURES,
)


@dataclass(frozen=True, slots=True)
class Naming:
    """The tags that a question names, and the terms of the dates in it."""

    tags: Collection[str] = ()
    dates: Collection[str] = ()

    def values(self) -> dict[str, Any]:
        """Return the parameters of the features."""
        return {"named": list(self.tags), "dates": list(self.dates)}


NOTHING_NAMED = Naming()


COMMON = 0.1
"""The minimum share of a space's memories that have a common tag."""


async def tags_in(tx: Transaction, query: str) -> dict[str, bool]:
    """Return the tags of the space that occur anywhere in `query`, longest first.

    The value of each is whether it is common.
    """
    values = {"text": query[:LONGEST_QUERY], "common": COMMON}
    return {row.term: bool(row.common) for row in await tx.all(SQL.tags_in, values)}


async def candidates(
    tx: Transaction,
    query: QueryTerms,
    near: Nearness | None,
    *,
    scope: Scope,
    pool: int,
    naming: Naming = NOTHING_NAMED,
) -> list[Candidate]:
    """Return the `pool` nearest memories and the `pool` that share most words with the query.

    Any shared word suffices, so that a question finds its answer. A query of stop words finds
    nothing by words; without `near` nothing is found by similarity. Words that occur in very many
    memories are scored but not searched, see `QueryTerms.cut`.
    """
    shape = nearest_query(near, scope, query, pool) if near else NONE_ALIKE
    rows = await _matching(tx, query, near, shape, scope, pool, naming)
    if near and sum(cosine is not None for cosine, *_ in rows) < shape.enough:
        rows = await _matching(tx, query, near, exact_query(near, scope), scope, pool, naming)
    return [Candidate(*row) for row in rows]


async def _matching(
    tx: Transaction,
    query: QueryTerms,
    near: Nearness | None,
    shape: VectorQuery,
    scope: Scope,
    pool: int,
    naming: Naming,
) -> Sequence[tuple[Any, ...]]:
    words, values = lexical_query(query, scope)
    given = {**scope.values(), **(near.values() if near else {}), **shape.values}
    statement = SQL.fill("candidates", worded=words, alike=shape.sql)
    matching = tx.tuples(statement, {**given, **values, **naming.values(), "pool": pool})
    return await tuned(tx, shape, matching)


async def find_nearest(
    tx: Transaction, near: Nearness, *, scope: Scope, pool: int, exact: bool = False
) -> dict[int, float]:
    """Return the ids of the nearest memories with their best cosine similarity over the sectors.

    `exact` compares every vector, even if the owner has a vector index.
    """
    query = await weigh_terms(tx, "", near.model, transcripts=scope.of_transcripts)
    shape = nearest_query(near, scope, replace(query, indexed=None) if exact else query, pool)
    given = {**scope.values(), **near.values(), "pool": pool}
    rows = await tuned(tx, shape, tx.all(_statement(shape.sql), {**given, **shape.values}))
    if len(rows) < shape.enough:
        rows = await tx.all(_statement(exact_query(near, scope).sql), given)
    return {int(row.id): float(row.cosine) for row in rows}


async def fetch_nearest(
    tx: Transaction, near: Nearness, *, scope: Scope, pool: int
) -> list[tuple[float, FoundMemory]]:
    """Return the nearest memories, each after its best cosine similarity, nearest first.

    This must be the last query of its transaction.
    """
    query = await weigh_terms(tx, "", near.model, transcripts=scope.of_transcripts)
    shape = nearest_query(near, scope, query, pool)
    statement = SQL.fill("nearest", alike=shape.sql, exact=exact_query(near, scope).sql)
    given = {**scope.values(), **near.values(), **shape.values}
    tx.end_with_next()
    found = tx.tuples(statement, {**given, "pool": pool, "enough": shape.enough})
    rows = await tuned(tx, shape, found)
    return [(float(cosine), FoundMemory(*row)) for cosine, *row in rows]


async def most_salient(tx: Transaction, *, scope: Scope, pool: int) -> list[int]:
    """Return the ids of the memories of a scope, most salient first."""
    statement = SQL.fill("any", where=scope.where())
    return await tx.column(statement, {**scope.values(), "pool": pool})


async def fetch(tx: Transaction, ids: Sequence[int]) -> list[FoundMemory]:
    """Return the memories of `ids` that exist and are not hidden, in no particular order."""
    return await tx.rows(FoundMemory, SQL.fetch, {"ids": list(ids)}) if ids else []


@lru_cache(maxsize=512)
def _statement(sql: str) -> TextClause:
    return text(sql)
