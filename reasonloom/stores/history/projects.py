"""Projects of past conversations: a folder each, known here by a short name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING
from unicodedata import normalize

from sqlalchemy import select, text

from reasonloom.stores.history.tables import Project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasonloom.stores.database import Transaction


NO_FOLDER = "conversations"
"""The name of what belongs to no folder."""

SLUG_LENGTH = 80
BETWEEN = re.compile(r"[/\\]+")
ODD = re.compile(r"[^\w.+-]+")

ADD = text("INSERT INTO projects (owner, slug, path) VALUES (:owner, :slug, :path) "
           "ON CONFLICT DO NOTHING")  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project; `path` is None for conversations that name no folder."""

    slug: str
    path: str | None


async def project_for(tx: Transaction, path: str | None) -> str:
    """Return the slug of the project of this folder; made where new, and the same ever after.

    The folder's last name, with its parents' names before it where another folder has that
    name (`team-api`), and else with a number.
    """
    path = normal(path)
    wanted = select(Project.slug).where(
        Project.owner == tx.owner, Project.path.is_not_distinct_from(path)
    )
    names = slugs(path)
    while (row := await tx.first(wanted)) is None:
        await tx.run(ADD, {"owner": tx.owner, "slug": next(names), "path": path})
    return str(row.slug)


async def projects(tx: Transaction) -> list[ProjectRow]:
    """Return the owner's projects by slug."""
    statement = select(Project.slug, Project.path).where(Project.owner == tx.owner)
    rows = await tx.all(statement.order_by(Project.slug))
    return [ProjectRow(str(row.slug), row.path) for row in rows]


def normal(path: str | None) -> str | None:
    """Return a folder's path without what does not tell it apart; None for an empty one.

    Accents are composed (NFC): some systems tell the same folder with them apart.
    """
    path = normalize("NFC", path or "").strip()
    return path.rstrip("/\\") or path[:1] or None


def slugs(path: str | None) -> Iterator[str]:
    """Yield the names that a folder may have, the best first; they never end."""
    parts = [ODD.sub("-", part).strip("-.") for part in BETWEEN.split(path or "")]
    parts = [part for part in parts if part] or [NO_FOLDER]
    for first in range(len(parts) - 1, -1, -1):
        yield "-".join(parts[first:])[-SLUG_LENGTH:].lstrip("-.")
    for number in count(2):
        yield f"{parts[-1][-SLUG_LENGTH:]}-{number}"


SEEN = "c.owner = :owner AND c.project = :project AND c.forgotten IS NULL"
SLUG = text("SELECT slug FROM projects WHERE owner = :owner AND path = ANY(:paths) LIMIT 1")
OF_SESSION = text("""
SELECT c.project FROM chunks c WHERE c.owner = :owner AND c.session = :session
    AND c.forgotten IS NULL ORDER BY c.at DESC, c.memory_id DESC LIMIT 1
""")
NEWEST = text(f"""
SELECT c.session, c.agent, c.at, coalesce(c.ended_at, c.at) AS ended_at, c.files, c.errors,
    left(m.content, :longest) AS content
FROM chunks c JOIN memories m ON m.owner = c.owner AND m.id = c.memory_id
WHERE {SEEN} AND m.deleted_at IS NULL
ORDER BY c.at DESC, c.first_turn DESC, c.ordinal DESC, c.memory_id DESC LIMIT :limit
""")  # noqa: S608 - our own condition, no values
CLUSTERS = text(f"""
SELECT b.name FROM (SELECT c.memory_id FROM chunks c WHERE {SEEN}
    ORDER BY c.at DESC, c.memory_id DESC LIMIT :limit) c
JOIN basin_members k ON k.owner = :owner AND k.memory_id = c.memory_id
JOIN basins b ON b.owner = k.owner AND b.id = k.basin
GROUP BY b.id, b.name ORDER BY count(*) DESC, b.name LIMIT :most
""")  # noqa: S608 - our own condition, no values

LONGEST = 12_000
"""Characters read of a chunk; it has 1,500 tokens at most."""


@dataclass(frozen=True, slots=True)
class PastChunk:
    """A chunk as far as a briefing needs it; `agent` is the sub-agent's, None in the main line."""

    session: str
    agent: str | None
    at: datetime
    ended_at: datetime
    files: list[str]
    errors: list[str]
    content: str


async def project_of(tx: Transaction, paths: Sequence[str], session: str | None) -> str | None:
    """Return the slug of the project in one of these folders, or else of a session's."""
    row = await tx.first(SLUG, {"owner": tx.owner, "paths": list(paths)})
    if row is None and session:
        row = await tx.first(OF_SESSION, {"owner": tx.owner, "session": session})
    return str(row[0]) if row else None


async def newest_chunks(tx: Transaction, project: str, limit: int) -> Sequence[PastChunk]:
    """Return a project's chunks that are not forgotten, the newest first."""
    values = {"owner": tx.owner, "project": project, "limit": limit, "longest": LONGEST}
    return [PastChunk(*row) for row in await tx.tuples(NEWEST, values)]


async def cluster_names(tx: Transaction, project: str, limit: int, most: int) -> Sequence[str]:
    """Return the names of the clusters that most of the newest `limit` chunks are in."""
    values = {"owner": tx.owner, "project": project, "limit": limit, "most": most}
    return [str(row[0]) for row in await tx.all(CLUSTERS, values)]
