"""The memories of one session as nodes: counted, read for a summary, joined to an episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

from reasonloom.stores.graph_memory.memory_nodes import (
    CURRENT_NODES,
    NODE_COLUMNS,
    VISIBLE_NODES,
    NodeRow,
)

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


ORIGIN = "session"
"""What the edges say that a session's course has drawn, and nobody by hand."""

CHAIN_WEIGHT = 0.5
"""Less than a drawn edge has where none is named: a walk takes what somebody linked before what
merely came next."""

CHAIN = text("""
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
SELECT :owner, before.id, :id, 'temporal_next', :weight, :origin, :run_id FROM (
    SELECT m.id FROM memories m
    WHERE m.owner = :owner AND m.space = :space AND m.session_id = :session_id AND m.id < :id
        AND m.deleted_at IS NULL AND m.source_kind IN ('user', 'tool')
    ORDER BY m.id DESC LIMIT 1) before
ON CONFLICT DO NOTHING
""").bindparams(bindparam("session_id", type_=Uuid), bindparam("run_id", type_=Uuid))


async def link_previous(tx: Transaction, memory_id: int, session_id: UUID, *, run_id: UUID) -> None:
    """Let a memory that was just stored follow the one before it in its session.

    Whoever stores holds the owner's row until it commits, so that of two writers at once the
    second sees what the first has stored, and the chain has no fork.
    """
    await tx.run(
        CHAIN,
        {
            "owner": tx.owner,
            "space": tx.space,
            "id": memory_id,
            "session_id": session_id,
            "weight": CHAIN_WEIGHT,
            "origin": ORIGIN,
            "run_id": run_id,
        },
    )


EPISODE_TOOL, TALK_TOOL = "session_end", "conversation_log"
"""Who stored what: episodes that sum up a session are no part of what is summed up."""

OF_SESSION = "m.session_id = :session AND m.tool <> :episode_tool"
COUNT = text(f"""
SELECT count(*) AS nodes, count(*) FILTER (WHERE m.id > :after AND m.id <> :head) AS since
FROM memories m WHERE {VISIBLE_NODES} AND {OF_SESSION}
""").bindparams(bindparam("session", type_=Uuid))  # noqa: S608 - constants, no values
KIND = """CASE WHEN m.tool <> :talk_tool THEN m.event_type
    WHEN m.source_kind = 'user' THEN 'user' ELSE 'agent' END"""
READ = text(f"""
SELECT id, kind, content, confidence, created_at FROM (
    SELECT m.id, {KIND} AS kind, m.content, m.confidence, m.created_at,
        row_number() OVER (PARTITION BY {KIND} ORDER BY m.id DESC) AS place
    FROM memories m WHERE {CURRENT_NODES} AND {OF_SESSION}) ranked
WHERE place <= :most ORDER BY id
""").bindparams(bindparam("session", type_=Uuid))  # noqa: S608 - constants, no values
NEWEST = text(f"""
SELECT {NODE_COLUMNS} FROM memories m
WHERE {CURRENT_NODES} AND {OF_SESSION} AND m.event_type = :event_type
ORDER BY m.id DESC LIMIT :most
""").bindparams(bindparam("session", type_=Uuid))  # noqa: S608 - constants, no values
JOIN = text(f"""
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
SELECT m.owner, m.id, :episode, 'part_of', :weight, :origin, :run_id FROM memories m
WHERE {VISIBLE_NODES} AND {OF_SESSION} AND m.id < :episode ORDER BY m.id DESC LIMIT :most
ON CONFLICT DO NOTHING
""").bindparams(bindparam("session", type_=Uuid), bindparam("run_id", type_=Uuid))  # noqa: S608

MOST_JOINED = 10_000
"""Nodes of one session that are joined to its episode, the newest; all know their session."""

WEIGHT = 0.5
"""Of an edge to an episode: who walks from a node goes first where somebody drew an edge."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One node as a summary reads it; `kind` is its event type, or user or agent who spoke."""

    id: int
    kind: str
    content: str
    confidence: float
    created_at: datetime


async def count(
    tx: Transaction, session: UUID, *, episode: int | None, head: int | None
) -> tuple[int, int]:
    """Return how many nodes a session has, and how many of them are newer than its episode."""
    row = await tx.first(
        COUNT,
        {
            **_of(tx, session),
            "after": episode or 0,
            "head": head or 0,
        },
    )
    assert row is not None  # noqa: S101 - a count gives a row
    return int(row.nodes), int(row.since)


async def entries(tx: Transaction, session: UUID, most: int) -> list[Entry]:
    """Return what holds of a session today in its order, of each kind at most the `most` newest."""
    values = {**_of(tx, session), "talk_tool": TALK_TOOL, "most": most}
    return [Entry(*row) for row in await tx.tuples(READ, values)]


async def newest(tx: Transaction, session: UUID, event_type: str, most: int) -> Sequence[NodeRow]:
    """Return the newest nodes of one event type, the newest first, nothing superseded."""
    values = {**_of(tx, session), "event_type": event_type, "most": most}
    return [NodeRow(*row) for row in await tx.tuples(NEWEST, values)]


async def join(tx: Transaction, session: UUID, episode: int, *, run_id: UUID) -> int:
    """Draw edges `part_of` from a session's nodes to its episode; return how many."""
    values = {
        **_of(tx, session),
        "episode": episode,
        "weight": WEIGHT,
        "origin": ORIGIN,
        "run_id": run_id,
        "most": MOST_JOINED,
    }
    return await tx.run(JOIN, values)


def _of(tx: Transaction, session: UUID) -> dict[str, object]:
    return {
        "owner": tx.owner,
        "space": tx.space,
        "session": session,
        "episode_tool": EPISODE_TOOL,
    }
