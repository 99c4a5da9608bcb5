"""Queries of pages across domains: totals, the newest rows, and marks that detect changes."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import TextClause

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.memories import NOT_PAST
from reasonloom.stores.statements import load


class Overview(NamedTuple):
    """Counts of a space."""

    sessions: int
    memories: int
    graphs: int
    projects: int
    models: int


async def read_overview(tx: Transaction) -> Overview:
    """Return the counts of the space, without hidden memories and chunks of past conversations."""
    row = await tx.first(SQL.read)
    return Overview._make(row) if row else Overview(0, 0, 0, 0, 0)


LONGEST = 200
"""Characters read of a text to label it."""
SQL = load(__file__, longest=LONGEST, not_past=NOT_PAST)


class Latest(NamedTuple):
    """A row of a listing: its id, its kind, a text and when it was written."""

    id: str
    kind: str
    about: str
    at: datetime


async def latest_memories(tx: Transaction, most: int) -> list[Latest]:
    """Return the newest memories, without chunks of past conversations."""
    return await _newest(tx, SQL.memories, most)


async def latest_thoughts(tx: Transaction, most: int) -> list[Latest]:
    """Return the newest thoughts."""
    return await _newest(tx, SQL.thoughts, most)


async def latest_runs(tx: Transaction, most: int) -> list[Latest]:
    """Return the newest runs; the text of each is its status."""
    return await _newest(tx, SQL.runs, most)


async def _newest(tx: Transaction, statement: TextClause, most: int) -> list[Latest]:
    return await tx.rows(Latest, statement, {"most": most})


Mark = tuple[Any, ...]
"""Equal marks mean that nothing changed in between."""


async def session_mark(tx: Transaction, session_id: UUID) -> Mark:
    """Return the mark of a session and its active runs; () if there is none."""
    return await _mark(tx, SQL.of_session, session_id)


async def run_mark(tx: Transaction, run_id: UUID) -> Mark:
    """Return the mark of a run and its calls; () if there is none."""
    return await _mark(tx, SQL.of_run, run_id)


async def graph_mark(tx: Transaction, graph_id: UUID) -> Mark:
    """Return the mark of a Graph of Thoughts; () if there is none."""
    return await _mark(tx, SQL.of_graph, graph_id)


async def sessions_mark(tx: Transaction) -> Mark:
    """Return the mark of all sessions."""
    row = await tx.first(SQL.of_sessions)
    return tuple(row) if row else ()


async def runs_mark(tx: Transaction) -> Mark:
    """Return the mark of the newest runs."""
    row = await tx.first(SQL.of_runs)
    return tuple(row) if row else ()


async def _mark(tx: Transaction, statement: Any, identifier: UUID) -> Mark:
    row = await tx.first(statement, {"id": identifier})
    return tuple(row) if row else ()
