"""Lists past conversations: projects, their sessions, and chunks in chronological order.

Forgotten chunks are excluded. Counts come from a single covering index.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

SEEN = "c.owner = :owner AND c.forgotten IS NULL"
WITHIN = """c.project = :project AND (CAST(:session AS text) IS NULL OR c.session = :session)
    AND (CAST(:since AS timestamptz) IS NULL OR c.at >= :since)
    AND (CAST(:until AS timestamptz) IS NULL OR c.at < :until)"""
SQL = load(__file__, seen=SEEN, within=WITHIN)


@dataclass(frozen=True, slots=True)
class Span:
    """A time span from `since` (inclusive) to `until` (exclusive); None leaves that side open."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project with its totals; times are None if no transcript has any."""

    slug: str
    path: str | None
    sessions: int
    chunks: int
    tokens: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session with its totals; `within` of its chunks began in the requested span.

    `form` is the format of the transcript of its first chunk.
    """

    session: str
    started_at: datetime | None
    ended_at: datetime | None
    chunks: int
    tokens: int
    within: int
    form: str | None = None


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk in a list; `time` is when it began, None if its transcript has no times.

    `form` is the format of its transcript.
    """

    id: int
    project: str
    session: str
    agent: str | None
    time: datetime | None
    tokens: int
    content: str
    form: str


@dataclass(frozen=True, slots=True)
class OutlinedChunk:
    """A chunk's data for an outline of its session; `agent` is None in the main conversation."""

    id: int
    time: datetime | None
    agent: str | None
    tokens: int
    files: list[str]
    errors: list[str]
    content: str


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a chunk."""

    session: str
    agent: str | None
    time: datetime | None
    tokens: int
    project: str


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """Selects chunks of a project, and optionally of one session and a time span."""

    project: str
    session: str | None = None
    span: Span = Span()

    def values(self) -> dict[str, Any]:
        """Return the parameters of the SQL conditions."""
        span = {"since": self.span.since, "until": self.span.until}
        return {"project": self.project, "session": self.session, **span}


async def projects(tx: Transaction) -> list[ProjectRow]:
    """Return the projects that have any chunk, the one with the newest first."""
    return await tx.rows(ProjectRow, SQL.projects)


async def is_known(tx: Transaction, slug: str) -> bool:
    """Return whether a project of this name has any chunk."""
    return await tx.first(SQL.known, {"slug": slug}) is not None


async def slugs(tx: Transaction) -> list[str]:
    """Return the names of the projects that have any chunk."""
    return await tx.column(SQL.slugs)


async def sessions(tx: Transaction, project: str, span: Span) -> list[SessionRow]:
    """Return all sessions of a project, newest first; `within` counts chunks of the span."""
    values = {"project": project, "since": span.since, "until": span.until}
    return await tx.rows(SessionRow, SQL.sessions, values)


async def beginning(tx: Transaction, project: str, start: str, most: int) -> list[str]:
    """Return ids of a project's sessions that begin with `start`; an exact match comes first."""
    escaped = start.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    values = {"project": project, "beginning": f"{escaped}%", "whole": start, "most": most}
    return await tx.column(SQL.beginning, values)


async def session_before(tx: Transaction, project: str, current: str | None) -> str | None:
    """Return the session that began last before `current`; without `current`, the newest one."""
    values = {"project": project, "current": current, "at": None}
    if current is not None:
        row = await tx.first(SQL.begun, values)
        values["at"] = row.at if row else None
    found = await tx.first(SQL.before, values)
    return found.session if found else None


async def count(tx: Transaction, chosen: ChunkFilter) -> int:
    """Return the number of selected chunks."""
    return await tx.number(SQL.count, chosen.values())


async def in_time(
    tx: Transaction, chosen: ChunkFilter, *, newest: bool, most: int
) -> list[ChunkRow]:
    """Return the newest or the oldest of the selected chunks, in chronological order."""
    statement = SQL.fill("in_time", order="DESC" if newest else "ASC")
    return await tx.rows(ChunkRow, statement, {**chosen.values(), "most": most})


MOST_OUTLINED = 2_000
"""Maximum number of a session's newest chunks in an outline."""


async def outlined(tx: Transaction, project: str, session: str) -> list[OutlinedChunk]:
    """Return the newest chunks of a session, in chronological order."""
    values = {"project": project, "session": session, "most": MOST_OUTLINED}
    rows = await tx.rows(OutlinedChunk, SQL.outlined, values)
    return rows[::-1]


async def places(tx: Transaction, ids: Sequence[int]) -> dict[int, Place]:
    """Return the locations of those of `ids` that are chunks and not forgotten."""
    rows = await tx.tuples(SQL.places, {"ids": list(ids)})
    return {key: Place(*row) for key, *row in rows}


async def edges(tx: Transaction) -> int:
    """Return the number of edges between chunks that are not forgotten."""
    return await tx.number(SQL.edges)


async def clusters(tx: Transaction) -> int:
    """Return the number of basins with a chunk that is not forgotten."""
    return await tx.number(SQL.clusters)
