"""Finds candidates among an owner's memories: by likeness of vectors and by words.

Exact search over the owner's rows: an approximate index under a tenant filter returns
almost nothing, and a prepared plan would freeze one owner's choice for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import TextClause, text

from reasonloom.stores.memories import TEXT_CONFIG

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

LONGEST_QUERY = 10_000
"""Characters of a query that are searched as words."""

VISIBLE = "m.owner = :owner AND m.deleted_at IS NULL AND m.source_kind = ANY(:kinds)"

FILTERS = {
    "sector": "m.sector = :sector",
    "min_strength": "m.strength >= :min_strength",
    "min_salience": "m.salience >= :min_salience",
    "after": "m.created_at >= :after",
    "before": "m.created_at <= :before",
    "keywords": "m.keywords && CAST(:keywords AS text[])",
    "tags": "m.tags && CAST(:tags AS text[])",
    "category": "m.category = :category",
}

ALIKE = """
SELECT e.memory_id AS id, 1 - min(e.embedding <=> CAST(:vector AS halfvec)) AS cosine
FROM embeddings e JOIN memories m ON m.owner = e.owner AND m.id = e.memory_id
WHERE e.owner = :owner AND e.model = :model AND e.sector = ANY(:sectors) AND {where}
GROUP BY e.memory_id ORDER BY min(e.embedding <=> CAST(:vector AS halfvec)), e.memory_id
LIMIT :pool
"""

QUESTION = r"""
SELECT lexeme, ln(1 + (total - held + 0.5) / (held + 0.5))::float8 AS weight, CAST(
    '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''' AS tsquery) AS word
FROM (SELECT lexeme, coalesce(t.memories, 0) AS held, greatest(coalesce(n.memories, 0),
        coalesce(t.memories, 0)) AS total
    FROM (SELECT lexeme FROM unnest(to_tsvector(CAST(:config AS regconfig), :text)) LIMIT 32) asked
    LEFT JOIN terms t ON t.owner = :owner AND t.space = :space AND t.kind = 'word'
        AND t.term = lexeme
    LEFT JOIN terms n ON n.owner = :owner AND n.space = :space AND n.kind = 'all') counted
"""
"""The words of a question with their inverse document frequency (Robertson, Sparck Jones)."""

WORDED = """
SELECT id, coverage, context FROM (
    SELECT m.id,
        coalesce((SELECT sum(weight) FROM question WHERE m.words @@ word), 0) / whole AS coverage,
        (SELECT sum(weight) FROM question WHERE m.context_words @@ word) / whole AS context
    FROM (SELECT sum(weight) AS whole, CAST(string_agg(CAST(word AS text), ' | ') AS tsquery)
        AS any_word FROM question) asked, memories m
    WHERE {where} AND m.context_words @@ any_word) matched
ORDER BY coverage + context DESC, id LIMIT :pool
"""

CANDIDATES = """
WITH question AS MATERIALIZED ({question}), worded AS MATERIALIZED ({worded}),
    alike AS MATERIALIZED ({alike})
SELECT id, cosine, coalesce(coverage, 0) AS coverage, coalesce(context, 0) AS context
FROM alike FULL JOIN worded USING (id)
"""

NONE_ALIKE = "SELECT NULL::bigint AS id, NULL::float8 AS cosine WHERE false"

ANY = """
SELECT m.id FROM memories m WHERE {where}
ORDER BY m.salience DESC, m.last_accessed DESC, m.id LIMIT :pool
"""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which memories may be found at all; a None does not narrow."""

    kinds: Sequence[str] = ("user", "tool")
    sector: str | None = None
    min_strength: float | None = None
    min_salience: float | None = None
    after: datetime | None = None
    before: datetime | None = None
    keywords: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    category: str | None = None

    def where(self) -> str:
        """Return the SQL condition of this scope."""
        chosen = [FILTERS[name] for name in FILTERS if getattr(self, name) is not None]
        return " AND ".join([VISIBLE, *chosen])

    def values(self, owner: str) -> dict[str, Any]:
        """Return what the condition's parameters stand for."""
        given = {name: getattr(self, name) for name in FILTERS}
        return {
            "owner": owner,
            "kinds": list(self.kinds),
            **{
                name: value if isinstance(value, str | float | datetime) else list(value)
                for name, value in given.items()
                if value is not None
            },
        }


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A stored memory as a search returns it; `link` is its waypoints' mean weight, 0..1."""

    id: int
    session_id: UUID | None
    content: str
    sector: str
    event_type: str
    source_kind: str
    strength: float
    salience: float
    importance: float
    confidence: float
    keywords: list[str]
    tags: list[str]
    category: str | None
    context: str | None
    created_at: datetime
    last_accessed: datetime
    link: float


COLUMNS = ", ".join(f"m.{name}" for name in FoundMemory.__slots__ if name != "link")
FETCH = text(f"""
SELECT {COLUMNS}, coalesce((SELECT avg(weight) FROM (
    SELECT d.weight FROM edges d
    WHERE d.owner = :owner AND d.source_id = m.id AND d.origin = 'waypoint'
    UNION ALL SELECT d.weight FROM edges d
    WHERE d.owner = :owner AND d.target_id = m.id AND d.origin = 'waypoint') links), 0) AS link
FROM memories m WHERE m.owner = :owner AND m.id = ANY(:ids) AND m.deleted_at IS NULL
""")  # noqa: S608 - names of columns, no values


TAGS_IN = text("""
SELECT term FROM terms WHERE owner = :owner AND space = :space AND kind = 'tag'
    AND memories > 0 AND position(lower(term) IN lower(:text)) > 0
ORDER BY length(term) DESC, term LIMIT 100
""")


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


@dataclass(frozen=True, slots=True)
class Nearness:
    """What to search by likeness: a vector of `model` in some sectors' views."""

    vector: Sequence[float]
    model: str
    sectors: Sequence[str]

    def values(self) -> dict[str, Any]:
        """Return what the query's parameters stand for."""
        return {
            "vector": str(list(self.vector)),
            "model": self.model,
            "sectors": list(self.sectors),
        }


async def tags_in(tx: Transaction, query: str) -> list[str]:
    """Return the tags of the space that stand in `query`, as any part of it, the longest first."""
    values = {"owner": tx.owner, "space": tx.space, "text": query[:LONGEST_QUERY]}
    return [row.term for row in await tx.all(TAGS_IN, values)]


async def candidates(
    tx: Transaction, query: str, near: Nearness | None, *, scope: Scope, pool: int
) -> dict[int, Match]:
    """Return the `pool` nearest memories and the `pool` that share most words with `query`.

    Any word will do: a question finds what answers it. A query of stop words finds nothing
    by words; without `near` nothing is found by likeness.
    """
    values = {
        **scope.values(tx.owner),
        **(near.values() if near else {}),
        "space": tx.space,
        "config": TEXT_CONFIG,
        "text": query[:LONGEST_QUERY],
        "pool": pool,
    }
    rows = await tx.all(_candidates(scope.where(), dense=near is not None), values)
    return {row.id: Match(row.cosine, row.coverage, row.context) for row in rows}


async def alike(tx: Transaction, near: Nearness, *, scope: Scope, pool: int) -> dict[int, float]:
    """Return the ids of the nearest memories with their best cosine over the sectors."""
    values = {**scope.values(tx.owner), **near.values(), "pool": pool}
    rows = await tx.all(_alike(scope.where()), values)
    return {int(row.id): float(row.cosine) for row in rows}


async def within(tx: Transaction, *, scope: Scope, pool: int) -> list[int]:
    """Return the ids of the memories of a scope, the most salient first."""
    rows = await tx.all(_within(scope.where()), {**scope.values(tx.owner), "pool": pool})
    return [row.id for row in rows]


async def fetch(tx: Transaction, ids: Sequence[int]) -> list[FoundMemory]:
    """Return the memories of `ids` that are there and not hidden, in no order."""
    rows = await tx.all(FETCH, {"owner": tx.owner, "ids": list(ids)})
    return [FoundMemory(**row._mapping) for row in rows]


@cache
def _candidates(where: str, *, dense: bool) -> TextClause:
    return text(
        CANDIDATES.format(
            question=QUESTION,
            worded=WORDED.format(where=where),
            alike=ALIKE.format(where=where) if dense else NONE_ALIKE,
        )
    )


@cache
def _alike(where: str) -> TextClause:
    return text(ALIKE.format(where=where))


@cache
def _within(where: str) -> TextClause:
    return text(ANY.format(where=where))
