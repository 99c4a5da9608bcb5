"""Lists of nodes: those that meet all conditions, in one of four orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ARRAY, TextClause, Uuid, bindparam, text

from reasonloom.errors import SessionNotFound
from reasonloom.stores.graph_memory.memory_nodes import CURRENT, NODE, NodeRow

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

CONDITIONS = {
    "event_types": "m.event_type = ANY(:event_types)",
    "min_confidence": "m.confidence >= :min_confidence",
    "max_confidence": "m.confidence <= :max_confidence",
    "sessions": "m.session_id = ANY(:sessions)",
    "after": "m.created_at >= :after",
    "before": "m.created_at <= :before",
}
NEWEST = "m.created_at DESC, m.id DESC"
ORDERS = {
    "most_recent": NEWEST,
    "highest_confidence": f"m.confidence DESC, {NEWEST}",
    "most_accessed": f"m.access_count DESC, {NEWEST}",
    "most_important": f"m.salience * m.strength DESC, {NEWEST}",
}
LIST = """
WITH chosen AS MATERIALIZED (
    SELECT m.id, row_number() OVER () AS place FROM (
        SELECT m.id FROM memories m WHERE {where} ORDER BY {order} LIMIT :most) m)
SELECT {node} FROM chosen JOIN memories m ON m.owner = :owner AND m.id = chosen.id
ORDER BY chosen.place
"""
"""Contents and session numbers are read of what is shown alone."""

SESSIONS = text("""
SELECT number, id FROM sessions
WHERE owner = :owner AND space = :space AND number = ANY(:numbers)
""")


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a node must meet, bounds included; a None does not narrow."""

    event_types: Sequence[str] | None = None
    min_confidence: float | None = None
    max_confidence: float | None = None
    sessions: Sequence[UUID] | None = None
    after: datetime | None = None
    before: datetime | None = None

    def given(self) -> dict[str, Any]:
        """Return the conditions that narrow, by name."""
        named = {name: getattr(self, name) for name in CONDITIONS}
        return {
            name: list(value) if name in ("event_types", "sessions") else value
            for name, value in named.items()
            if value is not None
        }


async def listed(
    tx: Transaction, conditions: Conditions, *, order: str, most: int
) -> list[NodeRow]:
    """Return the current nodes that meet all conditions, at most `most`, ties by the newest."""
    given = conditions.given()
    values = {"owner": tx.owner, "space": tx.space, "most": most, **given}
    rows = await tx.tuples(_list(tuple(given), order), values)
    return [NodeRow(*row) for row in rows]


async def sessions_numbered(tx: Transaction, numbers: dict[int, str]) -> list[UUID]:
    """Return the uuids of sessions; `numbers` says which argument names each.

    Raises:
        SessionNotFound: names the first that this owner does not have.
    """
    values = {"owner": tx.owner, "space": tx.space, "numbers": list(numbers)}
    found: dict[int, UUID] = dict(await tx.tuples(SESSIONS, values))
    for number, field in numbers.items():
        if number not in found:
            raise SessionNotFound(str(number), field=field)
    return [found[number] for number in numbers]


@cache
def _list(given: tuple[str, ...], order: str) -> TextClause:
    where = " AND ".join([CURRENT, *(CONDITIONS[name] for name in given)])
    statement = text(LIST.format(where=where, order=ORDERS[order], node=NODE))
    if "sessions" not in given:
        return statement
    return statement.bindparams(bindparam("sessions", type_=ARRAY(Uuid)))
