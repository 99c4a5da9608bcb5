"""Reads grounding evidence other than search results: corrections, edges and stored words."""

from collections.abc import Iterable
from dataclasses import dataclass

from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES
from reasonloom.stores.memory.search.query_terms import LONGEST_QUERY
from reasonloom.stores.statements import load

NEWEST = 500
"""Corrected memories compared by their words: the newest of those that share a word."""

LONGEST_CHAIN = 100
MOST_TERMS = 4_000
"""Stored words of similar length that a misspelt word is compared with."""

SQL = load(__file__, visible_nodes=VISIBLE_NODES, newest=NEWEST, longest_chain=LONGEST_CHAIN)


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """An edge; `reason` is why a memory was corrected, `node` the end that was looked up."""

    source_id: int
    target_id: int
    kind: str
    weight: float
    reason: str | None
    node: int = 0


async def corrected(tx: Transaction, claim: str, *, most: int) -> dict[int, int]:
    """Return superseded memories that share words with a claim, each with its current version."""
    values = {"text": claim[:LONGEST_QUERY], "most": most}
    ids = [row[0] for row in await tx.tuples(SQL.corrected, values)]
    if not ids:
        return {}
    heads = await tx.tuples(SQL.heads, {"ids": ids})
    holds: dict[int, int] = {}
    for old, head in heads:
        holds[old] = max(head, holds.get(old, 0))
    return {key: holds[key] for key in ids if key in holds}


async def edges_of(tx: Transaction, ids: Iterable[int], *, read: int) -> list[EdgeRow]:
    """Return up to `read` edges per node and direction, heaviest first."""
    return await tx.rows(EdgeRow, SQL.edges, {"ids": list(ids), "read": read})


async def unknown_words(tx: Transaction, query: str) -> list[str]:
    """Return the words of a query, in their stored form, that no memory contains."""
    return [row[0] for row in await tx.tuples(SQL.unknown, {"text": query[:LONGEST_QUERY]})]


async def words_of_length(tx: Transaction, word: str, *, within: int) -> list[str]:
    """Return stored words whose length differs from that of `word` by at most `within`."""
    values = {
        "shortest": max(1, len(word) - within),
        "longest": len(word) + within,
        "letters": list({word[:1], word[1:2]} - {""}),
        "most": MOST_TERMS,
    }
    return [row[0] for row in await tx.tuples(SQL.about_as_long, values)]
