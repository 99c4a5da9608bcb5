"""Full-text search: counts and ranks the matches of a tree of terms, page by page.

A word matches in all its forms, a phrase word by word in order, a spelled term as a substring.
Keywords and tags are searched as if they were appended to the content.

Rank is on a fixed scale in 0..1: `ts_rank` with all four weights 1. A word that occurs once
gives 6/π² = 0.61, more occurrences give more, words close together near 1, and a missing
alternative gives less. A spelled term counts k / (k + 0.645) for k occurrences, which is the
same for one. A query with exclusions only has no rank: 0, newest first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.fulltext_query import (
    MEMORIES,
    Not,
    Term,
    Tree,
    Writer,
    prune_tree,
    terms,
)
from reasonloom.stores.memory.search.scope import Scope
from reasonloom.stores.pipelines import together
from reasonloom.stores.statements import load

TEXT_CONFIG = "english"
MOST_RANKED = 2_000
"""Maximum matches that are ranked, the newest; the others follow by age."""

SPELLED_TOKENS = 5_000_000
"""Tokens (of four bytes) of the newest memories that are searched for substrings."""

SQL = load(__file__, memories=MEMORIES)


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found.

    Attributes:
        rank: 0..1.
        marked: its content with MARK and UNMARK around each word of the query.
        held: the terms of the query that it contains, without excluded ones.
        alone: the rank that it would have for each of those alone.
    """

    id: int
    content: str
    created_at: datetime
    strength: float
    salience: float
    sector: str
    principal: str
    rank: float
    marked: str
    held: list[Term]
    alone: list[float]


@dataclass(frozen=True, slots=True)
class Hits:
    """One page of matches.

    Attributes:
        total: the number of all matches.
        unread: terms that were not searched: they contain no word, or only stop words such as
            `the`.
        skipped: whether older memories were not searched for substrings.
    """

    page: list[Hit] = field(default_factory=list)
    total: int = 0
    unread: list[Term] = field(default_factory=list)
    skipped: bool = False


async def matches(tx: Transaction, tree: Tree, *, scope: Scope, limit: int, offset: int) -> Hits:
    """Return a page of the memories of `scope` that match, best first, and count them all.

    This must be the last query of its transaction.
    """
    every = list(dict.fromkeys(terms(tree)))
    words = await _words(tx, every)
    unread = [term for term in every if not (term.spelled or words[term])]
    searched = prune_tree(tree, lambda part: part not in unread)
    if searched is None:
        return Hits(unread=unread)
    positive = prune_tree(searched, lambda part: not isinstance(part, Not))
    sought = list(dict.fromkeys(terms(positive))) if positive else []
    spelled = any(term.spelled for term in terms(searched))
    writer = Writer(words)
    where = scope.where()
    statement = SQL.fill(
        "page",
        memories=MEMORIES,
        where=where,
        readable=SQL.part("readable", where=where) if spelled else "",
        condition=writer.condition(searched),
        rank=writer.rank(positive),
        marked=writer.marked(sought),
        held=writer.held(sought),
        alone=writer.alone(sought),
    )
    values = {
        **scope.values(),
        **writer.values,
        "config": TEXT_CONFIG,
        "most_ranked": MOST_RANKED,
        "most_tokens": SPELLED_TOKENS,
        "limit": limit,
        "offset": offset,
    }
    tx.end_with_next()
    rows, (_, tokens) = await together(
        tx.all(statement, values), size(tx, scope if spelled else None)
    )
    page = [_hit(row._asdict(), sought) for row in rows if row.id is not None]
    return Hits(page, int(rows[0].total), unread, skipped=tokens > SPELLED_TOKENS)


async def size(tx: Transaction, scope: Scope | None) -> tuple[int, int]:
    """Return the number of memories in a scope, and their tokens; 0 for None."""
    if scope is None:
        return 0, 0
    row = await tx.first(SQL.fill("size", where=scope.where()), scope.values())
    return (int(row.memories), int(row.tokens)) if row else (0, 0)


async def _words(tx: Transaction, every: Sequence[Term]) -> dict[Term, str]:
    """Return the `tsquery` of each term that is not spelled, '' if it contains no word."""
    read = [term for term in every if not term.spelled]
    if not read:
        return {}
    rows = await tx.all(SQL.read, {"config": TEXT_CONFIG, "terms": [term.text for term in read]})
    return {term: row.words for term, row in zip(read, rows, strict=True)}


def _hit(row: Any, sought: Sequence[Term]) -> Hit:
    plain = {name: row[name] for name in Hit.__slots__ if name not in ("held", "alone")}
    held = [sought[place] for place in row["held"]]
    return Hit(**plain, held=held, alone=[row["alone"][place] for place in row["held"]])
