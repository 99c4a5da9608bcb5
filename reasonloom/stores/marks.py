"""Cheap looks that tell whether something changed: for pages that follow the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

OF_SESSION = text("""
SELECT s.updated_at,
    (SELECT max(t.position) FROM thoughts t WHERE t.owner = s.owner AND t.session_id = s.id),
    (SELECT (count(*), max(c.created_at))::text FROM runs r
        JOIN llm_calls c ON c.owner = r.owner AND c.run_id = r.id
        WHERE r.owner = s.owner AND r.status = 'running' AND r.created_at > now() - interval '1 day'
        AND (r.session_id = s.id OR r.input ->> 'session_id' = s.id::text)),
    (SELECT max(k.number) FROM session_checkpoints k
        WHERE k.owner = s.owner AND k.session_id = s.id)
FROM sessions s WHERE s.owner = :owner AND s.space = :space AND s.id = :id
""").bindparams(bindparam("id", type_=Uuid))
OF_RUN = text("""
SELECT r.status, r.finished_at,
    (SELECT (count(*), max(c.created_at))::text FROM llm_calls c
        WHERE c.owner = r.owner AND c.run_id = r.id)
FROM runs r WHERE r.owner = :owner AND r.space = :space AND r.id = :id
""").bindparams(bindparam("id", type_=Uuid))
OF_GRAPH = text("""
SELECT g.updated_at, g.finalized_at FROM thought_graphs g
JOIN sessions s ON s.owner = g.owner AND s.id = g.session_id
WHERE g.owner = :owner AND s.space = :space AND g.id = :id
""").bindparams(bindparam("id", type_=Uuid))
OF_SESSIONS = text("""
SELECT max(updated_at), max(number) FROM sessions WHERE owner = :owner AND space = :space
""")
OF_RUNS = text("""
SELECT max(created_at), max(finished_at) FROM (SELECT created_at, finished_at FROM runs
    WHERE owner = :owner AND space = :space ORDER BY created_at DESC LIMIT 50) AS last
""")

Mark = tuple[Any, ...]
"""Two that are equal mean that nothing changed between them."""


async def of_session(tx: Transaction, session_id: UUID) -> Mark:
    """Return the mark of a session and of the runs at work in it; () where there is none."""
    return await _mark(tx, OF_SESSION, session_id)


async def of_run(tx: Transaction, run_id: UUID) -> Mark:
    """Return the mark of a run and of its calls; () where there is none."""
    return await _mark(tx, OF_RUN, run_id)


async def of_graph(tx: Transaction, graph_id: UUID) -> Mark:
    """Return the mark of a Graph of Thoughts; () where there is none."""
    return await _mark(tx, OF_GRAPH, graph_id)


async def of_sessions(tx: Transaction) -> Mark:
    """Return the mark of all sessions."""
    row = await tx.first(OF_SESSIONS, {"owner": tx.owner, "space": tx.space})
    return tuple(row) if row else ()


async def of_runs(tx: Transaction) -> Mark:
    """Return the mark of the newest runs."""
    row = await tx.first(OF_RUNS, {"owner": tx.owner, "space": tx.space})
    return tuple(row) if row else ()


async def _mark(tx: Transaction, statement: Any, identifier: UUID) -> Mark:
    values = {"owner": tx.owner, "space": tx.space, "id": identifier}
    row = await tx.first(statement, values)
    return tuple(row) if row else ()
