"""Counts what a space holds: health figures, summaries by page, and what may be pruned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


WEAK = 0.1
IMPORTANT = 0.7
"""What is this important or salient is never pruned."""

EXCERPT = 120
"""Characters of a content that a summary shows."""

AGES = {"under 1 day": 1, "1 to 7 days": 7, "7 to 30 days": 30, "30 to 180 days": 180}
OLDEST = "over 180 days"
LARGEST = 5

HERE = "m.owner = :owner AND m.space = :space AND m.source_kind <> 'transcript'"
"""Past conversations are counted by `history`, and are never weak, unread or too many here."""

SEEN = f"{HERE} AND m.deleted_at IS NULL"
AGE = (
    "CASE "
    + " ".join(
        f"WHEN m.created_at > CAST(:at AS timestamptz) - interval '{days} days' THEN '{name}'"
        for name, days in AGES.items()
    )
    + f" ELSE '{OLDEST}' END"
)
GROUPS = text(f"""
SELECT m.sector, m.source_kind, {AGE} AS age, count(*) AS memories,
    count(*) FILTER (WHERE m.strength < {WEAK}) AS weak,
    count(*) FILTER (WHERE m.access_count = 0) AS never_read
FROM memories m WHERE {SEEN} GROUP BY 1, 2, 3
""")  # noqa: S608 - our own conditions, no values
TOTALS = text(f"""
SELECT (SELECT count(*) FROM memories m WHERE {HERE} AND m.deleted_at IS NOT NULL) AS hidden,
    (SELECT count(*) FROM sessions s WHERE s.owner = :owner AND s.space = :space) AS sessions,
    (SELECT coalesce(sum(pg_column_size(m.*)), 0) FROM memories m WHERE {HERE})
        + (SELECT coalesce(sum(pg_column_size(e.*)), 0) FROM embeddings e JOIN memories m
            ON m.owner = e.owner AND m.id = e.memory_id WHERE {HERE} AND e.owner = :owner)
        + (SELECT coalesce(sum(pg_column_size(e.*)), 0) FROM edges e JOIN memories m
            ON m.owner = e.owner AND m.id = e.source_id WHERE {HERE} AND e.owner = :owner)
        AS bytes
""")  # noqa: S608 - as above
LINKS = text(f"""
SELECT e.type, count(*) AS links FROM edges e JOIN memories m
    ON m.owner = e.owner AND m.id = e.source_id
    JOIN memories t ON t.owner = e.owner AND t.id = e.target_id
WHERE e.owner = :owner AND {SEEN} AND t.deleted_at IS NULL GROUP BY 1 ORDER BY 1
""")  # noqa: S608 - as above
VECTORS = text(f"""
SELECT found.models[1] AS model, count(*) AS memories FROM memories m, LATERAL (
    SELECT array_agg(DISTINCT e.model ORDER BY e.model) AS models,
        coalesce(bool_or(e.model = :model), false) AS ours
    FROM embeddings e WHERE e.owner = :owner AND e.memory_id = m.id) found
WHERE {SEEN} AND NOT found.ours GROUP BY 1
""")  # noqa: S608 - as above
DUPLICATES = text(f"""
SELECT count(*) AS contents, coalesce(sum(alike - 1), 0) AS surplus FROM (
    SELECT count(*) AS alike FROM memories m WHERE {SEEN} GROUP BY m.content_key
    HAVING count(*) > 1) twice
""")  # noqa: S608 - as above
SUMMARY = f"""m.id, left(m.content, {EXCERPT + 1}) AS excerpt, m.sector, m.created_at, m.strength,
    m.token_count, m.importance, m.access_count"""
LARGE = text(f"""
SELECT {SUMMARY} FROM memories m WHERE {SEEN} ORDER BY m.token_count DESC, m.id LIMIT {LARGEST}
""")  # noqa: S608 - as above
PAGE = text(f"""
SELECT {SUMMARY} FROM memories m WHERE {SEEN} AND m.id > :after ORDER BY m.id LIMIT :size
""")  # noqa: S608 - as above
COUNT = text(f"SELECT count(*) AS memories FROM memories m WHERE {SEEN}")  # noqa: S608
PRUNE_CRITERIA = f"""{SEEN} AND m.strength <= :strength AND m.created_at < :before
    AND m.last_accessed < :before AND m.access_count <= :accesses
    AND m.importance < {IMPORTANT} AND m.salience < {IMPORTANT}
    AND (CAST(:sector AS text) IS NULL OR m.sector = :sector)"""
PRUNABLE = text(f"""
SELECT {SUMMARY}, count(*) OVER () AS matching FROM memories m WHERE {PRUNE_CRITERIA}
ORDER BY m.strength, m.id LIMIT :size
""")  # noqa: S608 - as above
PRUNE = text(f"""
WITH faded AS (SELECT m.id FROM memories m WHERE {PRUNE_CRITERIA} AND m.id = ANY(:ids)
    ORDER BY m.id FOR NO KEY UPDATE OF m)
UPDATE memories SET deleted_at = :at FROM faded
WHERE owner = :owner AND memories.id = faded.id RETURNING memories.id
""")  # noqa: S608 - as above


@dataclass(frozen=True, slots=True)
class Summary:
    """A memory in short; `excerpt` is longer than `EXCERPT` where the content goes on."""

    id: int
    excerpt: str
    sector: str
    created_at: datetime
    strength: float
    token_count: int
    importance: float
    access_count: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What a space holds; `lacking` counts memories without our vectors by the model they
    have some of, None for those that have none at all."""

    groups: Sequence[Any]
    hidden: int
    sessions: int
    bytes: int
    links: dict[str, int]
    lacking: dict[str | None, int]
    contents: int
    surplus: int
    largest: list[Summary]


@dataclass(frozen=True, slots=True)
class PruneCriteria:
    """What may be pruned: all of it must hold at once."""

    strength: float
    before: datetime
    accesses: int
    sector: str | None = None


async def figures(tx: Transaction, *, at: datetime, model: str) -> Figures:
    """Count what the space holds at `at`; `model` is the embedder's in use."""
    here = {"owner": tx.owner, "space": tx.space}
    totals, twice = await tx.first(TOTALS, here), await tx.first(DUPLICATES, here)
    assert totals is not None and twice is not None  # noqa: S101 - counts always are
    return Figures(
        groups=await tx.all(GROUPS, {**here, "at": at}),
        hidden=totals.hidden,
        sessions=totals.sessions,
        bytes=int(totals.bytes),
        links={row.type: row.links for row in await tx.all(LINKS, here)},
        lacking={
            row.model: row.memories for row in await tx.all(VECTORS, {**here, "model": model})
        },
        contents=twice.contents,
        surplus=int(twice.surplus),
        largest=[Summary(**row._mapping) for row in await tx.all(LARGE, here)],
    )


async def count(tx: Transaction) -> int:
    """Return how many memories of the space are not hidden."""
    row = await tx.first(COUNT, {"owner": tx.owner, "space": tx.space})
    return int(row.memories) if row else 0


async def page(tx: Transaction, *, after: int, size: int) -> list[Summary]:
    """Return the next memories by number."""
    values = {"owner": tx.owner, "space": tx.space, "after": after, "size": size}
    return [Summary(**row._mapping) for row in await tx.all(PAGE, values)]


async def prunable(
    tx: Transaction, faded: PruneCriteria, *, size: int
) -> tuple[list[Summary], int]:
    """Return the weakest of what may be pruned, and how much there is in all."""
    rows = await tx.all(PRUNABLE, {**_values(tx, faded), "size": size})
    found = [Summary(**{name: row._mapping[name] for name in Summary.__slots__}) for row in rows]
    return found, int(rows[0].matching) if rows else 0


async def prune(
    tx: Transaction, faded: PruneCriteria, ids: Sequence[int], at: datetime
) -> set[int]:
    """Hide those of the memories that may still be pruned; return which."""
    values = {**_values(tx, faded), "ids": list(ids), "at": at}
    return {row.id for row in await tx.all(PRUNE, values)}


def _values(tx: Transaction, faded: PruneCriteria) -> dict[str, Any]:
    here = {"owner": tx.owner, "space": tx.space, "strength": faded.strength}
    more = {"before": faded.before, "accesses": faded.accesses, "sector": faded.sector}
    return {**here, **more}


WRITTEN_BY = text(f"""
SELECT m.id, coalesce(r.created_at, m.created_at) AS stored_at, m.tool,
    coalesce(r.client, m.principal) AS writer, left(m.content, {EXCERPT + 1}) AS excerpt
FROM memories m LEFT JOIN runs r ON r.owner = m.owner AND r.id = m.run_id
    LEFT JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
WHERE m.owner = :owner AND m.space = :space AND (:hidden OR m.deleted_at IS NULL)
    AND :writer IN (m.principal, m.tool, r.client)
    AND coalesce(r.created_at, m.created_at) >= :since
    AND (CAST(:until AS timestamptz) IS NULL OR coalesce(r.created_at, m.created_at) <= :until)
    AND (CAST(:tool AS text) IS NULL OR m.tool = :tool)
    AND (CAST(:session AS text) IS NULL OR :session IN (s.external_name, CAST(s.id AS text)))
    AND (CAST(:run AS text) IS NULL OR CAST(m.run_id AS text) = :run)
ORDER BY m.id
""")  # noqa: S608 - a constant, no values
"""By when it was stored: an imported memory is older than its import."""

DERIVED = text(f"""
SELECT m.id, m.created_at AS stored_at, m.tool, m.principal AS writer,
    left(m.content, {EXCERPT + 1}) AS excerpt
FROM memories m WHERE m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL
    AND NOT m.id = ANY(:ids) AND EXISTS (SELECT FROM edges e WHERE e.owner = :owner
        AND e.source_id = m.id AND e.type = 'derived_from' AND e.target_id = ANY(:ids))
ORDER BY m.id
""")  # noqa: S608 - a constant, no values


@dataclass(frozen=True, slots=True)
class WriterFilter:
    """Whose memories are meant: all that is given must hold; `hidden` takes hidden ones too.

    `writer` is a principal, a connecting program's name or a tool's.
    """

    writer: str
    since: datetime
    until: datetime | None = None
    tool: str | None = None
    session: str | None = None
    run: str | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """A memory in short, with when and by whom it was stored."""

    id: int
    stored_at: datetime
    tool: str
    writer: str
    excerpt: str


async def written_by(tx: Transaction, written: WriterFilter) -> list[Trace]:
    """Return the memories of this space that are meant, by number."""
    values = {name: getattr(written, name) for name in WriterFilter.__slots__}
    rows = await tx.all(WRITTEN_BY, {"owner": tx.owner, "space": tx.space, **values})
    return [Trace(**row._mapping) for row in rows]


async def derived_from(tx: Transaction, ids: Sequence[int]) -> list[Trace]:
    """Return the memories beside `ids` that were derived from any of them."""
    rows = await tx.all(DERIVED, {"owner": tx.owner, "space": tx.space, "ids": list(ids)})
    return [Trace(**row._mapping) for row in rows]
