"""Judges memories that were reached by another way than words and likeness: dates and links."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import TextClause, text

from reasonloom.stores.memory.search.query_terms import Asked
from reasonloom.stores.memory.search.retrieval import Match
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

COSINE = """(SELECT 1 - min(e.embedding <=> CAST(:vector AS halfvec)) FROM embeddings e
    WHERE e.owner = m.owner AND e.memory_id = m.id AND e.model = :model
        AND e.sectors & CAST(:sectors AS smallint) <> 0)"""
JUDGE = """
SELECT m.id, {cosine} AS cosine, ({words}) / :whole AS coverage, ({context}) / :whole AS context
FROM memories m WHERE {where} AND m.id = ANY(CAST(:ids AS bigint[]))
"""
HELD = (
    "CASE WHEN m.{words} @@ CAST(:word_{n} AS tsquery) THEN CAST(:weight_{n} AS float8) ELSE 0 END"
)
DATED = """
SELECT m.id FROM memories m WHERE {where} AND m.dates && CAST(:asked_dates AS text[])
ORDER BY m.created_at DESC, m.id DESC LIMIT :pool
"""


async def judge(
    tx: Transaction, asked: Asked, near: Nearness | None, *, scope: Scope, ids: Collection[int]
) -> dict[int, Match]:
    """Return what those of `ids` that are in the scope have in common with what is asked."""
    words = {f"word_{n}": word.query for n, word in enumerate(asked.words)}
    weights = {f"weight_{n}": word.weight for n, word in enumerate(asked.words)}
    values = {
        **scope.values(tx.owner),
        **(near.values() if near else {}),
        **words,
        **weights,
        "whole": asked.whole or 1.0,
        "ids": list(ids),
    }
    statement = _judge(scope.where(), len(asked.words), dense=near is not None)
    rows = await tx.tuples(statement, values)
    return {key: Match(*match) for key, *match in rows}


async def dated(tx: Transaction, dates: Sequence[str], *, scope: Scope, pool: int) -> list[int]:
    """Return the newest memories of a scope that carry any of the dates' terms."""
    values = {**scope.values(tx.owner), "asked_dates": list(dates), "pool": pool}
    return [row.id for row in await tx.all(_dated(scope.where()), values)]


@cache
def _judge(where: str, words: int, *, dense: bool) -> TextClause:
    return text(
        JUDGE.format(
            cosine=COSINE if dense else "CAST(NULL AS float8)",
            words=_held("words", words),
            context=_held("context_words", words),
            where=where,
        )
    )


def _held(column: str, words: int) -> str:
    held = (HELD.format(words=column, n=n) for n in range(words))
    return " + ".join(held) or "CAST(0 AS float8)"


@cache
def _dated(where: str) -> TextClause:
    return text(DATED.format(where=where))
