"""Memories alike to a text: the nearest and those that share its rarest words, each judged whole.

Other than in `stores/memory/search/retrieval.py` a memory's own words count and not those around it, and every
candidate is judged by its vector and by all words, whichever list it came from: so what a
memory is worth does not depend on what else is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import TextClause, text

from reasonloom.stores.memory.search.judged import COSINE, HELD
from reasonloom.stores.memory.search.lexical_search import MOST_SCORED
from reasonloom.stores.memory.search.retrieval import NONE_ALIKE
from reasonloom.stores.memory.search.vector_search import TUNE, Query, nearest, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.stores.database import Transaction
    from reasonloom.stores.memory.search.query_terms import Asked
    from reasonloom.stores.memory.search.scope import Nearness, Scope

WORDS_POOL = 60
"""Candidates that words give at least: they cost little, and the nearest may be missed."""

NONE_WORDED = "SELECT NULL::bigint AS id WHERE false"
WORDED = """
SELECT id FROM (SELECT m.id, {coverage} AS coverage FROM memories m
    WHERE {where} AND {any_word}{last}) found
ORDER BY coverage DESC, id DESC LIMIT :words_pool
"""
BY_INDEX = "m.words @@ CAST(:any_word AS tsquery)"
ROW_BY_ROW = f"({BY_INDEX}) IS TRUE"
NEWEST = f" ORDER BY m.id DESC LIMIT {MOST_SCORED}"
JUDGED = """
WITH worded AS MATERIALIZED ({worded}), alike AS MATERIALIZED ({alike})
SELECT m.id, {cosine} AS cosine, ({coverage}) / :whole AS coverage,
    m.id = ANY(ARRAY(SELECT id FROM alike)) AS near
FROM memories m WHERE {where}
    AND m.id = ANY(ARRAY(SELECT id FROM worded UNION SELECT id FROM alike))
"""


@dataclass(frozen=True, slots=True)
class Judged:
    """One memory: its cosine, None without a vector, and the share of the words that it holds.

    `near` tells that it is among the nearest.
    """

    id: int
    cosine: float | None
    coverage: float
    near: bool


async def similar(
    tx: Transaction, asked: Asked, near: Nearness | None, *, scope: Scope, pool: int
) -> list[Judged]:
    """Return the `pool` nearest and the `pool` that share most words, in no order."""
    shape = nearest(near, scope, asked, pool) if near else NONE_ALIKE
    found = await _judged(tx, asked, near, shape, scope, pool)
    if near and sum(each.near for each in found) < shape.enough:
        found = await _judged(tx, asked, near, whole(near, scope), scope, pool)
    return found


async def _judged(
    tx: Transaction, asked: Asked, near: Nearness | None, shape: Query, scope: Scope, pool: int
) -> list[Judged]:
    if shape.reach:
        await tx.run(TUNE, {"reach": shape.reach})
    coverage = " + ".join(HELD.format(words="words", n=n) for n in range(len(asked.words)))
    sql = JUDGED.format(
        worded=_worded(asked, scope, coverage),
        alike=shape.sql,
        cosine=COSINE if near else "CAST(NULL AS float8)",
        coverage=coverage or "CAST(0 AS float8)",
        where=scope.where(),
    )
    values = {
        **scope.values(tx.owner),
        **(near.values() if near else {}),
        **shape.values,
        **_of_words(asked),
        "pool": pool,
        "words_pool": max(pool, WORDS_POOL),
    }
    return [Judged(*row) for row in await tx.tuples(_statement(sql), values)]


def _worded(asked: Asked, scope: Scope, coverage: str) -> str:
    """Return the query of the memories that hold the words looked for."""
    if not asked.sought():
        return NONE_WORDED
    return WORDED.format(
        coverage=coverage,
        where=scope.where(),
        any_word=ROW_BY_ROW if asked.few else BY_INDEX,
        last=NEWEST if asked.newest_only else " OFFSET 0",
    )


def _of_words(asked: Asked) -> dict[str, Any]:
    words: Sequence[Any] = asked.words
    return {
        **{f"word_{n}": word.query for n, word in enumerate(words)},
        **{f"weight_{n}": word.weight for n, word in enumerate(words)},
        "whole": asked.whole or 1.0,
        "any_word": " | ".join(word.query for word in asked.sought()),
    }


@lru_cache(maxsize=512)
def _statement(sql: str) -> TextClause:
    return text(sql)
