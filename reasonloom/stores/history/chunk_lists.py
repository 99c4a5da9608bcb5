"""Lists what there is of past conversations: projects, their sessions, and chunks in time.

What is forgotten is not seen. Counts come from one index alone, which holds all that they need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

SEEN = "c.owner = :owner AND c.forgotten IS NULL"
PROJECTS = text(f"""
SELECT p.slug, p.path, kept.sessions, kept.chunks, kept.tokens, kept.first, kept.last
FROM (SELECT project, count(*) AS sessions, CAST(sum(chunks) AS bigint) AS chunks,
        CAST(sum(tokens) AS bigint) AS tokens, min(first) AS first, max(last) AS last,
        max(at) AS at
    FROM (SELECT c.project, count(*) AS chunks, sum(c.tokens) AS tokens,
            min(c.started_at) AS first, max(coalesce(c.ended_at, c.started_at)) AS last,
            max(c.at) AS at
        FROM chunks c WHERE {SEEN} GROUP BY c.project, c.session) each_session
    GROUP BY project) kept
JOIN projects p ON p.owner = :owner AND p.slug = kept.project
ORDER BY kept.at DESC, p.slug
""")  # noqa: S608 - our own condition, no values
SESSIONS = text(f"""
SELECT c.session, min(c.started_at) AS started_at,
    max(coalesce(c.ended_at, c.started_at)) AS ended_at,
    count(*) AS chunks, CAST(sum(c.tokens) AS bigint) AS tokens,
    count(*) FILTER (WHERE (CAST(:since AS timestamptz) IS NULL OR c.at >= :since)
        AND (CAST(:until AS timestamptz) IS NULL OR c.at < :until)) AS within
FROM chunks c WHERE {SEEN} AND c.project = :project
GROUP BY c.session ORDER BY min(c.at) DESC, c.session
""")  # noqa: S608 - as above
KNOWN = text("""
SELECT p.slug FROM projects p WHERE p.owner = :owner AND p.slug = :slug AND EXISTS (
    SELECT FROM chunks c WHERE c.owner = :owner AND c.project = p.slug AND c.forgotten IS NULL)
""")
SLUGS = text("""
SELECT p.slug FROM projects p WHERE p.owner = :owner AND EXISTS (
    SELECT FROM chunks c WHERE c.owner = :owner AND c.project = p.slug AND c.forgotten IS NULL)
ORDER BY p.slug LIMIT 10000
""")
BEGINNING = text(f"""
SELECT c.session, min(c.at) AS at FROM chunks c
WHERE {SEEN} AND c.session LIKE :beginning AND c.project = :project
GROUP BY c.session ORDER BY c.session = :whole DESC, c.session LIMIT :most
""")  # noqa: S608 - as above
BEGUN = text(f"""
SELECT min(c.at) AS at FROM chunks c
WHERE {SEEN} AND c.session = :current AND c.project = :project
""")  # noqa: S608 - as above
BEFORE = text(f"""
SELECT c.session FROM chunks c WHERE {SEEN} AND c.project = :project
    AND (CAST(:current AS text) IS NULL OR c.session <> :current)
GROUP BY c.session
HAVING CAST(:at AS timestamptz) IS NULL OR min(c.at) <= :at
ORDER BY min(c.at) DESC, c.session DESC LIMIT 1
""")  # noqa: S608 - as above
WITHIN = """c.project = :project AND (CAST(:session AS text) IS NULL OR c.session = :session)
    AND (CAST(:since AS timestamptz) IS NULL OR c.at >= :since)
    AND (CAST(:until AS timestamptz) IS NULL OR c.at < :until)"""
COUNT = text(f"SELECT count(*) FROM chunks c WHERE {SEEN} AND {WITHIN}")  # noqa: S608
IN_TIME = """
SELECT m.id, c.project, c.session, c.agent, c.started_at AS time, c.tokens, m.content, c.at,
    c.first_turn, c.ordinal
FROM (SELECT c.memory_id FROM chunks c WHERE {seen} AND {within}
    ORDER BY c.at {way}, c.memory_id {way} LIMIT :most) picked
JOIN chunks c ON c.owner = :owner AND c.memory_id = picked.memory_id
JOIN memories m ON m.owner = :owner AND m.id = picked.memory_id AND m.deleted_at IS NULL
ORDER BY c.at, c.session, c.first_turn, c.ordinal, m.id
"""
NEWEST = text(IN_TIME.format(seen=SEEN, within=WITHIN, way="DESC"))
OLDEST = text(IN_TIME.format(seen=SEEN, within=WITHIN, way="ASC"))
PLACES = text("""
SELECT c.memory_id, c.session, c.agent, c.started_at, c.tokens, c.project FROM chunks c
WHERE c.owner = :owner AND c.memory_id = ANY(:ids) AND c.forgotten IS NULL
""")
EDGES = text("""
WITH unseen AS MATERIALIZED (
    SELECT memory_id FROM chunks WHERE owner = :owner AND forgotten IS NOT NULL
)
SELECT count(*) FROM edges e WHERE e.owner = :owner
    AND e.origin IN ('sequence', 'brief', 'debrief', 'continuation', 'cause')
    AND NOT EXISTS (SELECT FROM unseen u WHERE u.memory_id = e.source_id)
    AND NOT EXISTS (SELECT FROM unseen u WHERE u.memory_id = e.target_id)
""")
CLUSTERS = text("""
SELECT count(*) FROM basins b WHERE b.owner = :owner AND EXISTS (
    SELECT FROM basin_members m JOIN chunks c ON c.owner = :owner AND c.memory_id = m.memory_id
    WHERE m.owner = :owner AND m.basin = b.id AND c.forgotten IS NULL)
""")


@dataclass(frozen=True, slots=True)
class Span:
    """From a moment on, and before another; None leaves that side open."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project and what is kept of it; times are None where no transcript told any."""

    slug: str
    path: str | None
    sessions: int
    chunks: int
    tokens: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session with its whole figures; `within` of its chunks began in the span asked for."""

    session: str
    started_at: datetime | None
    ended_at: datetime | None
    chunks: int
    tokens: int
    within: int


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as it is told; `time` is when it began, None where its transcript told none."""

    id: int
    project: str
    session: str
    agent: str | None
    time: datetime | None
    tokens: int
    content: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk stands."""

    session: str
    agent: str | None
    time: datetime | None
    tokens: int
    project: str


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """Which chunks are meant: of a project, and perhaps of one session and a span of time."""

    project: str
    session: str | None = None
    span: Span = Span()

    def values(self, tx: Transaction) -> dict[str, Any]:
        """Return what the conditions' parameters stand for."""
        span = {"since": self.span.since, "until": self.span.until}
        return {"owner": tx.owner, "project": self.project, "session": self.session, **span}


async def projects(tx: Transaction) -> list[ProjectRow]:
    """Return the projects that hold any chunk, that with the newest first."""
    return [ProjectRow(*row) for row in await tx.tuples(PROJECTS, {"owner": tx.owner})]


async def is_known(tx: Transaction, slug: str) -> bool:
    """Tell whether a project of this name holds any chunk."""
    return await tx.first(KNOWN, {"owner": tx.owner, "slug": slug}) is not None


async def slugs(tx: Transaction) -> list[str]:
    """Return the names of the projects that hold any chunk."""
    return [row[0] for row in await tx.tuples(SLUGS, {"owner": tx.owner})]


async def sessions(tx: Transaction, project: str, span: Span) -> list[SessionRow]:
    """Return all sessions of a project, the newest first; `within` tells those of the span."""
    values = {"owner": tx.owner, "project": project, "since": span.since, "until": span.until}
    return [SessionRow(*row) for row in await tx.tuples(SESSIONS, values)]


async def beginning(tx: Transaction, project: str, start: str, most: int) -> list[str]:
    """Return ids of a project's sessions that begin with `start`; the whole one comes first."""
    escaped = start.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    values = {"owner": tx.owner, "project": project, "beginning": f"{escaped}%"}
    rows = await tx.tuples(BEGINNING, {**values, "whole": start, "most": most})
    return [row[0] for row in rows]


async def session_before(tx: Transaction, project: str, current: str | None) -> str | None:
    """Return the session that began last before `current`; the newest one without it."""
    values = {"owner": tx.owner, "project": project, "current": current, "at": None}
    if current is not None:
        row = await tx.first(BEGUN, values)
        values["at"] = row.at if row else None
    found = await tx.first(BEFORE, values)
    return found.session if found else None


async def count(tx: Transaction, chosen: ChunkFilter) -> int:
    """Return how many chunks are meant."""
    row = await tx.first(COUNT, chosen.values(tx))
    return int(row[0]) if row else 0


async def in_time(
    tx: Transaction, chosen: ChunkFilter, *, newest: bool, most: int
) -> list[ChunkRow]:
    """Return the newest or the oldest of the chunks that are meant, in order of time."""
    rows = await tx.tuples(NEWEST if newest else OLDEST, {**chosen.values(tx), "most": most})
    shown = len(fields(ChunkRow))
    return [ChunkRow(*row[:shown]) for row in rows]


async def places(tx: Transaction, ids: Sequence[int]) -> dict[int, Place]:
    """Return where those of `ids` stand that are chunks and not forgotten."""
    rows = await tx.tuples(PLACES, {"owner": tx.owner, "ids": list(ids)})
    return {key: Place(*row) for key, *row in rows}


async def edges(tx: Transaction) -> int:
    """Return how many edges join chunks that are not forgotten."""
    row = await tx.first(EDGES, {"owner": tx.owner})
    return int(row[0]) if row else 0


async def clusters(tx: Transaction) -> int:
    """Return how many basins hold a chunk that is not forgotten."""
    row = await tx.first(CLUSTERS, {"owner": tx.owner})
    return int(row[0]) if row else 0
