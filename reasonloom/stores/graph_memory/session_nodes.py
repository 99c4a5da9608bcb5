"""The memories of one session as nodes: counted, read for a summary, joined to an episode."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.memory_nodes import (
    CURRENT_NODES,
    NODE_COLUMNS,
    VISIBLE_NODES,
    NodeRow,
)
from reasonloom.stores.memory.memories import SOURCE, source_values
from reasonloom.stores.statements import load

ORIGIN = "session"
"""The origin of edges created from a session's sequence rather than explicitly."""

CHAIN_WEIGHT = 0.5
"""Less than the default weight of an explicit edge, so that walks prefer explicit links to mere
sequence."""

SQL = load(
    __file__,
    visible_nodes=VISIBLE_NODES,
    current_nodes=CURRENT_NODES,
    node_columns=NODE_COLUMNS,
    source=SOURCE,
)


async def link_previous(
    tx: Transaction, memory: int | UUID, session_id: UUID, *, run_id: UUID | None
) -> None:
    """Link the previous memory of the session to the one that was just stored.

    `memory` is its id or its effect.

    Writers lock the owner's row until they commit, so that of two concurrent writers the second
    sees the first one's memory, and the chain does not fork.
    """
    await tx.run(
        SQL.chain,
        {
            **source_values(memory),
            "session_id": session_id,
            "weight": CHAIN_WEIGHT,
            "origin": ORIGIN,
            "run_id": run_id,
        },
    )


EPISODE_TOOL, TALK_TOOL = "session_end", "conversation_log"
"""The tools that store episodes and conversation; a session's summary excludes its episodes."""

MOST_JOINED = 10_000
"""Maximum newest nodes of a session joined to its episode; every node records its session."""

WEIGHT = 0.5
"""The weight of an edge to an episode, so that walks from a node follow explicit edges first."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A node in a summary; `kind` is its event type, or the speaker (`user` or `agent`)."""

    id: int
    kind: str
    content: str
    confidence: float
    created_at: datetime


async def count(
    tx: Transaction, session: UUID, *, episode: int | None, head: int | None
) -> tuple[int, int]:
    """Return how many nodes a session has, and how many of them are newer than its episode."""
    row = await tx.one(SQL.count, {**_of(session), "after": episode or 0, "head": head or 0})
    return int(row.nodes), int(row.since)


async def entries(tx: Transaction, session: UUID, most: int) -> list[Entry]:
    """Return the current nodes of a session in order, at most the `most` newest of each kind."""
    values = {**_of(session), "talk_tool": TALK_TOOL, "most": most}
    return await tx.rows(Entry, SQL.read, values)


async def newest(tx: Transaction, session: UUID, event_type: str, most: int) -> Sequence[NodeRow]:
    """Return the newest nodes of one event type, newest first, without superseded ones."""
    values = {**_of(session), "event_type": event_type, "most": most}
    return await tx.rows(NodeRow, SQL.newest, values)


async def join(tx: Transaction, session: UUID, episode: int, *, run_id: UUID) -> int:
    """Create `part_of` edges from a session's nodes to its episode; return how many."""
    values = {
        **_of(session),
        "episode": episode,
        "weight": WEIGHT,
        "origin": ORIGIN,
        "run_id": run_id,
        "most": MOST_JOINED,
    }
    return await tx.run(SQL.join, values)


def _of(session: UUID) -> dict[str, object]:
    return {"session": session, "episode_tool": EPISODE_TOOL}
