"""What links need of chunks: what they say of themselves, and the sessions they stand in."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


FACTS = """
c.memory_id AS id, c.project, c.session, c.agent, c.at, c.started_at, c.ended_at, c.files, c.errors,
c.names, m.content
"""
VISIBLE_CHUNKS = "m.owner = :owner AND m.deleted_at IS NULL AND m.source_kind = 'transcript'"
BY_ID = text(f"""
SELECT {FACTS} FROM chunks c JOIN memories m ON m.id = c.memory_id AND {VISIBLE_CHUNKS}
WHERE c.owner = :owner AND c.memory_id = ANY(CAST(:ids AS bigint[])) ORDER BY c.at, c.memory_id
""")  # noqa: S608 - names of columns, no values
BEFORE = text("""
SELECT session, id, ended FROM (
    SELECT DISTINCT ON (c.session) c.session, c.memory_id AS id, c.at,
        coalesce(c.ended_at, c.at) AS ended
    FROM (SELECT * FROM chunks WHERE owner = :owner AND project = :project AND forgotten IS NULL
            AND agent IS NULL AND session <> :session AND at <= :at
            ORDER BY at DESC, memory_id DESC LIMIT :read) c
    ORDER BY c.session, c.at DESC, c.first_turn DESC, c.ordinal DESC, c.memory_id DESC) last
ORDER BY at DESC, id DESC LIMIT :most
""")
FIRST = text("""
SELECT DISTINCT ON (session) memory_id AS id FROM chunks
WHERE owner = :owner AND project = :project AND session = ANY(CAST(:sessions AS text[]))
    AND agent IS NULL AND forgotten IS NULL
ORDER BY session, at, first_turn, ordinal, memory_id
""")
CLEAR = text("""
DELETE FROM edges WHERE owner = :owner AND (
    (origin = 'cause' AND source_id = ANY(CAST(:ids AS bigint[])))
    OR (origin = 'continuation' AND target_id = ANY(CAST(:ids AS bigint[]))))
""")
ADD = text("""
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, reason)
SELECT :owner, source, target, type, weight, origin, reason
FROM json_to_recordset(CAST(:rows AS json)) AS r
    (source bigint, target bigint, type text, weight float8, origin text, reason text)
ON CONFLICT (owner, source_id, target_id, type) DO NOTHING
""")


@dataclass(frozen=True)
class Facts:
    """What a chunk says of itself; `started_at` is None where its transcript tells no time."""

    id: int
    project: str
    session: str
    agent: str | None
    at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    files: list[str]
    errors: list[str]
    names: list[str]
    content: str

    @cached_property
    def folded(self) -> str:
        """What it says, whatever the case: made once for all that it is compared with."""
        return self.content.casefold()


@dataclass(frozen=True, slots=True)
class Ended:
    """A session's last chunk, and when it ended."""

    session: str
    id: int
    ended: datetime


@dataclass(frozen=True, slots=True)
class NewEdge:
    """An edge to be written; `weight` is 0..1."""

    source: int
    target: int
    type: str
    weight: float
    origin: str
    reason: str


async def facts(tx: Transaction, ids: Sequence[int]) -> list[Facts]:
    """Return the chunks of `ids` that are there and not hidden, in order of time."""
    values = {"owner": tx.owner, "ids": list(ids)}
    return [Facts(*row) for row in await tx.tuples(BY_ID, values)]


async def sessions_before(
    tx: Transaction, chunk: Facts, *, most: int, read: int = 200
) -> list[Ended]:
    """Return the last chunks of the sessions before a chunk in its project, the latest first."""
    values = {
        "owner": tx.owner,
        "project": chunk.project,
        "session": chunk.session,
        "at": chunk.at,
        "read": read,
        "most": most,
    }
    return [Ended(*row) for row in await tx.tuples(BEFORE, values)]


async def first_of(tx: Transaction, project: str, sessions: Sequence[str]) -> set[int]:
    """Return the first chunk of the main conversation of each session."""
    values = {"owner": tx.owner, "project": project, "sessions": list(sessions)}
    return {row.id for row in await tx.all(FIRST, values)}


async def replace(tx: Transaction, ids: Sequence[int], edges: Sequence[NewEdge]) -> None:
    """Let these be the edges of cause and continuation of the chunks `ids`, and no others."""
    await tx.run(CLEAR, {"owner": tx.owner, "ids": list(ids)})
    if edges:
        rows = [{name: getattr(edge, name) for name in NewEdge.__slots__} for edge in edges]
        await tx.run(ADD, {"owner": tx.owner, "rows": json.dumps(rows)})


BETWEEN = text("""
SELECT DISTINCT ON (p.place) p.place, e.origin, e.reason
FROM unnest(CAST(:earlier AS bigint[]), CAST(:later AS bigint[])) WITH ORDINALITY
    AS p (earlier, later, place)
JOIN edges e ON e.owner = :owner AND (
    (e.source_id = p.later AND e.target_id = p.earlier AND e.type = 'caused_by')
    OR (e.source_id = p.earlier AND e.target_id = p.later AND e.type = 'temporal_next'))
ORDER BY p.place, e.type, e.weight DESC
""")
"""A cause says more than an order."""


async def reasons_between(tx: Transaction, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Return why each earlier chunk leads to the later one; "" where no edge says so."""
    values = {
        "owner": tx.owner,
        "earlier": [earlier for earlier, _ in pairs],
        "later": [later for _, later in pairs],
    }
    rows = await tx.all(BETWEEN, values)
    said = {int(row.place): str(row.reason or row.origin) for row in rows}
    return [said.get(place, "") for place in range(1, len(pairs) + 1)]


ORIGINS = ("sequence", "brief", "debrief", "continuation", "cause")
SIDE = """(SELECT source_id, target_id, type, weight, origin, reason FROM edges
    WHERE owner = :owner AND {end} = f.id AND origin = ANY(CAST(:origins AS text[]))
    ORDER BY weight DESC, {other} LIMIT :fan)"""
EDGES = text(f"""
SELECT DISTINCT e.source_id, e.target_id, e.type, e.weight, e.origin, e.reason
FROM unnest(CAST(:ids AS bigint[])) AS f (id) CROSS JOIN LATERAL (
    {SIDE.format(end="source_id", other="target_id")}
    UNION ALL {SIDE.format(end="target_id", other="source_id")}) e
ORDER BY e.source_id, e.target_id, e.type
""")  # noqa: S608 - names of columns, no values
CHUNKS = text("""
SELECT c.memory_id AS id, c.project, c.session, c.agent, c.started_at, c.at, c.first_turn,
    c.ordinal, c.tokens, m.content
FROM chunks c JOIN memories m ON m.owner = :owner AND m.id = c.memory_id AND m.deleted_at IS NULL
WHERE c.owner = :owner AND c.memory_id = ANY(CAST(:ids AS bigint[]))
""")


@dataclass(frozen=True, slots=True)
class WalkEdge:
    """An edge between two chunks as it is stored; `weight` is 0..1."""

    source: int
    target: int
    type: str
    weight: float
    origin: str
    reason: str | None

    @property
    def earlier(self) -> int:
        """The chunk that leads to the other: what causes is the target, what follows is, too."""
        return self.target if self.type == "caused_by" else self.source

    @property
    def later(self) -> int:
        """The chunk that follows."""
        return self.source if self.type == "caused_by" else self.target


@dataclass(frozen=True, slots=True)
class WalkChunk:
    """A chunk as it may be told; `started_at` is None where its transcript tells no time."""

    id: int
    project: str
    session: str
    agent: str | None
    started_at: datetime | None
    at: datetime
    first_turn: int
    ordinal: int
    tokens: int
    content: str

    @property
    def place(self) -> tuple[datetime, int, int, int]:
        """Where it stands in time."""
        return self.at, self.first_turn, self.ordinal, self.id


async def edges(tx: Transaction, ids: Collection[int], *, fan: int) -> list[WalkEdge]:
    """Return the `fan` heaviest edges that lead from each chunk, and as many that lead to it."""
    values = {"owner": tx.owner, "ids": list(ids), "origins": list(ORIGINS), "fan": fan}
    return [WalkEdge(*row) for row in await tx.tuples(EDGES, values)]


async def chunks(tx: Transaction, ids: Sequence[int]) -> dict[int, WalkChunk]:
    """Return the chunks of `ids` that are there and not hidden."""
    rows = await tx.tuples(CHUNKS, {"owner": tx.owner, "ids": list(ids)})
    return {row[0]: WalkChunk(*row) for row in rows}
