"""What grounding reads beside the search: what was corrected, edges of nodes, words as spelt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES
from reasonloom.stores.memory.search.query_terms import LONGEST_QUERY

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

NEWEST = 500
"""Corrected memories that are compared by their words, the newest of those that share one."""

LONGEST_CHAIN = 100
MOST_TERMS = 4_000
"""Stored words that a misspelt one is held against, of about its length."""

CORRECTED = text(f"""
WITH asked AS (SELECT string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''')
        || '''', ' | ')::tsquery AS words FROM unnest(asked_words(:text)) AS lexeme)
SELECT id FROM (SELECT m.id, m.words, asked.words AS asked FROM memories m, asked
    WHERE {VISIBLE_NODES} AND m.superseded_by IS NOT NULL AND m.words @@ asked.words
    ORDER BY m.id DESC LIMIT {NEWEST}) found
ORDER BY ts_rank(words, asked) DESC, id DESC LIMIT :most
""")  # noqa: S608 - our own condition, no values
HEADS = text(f"""
WITH RECURSIVE later (old, id, steps) AS (
    SELECT m.id, m.superseded_by, 1 FROM memories m
    WHERE {VISIBLE_NODES} AND m.id = ANY(:ids) AND m.superseded_by IS NOT NULL
  UNION
    SELECT later.old, m.superseded_by, steps + 1 FROM later JOIN memories m ON m.id = later.id
    WHERE {VISIBLE_NODES} AND m.superseded_by IS NOT NULL AND steps < {LONGEST_CHAIN}
)
SELECT later.old, later.id FROM later JOIN memories m ON m.id = later.id
WHERE {VISIBLE_NODES} AND m.superseded_by IS NULL
""")  # noqa: S608
EDGES = text(f"""
SELECT node.id AS node, e.source_id, e.target_id, e.type, e.weight, e.reason
FROM unnest(CAST(:ids AS bigint[])) AS node (id) CROSS JOIN LATERAL (
    (SELECT source_id, target_id, type, weight, reason FROM edges
        WHERE owner = :owner AND source_id = node.id
        ORDER BY weight DESC, target_id LIMIT :read)
    UNION
    (SELECT source_id, target_id, type, weight, reason FROM edges
        WHERE owner = :owner AND target_id = node.id
        ORDER BY weight DESC, source_id LIMIT :read)) e
JOIN memories m ON m.id = CASE WHEN e.source_id = node.id THEN e.target_id ELSE e.source_id END
WHERE {VISIBLE_NODES} ORDER BY node.id, e.weight DESC, e.source_id, e.target_id, e.type
""")  # noqa: S608
UNKNOWN = text("""
SELECT lexeme FROM unnest(asked_words(:text)) AS asked (lexeme)
WHERE NOT EXISTS (SELECT FROM terms WHERE owner = :owner AND space = :space AND kind = 'word'
    AND term = lexeme AND memories > 0) LIMIT 32
""")
ABOUT_AS_LONG = text("""
SELECT term FROM terms WHERE owner = :owner AND space = :space AND kind = 'word' AND memories > 0
    AND length(term) BETWEEN :shortest AND :longest
ORDER BY left(term, 1) = ANY(:letters) DESC, memories DESC, term LIMIT :most
""")


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """An edge of a node, whichever way it leads."""

    node: int
    source_id: int
    target_id: int
    kind: str
    weight: float
    reason: str | None


async def corrected(tx: Transaction, claim: str, *, most: int) -> dict[int, int]:
    """Return superseded memories that share words with a claim, each with what holds now."""
    values = {
        "owner": tx.owner, "space": tx.space, "text": claim[:LONGEST_QUERY], "most": most,
    }  # fmt: skip
    ids = [row[0] for row in await tx.tuples(CORRECTED, values)]
    if not ids:
        return {}
    heads = await tx.tuples(HEADS, {"owner": tx.owner, "space": tx.space, "ids": ids})
    holds: dict[int, int] = {}
    for old, head in heads:
        holds[old] = max(head, holds.get(old, 0))
    return {key: holds[key] for key in ids if key in holds}


async def edges_of(tx: Transaction, ids: Iterable[int], *, read: int) -> list[EdgeRow]:
    """Return up to `read` edges of each node each way, the heaviest first."""
    values = {"owner": tx.owner, "space": tx.space, "ids": list(ids), "read": read}
    return [EdgeRow(*row) for row in await tx.tuples(EDGES, values)]


async def unknown_words(tx: Transaction, query: str) -> list[str]:
    """Return the words of a query, as they are stored, that no memory holds."""
    values = {"owner": tx.owner, "space": tx.space, "text": query[:LONGEST_QUERY]}
    return [row[0] for row in await tx.tuples(UNKNOWN, values)]


async def words_of_length(tx: Transaction, word: str, *, within: int) -> list[str]:
    """Return stored words that are longer or shorter than `word` by no more than `within`."""
    values = {
        "owner": tx.owner,
        "space": tx.space,
        "shortest": max(1, len(word) - within),
        "longest": len(word) + within,
        "letters": list({word[:1], word[1:2]} - {""}),
        "most": MOST_TERMS,
    }
    return [row[0] for row in await tx.tuples(ABOUT_AS_LONG, values)]
