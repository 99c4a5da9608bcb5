"""Projects of past conversations: one per folder, identified by a short name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from unicodedata import normalize

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

NO_FOLDER = "conversations"
"""The name of the project for conversations without a folder."""

SLUG_LENGTH = 80
BETWEEN = re.compile(r"[/\\]+")
ODD = re.compile(r"[^\w.+-]+")

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project; `path` is None for conversations that name no folder."""

    slug: str
    path: str | None


async def project_for(tx: Transaction, path: str | None) -> str:
    """Return the slug of this folder's project, creating it if needed; a slug never changes.

    It is the folder's last name, prefixed with its parents' names if another folder has that
    name (`team-api`), or else followed by a number.
    """
    path = normal(path)
    names = slugs(path)
    while (row := await tx.first(SQL.of_path, {"path": path})) is None:
        await tx.run(SQL.add, {"slug": next(names), "path": path})
    return str(row.slug)


async def projects(tx: Transaction) -> list[ProjectRow]:
    """Return the owner's projects by slug."""
    return await tx.rows(ProjectRow, SQL.projects)


def normal(path: str | None) -> str | None:
    """Return a folder's path in normal form; None for an empty one.

    Accents are composed (NFC), because some systems report the same folder decomposed.
    """
    path = normalize("NFC", path or "").strip()
    return path.rstrip("/\\") or path[:1] or None


def slugs(path: str | None) -> Iterator[str]:
    """Yield candidate names for a folder, best first, without end."""
    parts = [ODD.sub("-", part).strip("-.") for part in BETWEEN.split(path or "")]
    parts = [part for part in parts if part] or [NO_FOLDER]
    for first in range(len(parts) - 1, -1, -1):
        yield "-".join(parts[first:])[-SLUG_LENGTH:].lstrip("-.")
    for number in count(2):
        yield f"{parts[-1][-SLUG_LENGTH:]}-{number}"


LONGEST = 12_000
"""Characters read of a chunk, which has at most 1,500 tokens."""


@dataclass(frozen=True, slots=True)
class PastChunk:
    """A chunk's data for a briefing; `agent` is its sub-agent, None in the main conversation."""

    session: str
    agent: str | None
    at: datetime
    ended_at: datetime
    files: list[str]
    errors: list[str]
    content: str


async def project_of(tx: Transaction, paths: Sequence[str], session: str | None) -> str | None:
    """Return the slug of the project in one of these folders, or else of a session's project."""
    row = await tx.first(SQL.slug, {"paths": list(paths)})
    if row is None and session:
        row = await tx.first(SQL.of_session, {"session": session})
    return str(row[0]) if row else None


async def newest_chunks(tx: Transaction, project: str, limit: int) -> Sequence[PastChunk]:
    """Return a project's chunks that are not forgotten, newest first."""
    values = {"project": project, "limit": limit, "longest": LONGEST}
    return await tx.rows(PastChunk, SQL.newest, values)


async def cluster_names(tx: Transaction, project: str, limit: int, most: int) -> Sequence[str]:
    """Return the names of the `most` clusters with the most of the newest `limit` chunks."""
    values = {"project": project, "limit": limit, "most": most}
    return [str(row[0]) for row in await tx.all(SQL.clusters, values)]
