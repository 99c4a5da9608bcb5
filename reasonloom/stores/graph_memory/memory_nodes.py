"""Memories as nodes of a graph: known by number, in the session of a number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import text

from reasonloom.errors import NodeNotFound

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

SHOWN = (
    "m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL "
    "AND m.source_kind IN ('user', 'tool')"
)
"""What graph memory shows of the memories `m`; what is superseded too, for it is reached by id."""

CURRENT = f"{SHOWN} AND m.superseded_by IS NULL"
"""What graph memory finds of them."""

NODE = """m.id, m.event_type, m.content, m.confidence, m.session_id,
    (SELECT s.number FROM sessions s WHERE s.owner = m.owner AND s.id = m.session_id) AS session,
    m.created_at, m.strength, m.salience, m.access_count, m.superseded_by"""
"""The columns of a node, in the order of `NodeRow`."""

FETCH = text(f"SELECT {NODE} FROM memories m WHERE {SHOWN} AND m.id = ANY(:ids)")  # noqa: S608

HEARSAY = text(f"""
SELECT m.id FROM memories m WHERE {SHOWN} AND m.id = ANY(:ids) AND (m.tool = 'session_end'
    OR m.event_type = 'episode' AND m.category = ANY(:told))
""")  # noqa: S608

AGENT_SAID, EXTRACT, SUMMARY = "agent_response", "session-extract", "session-summary"
TOLD = (AGENT_SAID, EXTRACT, SUMMARY)
"""The categories of what is told again or by an agent; they travel with a memory."""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node; `session` is its session's number, `strength` and `salience` are 0..1."""

    id: int
    event_type: str
    content: str
    confidence: float
    session_id: UUID | None
    session: int | None
    created_at: datetime
    strength: float
    salience: float
    access_count: int
    superseded_by: int | None


async def fetch(tx: Transaction, ids: Iterable[int]) -> list[NodeRow]:
    """Return the nodes of `ids` that are there, in that order."""
    wanted = list(ids)
    if not wanted:
        return []
    rows = await tx.tuples(FETCH, {"owner": tx.owner, "space": tx.space, "ids": wanted})
    found = {row[0]: NodeRow(*row) for row in rows}
    return [found[key] for key in wanted if key in found]


async def require(tx: Transaction, node_id: int, *, field: str) -> NodeRow:
    """Return a node that must be there.

    Raises:
        NodeNotFound: this owner has none such, or it is hidden.
    """
    found = await fetch(tx, [node_id])
    if not found:
        raise NodeNotFound(str(node_id), field=field)
    return found[0]


async def require_all(tx: Transaction, fields: dict[int, str]) -> None:
    """See that all nodes are there; `fields` says which argument names each.

    Raises:
        NodeNotFound: names the first that is not.
    """
    there = {row.id for row in await fetch(tx, fields)}
    for node_id, field in fields.items():
        if node_id not in there:
            raise NodeNotFound(str(node_id), field=field)


async def hearsay(tx: Transaction, ids: Iterable[int]) -> set[int]:
    """Return those of `ids` that bear nothing out: episodes, and what an agent said.

    An episode repeats other memories, which may have been corrected since; an agent's own words
    are no evidence for themselves.
    """
    wanted = {"owner": tx.owner, "space": tx.space, "ids": list(ids), "told": list(TOLD)}
    return {row[0] for row in await tx.tuples(HEARSAY, wanted)}
