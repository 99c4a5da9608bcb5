"""The last session of a project, and the nodes that matter when work on the project resumes."""

from collections.abc import Sequence
from datetime import datetime
from typing import get_args
from uuid import UUID

from reasonloom.contracts.memory.export_format import EventType
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.memory_nodes import (
    CURRENT_NODES,
    NODE_COLUMNS,
    VISIBLE_NODES,
    NodeRow,
)
from reasonloom.stores.graph_memory.memory_sessions import head
from reasonloom.stores.statements import load
from reasonloom.stores.vectors import SECTOR_BIT

RELEVANCE, RECENCY, STRENGTH, SALIENCE = 0.4, 0.3, 0.15, 0.15
"""The weights of the parts of a node's score, which is multiplied by the node's confidence."""

POOL = 200
"""Newest nodes of each kind that are scored."""

ABOUT = 12
"""Newest nodes of a session that represent its topic."""

OF_PROJECT = {True: "m.project = :project", False: "m.project IS NULL"}
"""The condition with a project, and without one."""

NEWEST_FIRST = "ORDER BY m.project, m.id DESC NULLS LAST"
"""The order of the index `memories_by_kind` alone: ordered by number only, the search for a rare
kind would scan every memory."""

WEIGHTS = (
    f"{RELEVANCE} * m.relevance + {RECENCY} * m.recency "
    f"+ {STRENGTH} * m.strength + {SALIENCE} * m.salience"
)
SQL = load(
    __file__,
    visible_nodes=VISIBLE_NODES,
    current_nodes=CURRENT_NODES,
    node_columns=NODE_COLUMNS,
    newest_first=NEWEST_FIRST,
    semantic=SECTOR_BIT["semantic"],
    weights=WEIGHTS,
)
NOBODY = UUID(int=0)


async def last_session(
    tx: Transaction, project: str | None, *, other_than: UUID = NOBODY
) -> UUID | None:
    """Return the session that a project's newest node belongs to, None if there is none."""
    values = {"project": project, "types": list(get_args(EventType)), "other": other_than}
    row = await tx.first(
        SQL.fill("last_session", of_project=OF_PROJECT[project is not None]), values
    )
    return row.session_id if row else None


async def last_episode(tx: Transaction, project: str | None) -> int | None:
    """Return the current version of the newest episode of a project's sessions."""
    row = await tx.first(
        SQL.fill("last_episode", of_project=OF_PROJECT[project is not None]), {"project": project}
    )
    return await head(tx, row.id) if row else None


async def last_nodes(tx: Transaction, session: UUID) -> list[int]:
    """Return the newest nodes of a session."""
    return [row.id for row in await tx.all(SQL.last_nodes, {"session": session, "most": ABOUT})]


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

    Relevance is the cosine similarity to the mean semantic vector of the nodes `about`, 0 if there
    are none.
    """
    values = {
        "project": project,
        "types": list(event_types),
        "about": list(about),
        "model": model,
        "now": now,
        "half_life": half_life,
        "pool": max(POOL, most),
        "most": most,
    }
    statement = SQL.fill("weighed", of_project=OF_PROJECT[project is not None])
    return await tx.rows(NodeRow, statement, values)
