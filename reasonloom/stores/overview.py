"""How much of everything a space holds."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

from reasonloom.stores.memory.memories import NOT_PAST

if TYPE_CHECKING:
    from sqlalchemy import TextClause

    from reasonloom.stores.database import Transaction


READ = text("""
SELECT
    (SELECT count(*) FROM sessions WHERE owner = :owner AND space = :space),
    (SELECT count(*) FROM memories WHERE owner = :owner AND space = :space
        AND deleted_at IS NULL AND source_kind <> 'transcript'),
    (SELECT count(*) FROM thought_graphs g
        JOIN sessions s ON s.owner = g.owner AND s.id = g.session_id
        WHERE g.owner = :owner AND s.space = :space),
    (SELECT count(*) FROM projects WHERE owner = :owner),
    (SELECT count(*) FROM models WHERE owner = :owner)
""")


class Overview(NamedTuple):
    """Counts of a space."""

    sessions: int
    memories: int
    graphs: int
    projects: int
    models: int


async def read_overview(tx: Transaction) -> Overview:
    """Return the counts of the caller's space; hidden memories and past chunks are none."""
    row = await tx.first(READ, {"owner": tx.owner, "space": tx.space})
    return Overview._make(row) if row else Overview(0, 0, 0, 0, 0)


LONGEST = 200
"""Characters of a text that are read to name it by."""

MEMORIES = text(f"""
SELECT 'mem-' || id, sector, left(content, {LONGEST}), created_at FROM memories
WHERE owner = :owner AND space = :space AND deleted_at IS NULL AND {NOT_PAST}
ORDER BY created_at DESC, id DESC LIMIT :most
""")  # noqa: S608 - our own condition and number, no values
THOUGHTS = text(f"""
SELECT t.id::text, t.mode, left(t.content, {LONGEST}), t.created_at FROM thoughts t
JOIN sessions s ON s.owner = t.owner AND s.id = t.session_id
WHERE t.owner = :owner AND s.space = :space ORDER BY t.created_at DESC, t.id LIMIT :most
""")  # noqa: S608 - as above
RUNS = text("""
SELECT id::text, tool, status, coalesce(finished_at, created_at) FROM runs
WHERE owner = :owner AND space = :space ORDER BY created_at DESC, id LIMIT :most
""")


class Latest(NamedTuple):
    """One row of a listing: its id, of what kind it is, what it says, when it was written."""

    id: str
    kind: str
    about: str
    at: datetime


async def latest_memories(tx: Transaction, most: int) -> list[Latest]:
    """Return the memories that were stored last; chunks of past conversations are none."""
    return await _newest(tx, MEMORIES, most)


async def latest_thoughts(tx: Transaction, most: int) -> list[Latest]:
    """Return the thoughts that were stored last."""
    return await _newest(tx, THOUGHTS, most)


async def latest_runs(tx: Transaction, most: int) -> list[Latest]:
    """Return the runs that began last; each is about how it stands."""
    return await _newest(tx, RUNS, most)


async def _newest(tx: Transaction, statement: TextClause, most: int) -> list[Latest]:
    values = {"owner": tx.owner, "space": tx.space, "most": most}
    return [Latest(*row) for row in await tx.tuples(statement, values)]


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


async def session_mark(tx: Transaction, session_id: UUID) -> Mark:
    """Return the mark of a session and of the runs at work in it; () where there is none."""
    return await _mark(tx, OF_SESSION, session_id)


async def run_mark(tx: Transaction, run_id: UUID) -> Mark:
    """Return the mark of a run and of its calls; () where there is none."""
    return await _mark(tx, OF_RUN, run_id)


async def graph_mark(tx: Transaction, graph_id: UUID) -> Mark:
    """Return the mark of a Graph of Thoughts; () where there is none."""
    return await _mark(tx, OF_GRAPH, graph_id)


async def sessions_mark(tx: Transaction) -> Mark:
    """Return the mark of all sessions."""
    row = await tx.first(OF_SESSIONS, {"owner": tx.owner, "space": tx.space})
    return tuple(row) if row else ()


async def runs_mark(tx: Transaction) -> Mark:
    """Return the mark of the newest runs."""
    row = await tx.first(OF_RUNS, {"owner": tx.owner, "space": tx.space})
    return tuple(row) if row else ()


async def _mark(tx: Transaction, statement: Any, identifier: UUID) -> Mark:
    values = {"owner": tx.owner, "space": tx.space, "id": identifier}
    row = await tx.first(statement, values)
    return tuple(row) if row else ()
