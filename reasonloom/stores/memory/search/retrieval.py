"""Finds candidates among an owner's memories: by likeness of vectors and by words.

Each statement is planned for its owner: an approximate index under a tenant filter returns
almost nothing, and a prepared plan would freeze one owner's choice for all.
"""

from collections.abc import Sequence
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
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.memory.search.vector_search import (
    TUNE,
    VectorQuery,
    exact_query,
    nearest_query,
)
from reasonloom.stores.statements import columns, load

__all__ = [
    "LONGEST_QUERY",
    "QUESTION",
    "FoundMemory",
    "Match",
    "Nearness",
    "QueryTerms",
    "Scope",
    "candidates",
    "fetch",
    "find_nearest",
    "most_salient",
    "tags_in",
    "weigh_terms",
]  # fmt: skip

NONE_ALIKE = VectorQuery("SELECT NULL::bigint AS id, NULL::float8 AS cosine WHERE false")


@dataclass(frozen=True, slots=True)
class FoundMemory(MemoryFields):
    """A stored memory as a search returns it.

    `session` is its session's external name, `link` its waypoints' mean weight, 0..1.
    """

    event_type: str
    session: str | None
    link: float


SQL = load(__file__, columns=columns(FoundMemory, "m", without=("session", "link")))


@dataclass(frozen=True, slots=True)
class Match:
    """Why a memory may answer.

    Attributes:
        cosine: its best over the sectors searched, None where it is not among the nearest.
        coverage: the share of the question's words that it holds, each word weighing as much
            as it is rare, 0..1.
        context: the same of the memory with the two before it in its session.
    """

    cosine: float | None
    coverage: float
    context: float


COMMON = 0.1
"""The least share of a space's memories that a common tag is on."""


async def tags_in(tx: Transaction, query: str) -> dict[str, bool]:
    """Return the tags of the space that stand in `query`, as any part of it, the longest first.

    Each with whether it is common.
    """
    values = {"text": query[:LONGEST_QUERY], "common": COMMON}
    return {row.term: bool(row.common) for row in await tx.all(SQL.tags_in, values)}


async def candidates(
    tx: Transaction, query: QueryTerms, near: Nearness | None, *, scope: Scope, pool: int
) -> dict[int, Match]:
    """Return the `pool` nearest memories and the `pool` that share most words with the query.

    Any word will do: a question finds what answers it. A query of stop words finds nothing
    by words; without `near` nothing is found by likeness. Words that stand in very many
    memories are counted but not looked for, which `QueryTerms.cut` says.
    """
    shape = nearest_query(near, scope, query, pool) if near else NONE_ALIKE
    rows = await _matching(tx, query, near, shape, scope, pool)
    if near and sum(cosine is not None for _, cosine, *_ in rows) < shape.enough:
        rows = await _matching(tx, query, near, exact_query(near, scope), scope, pool)
    return {key: Match(*match) for key, *match in rows}


async def _matching(
    tx: Transaction,
    query: QueryTerms,
    near: Nearness | None,
    shape: VectorQuery,
    scope: Scope,
    pool: int,
) -> Sequence[tuple[Any, ...]]:
    words, values = lexical_query(query, scope)
    if shape.reach:
        await tx.run(TUNE, {"reach": shape.reach})
    given = {**scope.values(), **(near.values() if near else {}), **shape.values}
    statement = SQL.fill("candidates", worded=words, alike=shape.sql)
    return await tx.tuples(statement, {**given, **values, "pool": pool})


async def find_nearest(
    tx: Transaction, near: Nearness, *, scope: Scope, pool: int, exact: bool = False
) -> dict[int, float]:
    """Return the ids of the nearest memories with their best cosine over the sectors.

    `exact` looks at every vector, also where the owner has an index of nearness.
    """
    query = await weigh_terms(tx, "", near, transcripts=scope.of_transcripts)
    shape = nearest_query(near, scope, replace(query, indexed=None) if exact else query, pool)
    given = {**scope.values(), **near.values(), "pool": pool}
    if shape.reach:
        await tx.run(TUNE, {"reach": shape.reach})
    rows = await tx.all(_statement(shape.sql), {**given, **shape.values})
    if len(rows) < shape.enough:
        rows = await tx.all(_statement(exact_query(near, scope).sql), given)
    return {int(row.id): float(row.cosine) for row in rows}


async def most_salient(tx: Transaction, *, scope: Scope, pool: int) -> list[int]:
    """Return the ids of the memories of a scope, the most salient first."""
    rows = await tx.all(SQL.fill("any", where=scope.where()), {**scope.values(), "pool": pool})
    return [row.id for row in rows]


async def fetch(tx: Transaction, ids: Sequence[int]) -> list[FoundMemory]:
    """Return the memories of `ids` that exist and are not hidden, in no order."""
    rows = await tx.all(SQL.fetch, {"ids": list(ids)})
    return [FoundMemory(**row._mapping) for row in rows]


@lru_cache(maxsize=512)
def _statement(sql: str) -> TextClause:
    return text(sql)
