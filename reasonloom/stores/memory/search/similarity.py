"""Memories similar to a text: the nearest, and those that share its rarest words.

Unlike in `retrieval.py`, only a memory's own words count and not its context, and every candidate
is scored by its vector and by all words, whichever list it came from, so that a memory's score does
not depend on what else is stored.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.lexical_search import MOST_SCORED
from reasonloom.stores.memory.search.query_terms import QueryTerms
from reasonloom.stores.memory.search.ranking_features import DRAWN, FEATURES, Candidate
from reasonloom.stores.memory.search.retrieval import (
    NONE_ALIKE,
    NOTHING_NAMED,
    Naming,
)
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.memory.search.vector_search import (
    VectorQuery,
    exact_query,
    nearest_query,
    tuned,
)
from reasonloom.stores.statements import load
from reasonloom.stores.vectors import SECTOR_BIT

COSINE = """(SELECT 1 - min(e.embedding <=> CAST(:vector AS halfvec)) FROM embeddings e
    WHERE e.owner = m.owner AND e.memory_id = m.id AND e.model = :model
        AND e.sectors & CAST(:sectors AS smallint) <> 0)"""
GIVEN = "CAST(:ids AS bigint[])"
SQL = load(__file__, semantic=SECTOR_BIT["semantic"], drawn=DRAWN)
HELD = (
    "CASE WHEN m.{words} @@ CAST(:word_{n} AS tsquery) THEN CAST(:weight_{n} AS float8) ELSE 0 END"
)


@dataclass(frozen=True, slots=True)
class Match:
    """The match of a memory with a question.

    Attributes:
        cosine: its best cosine similarity over the searched sectors, None without a vector.
        coverage: the share of the question's words that it contains, weighted by rarity, 0..1.
        context: the same for the memory together with the two before it in its session.
    """

    cosine: float | None
    coverage: float
    context: float


async def match_ids(
    tx: Transaction, query: QueryTerms, near: Nearness | None, *, scope: Scope, ids: Collection[int]
) -> dict[int, Match]:
    """Return the matches with the query of the memories of `ids` within the scope."""
    question = Question(query, near, scope)
    rows = await _judged(tx, question, "m.id", GIVEN, {"ids": list(ids)})
    return {key: Match(*match) for *match, key in rows}


@dataclass(frozen=True, slots=True)
class Question:
    """The input for scoring candidates: words, a vector, a scope, and the named tags and dates."""

    query: QueryTerms
    near: Nearness | None
    scope: Scope
    naming: Naming = NOTHING_NAMED


async def candidates_of(
    tx: Transaction, question: Question, ids: Collection[int]
) -> list[Candidate]:
    """Return the memories of `ids` within the scope as candidates."""
    return await _candidates(tx, question, GIVEN, {"ids": list(ids)}) if ids else []


async def linked_candidates(
    tx: Transaction, question: Question, ids: Collection[int], *, without: Collection[int]
) -> list[Candidate]:
    """Return the memories of the scope, except `without`, that explicit edges join to `ids`."""
    known = f"{{{','.join(map(str, without))}}}"  # psycopg takes longer for hundreds of numbers
    given = {"linked_to": list(ids), "known": known}
    return await _candidates(tx, question, SQL.part("linked"), given) if ids else []


async def dated_candidates(tx: Transaction, question: Question, *, pool: int) -> list[Candidate]:
    """Return the newest memories of the scope that have any of the terms of the named dates."""
    if not question.naming.dates:
        return []
    dated = SQL.part("dated", where=question.scope.where())
    return await _candidates(tx, question, dated, {"pool": pool})


async def _candidates(
    tx: Transaction, question: Question, ids: str, given: Mapping[str, Any]
) -> list[Candidate]:
    values = {**given, **question.naming.values()}
    rows = await _judged(tx, question, FEATURES, ids, values)
    return [Candidate(*row) for row in rows]


async def _judged(
    tx: Transaction, question: Question, columns: str, ids: str, given: Mapping[str, Any]
) -> Sequence[tuple[Any, ...]]:
    """Return the match of each memory of the query `ids`, followed by its `columns`."""
    query, near, scope = question.query, question.near, question.scope
    values = {
        **given,
        **scope.values(),
        **(near.values() if near else {}),
        **query.word_values(),
        "whole": query.whole or 1.0,
    }
    statement = SQL.fill(
        "judge",
        cosine=COSINE if near else "CAST(NULL AS float8)",
        words=_held("words", len(query.words)),
        context=_held("context_words", len(query.words)),
        where=scope.where(),
        columns=columns,
        ids=ids,
    )
    return await tx.tuples(statement, values)


async def cosines(
    tx: Transaction, ids: Collection[int], model: str
) -> dict[tuple[int, int], float]:
    """Return the pairwise cosine similarities of memories, by their plain contents."""
    rows = await tx.tuples(SQL.cosines, {"ids": list(ids), "model": model})
    return {(first, second): cosine for first, second, cosine in rows}


def _held(column: str, words: int) -> str:
    held = (HELD.format(words=column, n=n) for n in range(words))
    return " + ".join(held) or "CAST(0 AS float8)"


WORDS_POOL = 60
"""Minimum candidates retrieved by words: they are cheap, and the nearest vectors may be missed."""

NO_MATCHING_WORDS = "SELECT NULL::bigint AS id WHERE false"
BY_INDEX = "m.words @@ CAST(:any_word AS tsquery)"
ROW_BY_ROW = f"({BY_INDEX}) IS TRUE"
NEWEST = f" ORDER BY m.id DESC LIMIT {MOST_SCORED}"


@dataclass(frozen=True, slots=True)
class SimilarMemory:
    """A memory with its cosine similarity, None without a vector, and its share of the words.

    `near` is whether it is among the nearest.
    """

    id: int
    cosine: float | None
    coverage: float
    near: bool


async def most_similar(
    tx: Transaction, query: QueryTerms, near: Nearness | None, *, scope: Scope, pool: int
) -> list[SimilarMemory]:
    """Return the `pool` nearest and the `pool` that share most words, in no particular order."""
    shape = nearest_query(near, scope, query, pool) if near else NONE_ALIKE
    found = await _scored(tx, query, near, shape, scope, pool)
    if near and sum(each.near for each in found) < shape.enough:
        found = await _scored(tx, query, near, exact_query(near, scope), scope, pool)
    return found


async def _scored(
    tx: Transaction,
    query: QueryTerms,
    near: Nearness | None,
    shape: VectorQuery,
    scope: Scope,
    pool: int,
) -> list[SimilarMemory]:
    coverage = " + ".join(HELD.format(words="words", n=n) for n in range(len(query.words)))
    statement = SQL.fill(
        "similarity",
        worded=_matching_words(query, scope, coverage),
        alike=shape.sql,
        cosine=COSINE if near else "CAST(NULL AS float8)",
        coverage=coverage or "CAST(0 AS float8)",
        where=scope.where(),
    )
    values = {
        **scope.values(),
        **(near.values() if near else {}),
        **shape.values,
        **query.word_values(),
        "whole": query.whole or 1.0,
        "any_word": " | ".join(word.query for word in query.sought()),
        "pool": pool,
        "words_pool": max(pool, WORDS_POOL),
    }
    return await tuned(tx, shape, tx.rows(SimilarMemory, statement, values))


def _matching_words(query: QueryTerms, scope: Scope, coverage: str) -> str:
    """Return the query for the memories that contain the searched words."""
    if not query.sought():
        return NO_MATCHING_WORDS
    return SQL.part(
        "matching_words",
        coverage=coverage,
        where=scope.where(),
        any_word=ROW_BY_ROW if query.few else BY_INDEX,
        last=NEWEST if query.newest_only else " OFFSET 0",
    )
