"""What a project did last, and what of it is worth knowing when one comes back to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, get_args
from uuid import UUID

from sqlalchemy import TextClause, Uuid, bindparam, text

from reasonloom.contracts.memory.export_format import EventType
from reasonloom.stores.graph_memory.memory_nodes import (
    CURRENT_NODES,
    NODE_COLUMNS,
    VISIBLE_NODES,
    NodeRow,
)
from reasonloom.stores.graph_memory.memory_sessions import head
from reasonloom.stores.vectors import SECTOR_BIT

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

RELEVANCE, RECENCY, STRENGTH, SALIENCE = 0.4, 0.3, 0.15, 0.15
"""What each part weighs in the score of a node; the whole counts by the node's confidence."""

POOL = 200
"""Newest nodes of each kind that are weighed against each other."""

ABOUT = 12
"""Newest nodes of a session that tell what it was about."""

OF_PROJECT = {True: "m.project = :project", False: "m.project IS NULL"}
"""Where there is a project, and where there is none."""

NEWEST_FIRST = "ORDER BY m.project, m.id DESC NULLS LAST"
"""As only the index `memories_by_kind` has it: by number alone, where a kind is rare, every
memory would be looked at."""

LAST_SESSION = """
SELECT session_id FROM unnest(CAST(:types AS text[])) AS kind (name), LATERAL (
    SELECT m.id, m.session_id FROM memories m
    WHERE {shown} AND {of_project} AND m.event_type = kind.name AND m.session_id <> :other
    {newest_first} LIMIT 1) newest
ORDER BY id DESC LIMIT 1
"""
LAST_EPISODE = """
SELECT m.id FROM sessions s JOIN memories m ON m.owner = s.owner AND m.id = s.episode_id
WHERE s.owner = :owner AND s.space = :space AND s.episode_id IS NOT NULL
    AND {shown} AND {of_project}
ORDER BY m.id DESC LIMIT 1
"""
WEIGHED = """
WITH about AS (
    SELECT avg(e.embedding) AS middle FROM embeddings e
    WHERE e.owner = :owner AND e.memory_id = ANY(:about) AND e.model = :model
        AND e.sectors & {semantic} <> 0
), newest AS (
    SELECT m.* FROM unnest(CAST(:types AS text[])) AS kind (name), LATERAL (
        SELECT m.* FROM memories m
        WHERE {current} AND {of_project} AND m.event_type = kind.name
        {newest_first} LIMIT :pool) m
), weighed AS (
    SELECT m.*, coalesce((SELECT greatest(0, 1 - (e.embedding <=> about.middle))
        FROM embeddings e, about WHERE e.owner = :owner AND e.memory_id = m.id
            AND e.model = :model AND e.sectors & {semantic} <> 0), 0) AS relevance,
        power(0.5, greatest(0, extract(epoch FROM :now - m.created_at)) / 86400 / :half_life)
            AS recency
    FROM newest m
)
SELECT {node} FROM weighed m
ORDER BY m.confidence * ({weights}) DESC, m.id DESC LIMIT :most
"""
WEIGHTS = (
    f"{RELEVANCE} * m.relevance + {RECENCY} * m.recency "
    f"+ {STRENGTH} * m.strength + {SALIENCE} * m.salience"
)
LAST_NODES = text(f"""
SELECT m.id FROM memories m WHERE {CURRENT_NODES} AND m.session_id = :session
ORDER BY m.id DESC LIMIT :most
""").bindparams(bindparam("session", type_=Uuid))  # noqa: S608 - constants, no values
NOBODY = UUID(int=0)


async def last_session(
    tx: Transaction, project: str | None, *, other_than: UUID = NOBODY
) -> UUID | None:
    """Return the session that a project's newest node belongs to, None where there is none."""
    statement = _text(LAST_SESSION, project).bindparams(bindparam("other", type_=Uuid))
    values = {**_in(tx, project), "types": list(get_args(EventType)), "other": other_than}
    row = await tx.first(statement, values)
    return row.session_id if row else None


async def last_episode(tx: Transaction, project: str | None) -> int | None:
    """Return the newest episode of a project's sessions, as it stands today."""
    row = await tx.first(_text(LAST_EPISODE, project), _in(tx, project))
    return await head(tx, row.id) if row else None


async def last_nodes(tx: Transaction, session: UUID) -> list[int]:
    """Return the newest nodes of a session, which tell what it was about."""
    values = {"owner": tx.owner, "space": tx.space, "session": session, "most": ABOUT}
    return [row.id for row in await tx.all(LAST_NODES, values)]


async def weighed(
    tx: Transaction,
    project: str | None,
    event_types: Sequence[str],
    about: Sequence[int],
    *,
    model: str,
    now: datetime,
    half_life: float,
    most: int,
) -> list[NodeRow]:
    """Return a project's nodes of some types, best first; `half_life` of recency is in days.

    Relevance is the cosine to the middle of the semantic vectors of the nodes `about`, 0 where
    there are none.
    """
    values = {
        **_in(tx, project),
        "types": list(event_types),
        "about": list(about),
        "model": model,
        "now": now,
        "half_life": half_life,
        "pool": max(POOL, most),
        "most": most,
    }
    return [NodeRow(*row) for row in await tx.tuples(_text(WEIGHED, project), values)]


def _text(statement: str, project: str | None) -> TextClause:
    return text(
        statement.format(
            shown=VISIBLE_NODES,
            current=CURRENT_NODES,
            of_project=OF_PROJECT[project is not None],
            newest_first=NEWEST_FIRST,
            semantic=SECTOR_BIT["semantic"],
            node=NODE_COLUMNS,
            weights=WEIGHTS,
        )
    )


def _in(tx: Transaction, project: str | None) -> dict[str, object]:
    named = {} if project is None else {"project": project}
    return {"owner": tx.owner, "space": tx.space, **named}
