"""Sequence edges between chunks: to the next in a session, to a sub-agent, and back."""

from collections.abc import Iterable
from datetime import datetime

from reasonloom.stores.database import Transaction
from reasonloom.stores.history.chunks import Lane
from reasonloom.stores.statements import load

WITHIN, NEXT, PAUSED, LATER = 0.9, 0.6, 0.4, 0.2
"""Weights: the same turn continues; the next turn; after half an hour; after four hours."""

NAMED, BY_TIME = 0.8, 0.5
"""Weights of edges to a sub-agent and back: named by the transcript; inferred from times only."""

SQL = load(__file__)


async def follow(tx: Transaction, lanes: Iterable[Lane]) -> None:
    """Link each lane's chunks in order from its time on, and remove obsolete links."""
    first: dict[tuple[str, str, str | None], datetime] = {}
    for lane in lanes:
        key = lane.project, lane.session, lane.agent
        first[key] = min(first.get(key, lane.at), lane.at)
    if not first:
        return
    weights = {"within": WITHIN, "next": NEXT, "paused": PAUSED, "later": LATER}
    values = {
        "projects": [project for project, _, _ in first],
        "sessions": [session for _, session, _ in first],
        "agents": [agent for _, _, agent in first],
        "ats": list(first.values()),
    }
    await tx.run(SQL.follow, {**values, **weights})


async def link_agents(tx: Transaction, sessions: Iterable[str]) -> None:
    """Link the sub-agents of sessions with the chunks that start them and contain their reports."""
    values = {"sessions": list(sessions), "named": NAMED, "by_time": BY_TIME}
    if values["sessions"]:
        await tx.run(SQL.link_agents, values)
