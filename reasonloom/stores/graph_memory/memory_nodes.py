"""Memories as nodes of a graph, identified by number, each in a numbered session."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.errors import NodeNotFound, SessionNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.scope import NOT_REPLACED_BY, VALID_BEFORE
from reasonloom.stores.statements import load

VISIBLE_NODES = (
    "m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL "
    "AND m.source_kind IN ('user', 'tool')"
)
"""What graph memory shows of the memories `m`; what is superseded too, for it is reached by id."""

CURRENT_NODES = f"{VISIBLE_NODES} AND m.superseded_by IS NULL"
"""The nodes that searches of graph memory find."""

NODE_COLUMNS = """m.id, m.event_type, m.content, m.confidence, m.session_id,
    (SELECT s.number FROM sessions s WHERE s.owner = m.owner AND s.id = m.session_id) AS session,
    m.created_at, m.strength, m.salience, m.access_count, m.superseded_by"""
"""The columns of a node, in the order of `NodeRow`."""

SQL = load(__file__, node_columns=NODE_COLUMNS, visible_nodes=VISIBLE_NODES)

AGENT_RESPONSE, EXTRACT, SUMMARY = "agent_response", "session-extract", "session-summary"
HEARSAY_CATEGORIES = (AGENT_RESPONSE, EXTRACT, SUMMARY)
"""The categories of summaries and of agents' statements; they are exported with a memory."""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node; `session` is its session's number, `strength` and `salience` are 0..1."""

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
    """Return the nodes of `ids` that exist, in that order."""
    wanted = list(ids)
    if not wanted:
        return []
    rows = await tx.tuples(SQL.fetch, {"ids": wanted})
    found = {row[0]: NodeRow(*row) for row in rows}
    return [found[key] for key in wanted if key in found]


async def require(tx: Transaction, node_id: int, *, field: str) -> NodeRow:
    """Return a node that must exist.

    Raises:
        NodeNotFound: the owner has no such node, or it is hidden.
    """
    found = await fetch(tx, [node_id])
    if not found:
        raise NodeNotFound(str(node_id), field=field)
    return found[0]


async def require_all(tx: Transaction, fields: dict[int, str]) -> None:
    """Check that all nodes exist; `fields` names the argument of each.

    Raises:
        NodeNotFound: names the first that does not exist.
    """
    there = {row.id for row in await fetch(tx, fields)}
    for node_id, field in fields.items():
        if node_id not in there:
            raise NodeNotFound(str(node_id), field=field)


async def hearsay(tx: Transaction, ids: Iterable[int]) -> set[int]:
    """Return those of `ids` that are not evidence: episodes and agents' statements.

    An episode repeats other memories, which may have been corrected since; an agent's own words
    are no evidence for themselves.
    """
    wanted = {"ids": list(ids), "categories": list(HEARSAY_CATEGORIES)}
    return {row[0] for row in await tx.tuples(SQL.hearsay, wanted)}


CONDITIONS = {
    "event_types": "m.event_type = ANY(:event_types)",
    "min_confidence": "m.confidence >= :min_confidence",
    "max_confidence": "m.confidence <= :max_confidence",
    "sessions": "m.session_id = ANY(:sessions)",
    "after": "m.created_at >= :after",
    "before": "m.created_at <= :before",
    "held_to": VALID_BEFORE,
    "held_from": NOT_REPLACED_BY,
}
NEWEST = "m.created_at DESC, m.id DESC"
ORDERS = {
    "most_recent": NEWEST,
    "highest_confidence": f"m.confidence DESC, {NEWEST}",
    "most_accessed": f"m.access_count DESC, {NEWEST}",
    "most_important": f"m.salience * m.strength DESC, {NEWEST}",
}


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions that a node must meet, bounds inclusive; None sets no condition.

    Without `held_from` and `held_to` it must be current now, else at some time between them.
    """

    event_types: Sequence[str] | None = None
    min_confidence: float | None = None
    max_confidence: float | None = None
    sessions: Sequence[UUID] | None = None
    after: datetime | None = None
    before: datetime | None = None
    held_from: datetime | None = None
    held_to: datetime | None = None

    def given(self) -> dict[str, Any]:
        """Return the conditions that are set, by name."""
        named = {name: getattr(self, name) for name in CONDITIONS}
        return {
            name: list(value) if name in ("event_types", "sessions") else value
            for name, value in named.items()
            if value is not None
        }


async def list_nodes(
    tx: Transaction, conditions: Conditions, *, order: str, most: int
) -> list[NodeRow]:
    """Return up to `most` nodes that meet all conditions, ties newest first."""
    given = conditions.given()
    values = {"most": most, **given}
    nodes = VISIBLE_NODES if conditions.held_to else CURRENT_NODES
    where = " AND ".join([nodes, *(CONDITIONS[name] for name in given)])
    return await tx.rows(NodeRow, SQL.fill("list", where=where, order=ORDERS[order]), values)


async def sessions_numbered(tx: Transaction, numbers: dict[int, str]) -> list[UUID]:
    """Return the UUIDs of sessions; `numbers` maps each number to the argument that names it.

    Raises:
        SessionNotFound: names the first that the owner does not have.
    """
    found: dict[int, UUID] = dict(await tx.tuples(SQL.sessions, {"numbers": list(numbers)}))
    for number, field in numbers.items():
        if number not in found:
            raise SessionNotFound(str(number), field=field)
    return [found[number] for number in numbers]
