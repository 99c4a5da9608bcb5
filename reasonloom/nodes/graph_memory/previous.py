"""What the session before left, as it is told where a new one begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.contracts.graph_memory.sessions import PreviousSession
from reasonloom.nodes.graph_memory.rendering import told
from reasonloom.stores.graph_memory import memory_nodes, recent_nodes, session_ends, session_nodes

if TYPE_CHECKING:
    from uuid import UUID

    from reasonloom.stores.database import Transaction

MOST_LEFT = 5
"""Decisions, and facts, that are told of the session before."""

NOTHING = PreviousSession(
    session_id=None, ended=False, episode=None, recent_decisions=[], recent_facts=[]
)


async def left_before(tx: Transaction, project: str | None, begun: UUID) -> PreviousSession:
    """Return what the project's last session left, other than the one that is begun now."""
    last = await recent_nodes.last_session(tx, project, other_than=begun)
    if last is None:
        return NOTHING
    course = await session_ends.of_id(tx, last)
    head = await session_ends.head(tx, course.episode_id)
    episode = await memory_nodes.fetch(tx, [head]) if head else []
    decisions = await session_nodes.newest(tx, last, "decision", MOST_LEFT)
    facts = await session_nodes.newest(tx, last, "fact", MOST_LEFT)
    return PreviousSession(
        session_id=course.number,
        ended=course.ended_at is not None,
        episode=told(episode[0]) if episode else None,
        recent_decisions=[told(row) for row in decisions],
        recent_facts=[told(row) for row in facts],
    )
