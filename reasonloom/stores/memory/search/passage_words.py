"""Which words of a question stand in passages that are stored as parts of something larger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.memory.search.query_terms import Asked

HELD = text("""
SELECT ARRAY(SELECT n FROM unnest(CAST(:words AS text[])) WITH ORDINALITY AS asked (word, n)
    WHERE said.words @@ CAST(word AS tsquery)) AS held
FROM (SELECT place, words_of(passage, '{}', '{}') AS words
    FROM unnest(CAST(:passages AS text[])) WITH ORDINALITY AS p (passage, place) OFFSET 0) said
ORDER BY place
""")


async def held(tx: Transaction, asked: Asked, passages: Sequence[str]) -> list[frozenset[int]]:
    """Return for each passage the places of those of the question's words that stand in it."""
    if not passages or not asked.words:
        return [frozenset() for _ in passages]
    values = {"words": [word.query for word in asked.words], "passages": list(passages)}
    rows = await tx.tuples(HELD, values)
    return [frozenset(int(n) - 1 for n in row[0]) for row in rows]
