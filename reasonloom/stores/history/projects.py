"""Projects of past conversations: a folder each, known here by a short name."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
