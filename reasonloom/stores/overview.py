"""Queries of pages across domains: totals, the newest rows, and marks that detect changes."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import TextClause

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.memories import NOT_PAST
from reasonloom.stores.statements import load


class Overview(NamedTuple):
    """Counts of a space; sessions are those with thoughts."""

    sessions: int
    memories: int
    graphs: int
    projects: int
    models: int


async def read_overview(tx: Transaction) -> Overview:
    """Return the counts of the space, without hidden memories and chunks of past conversations."""
    (counts,) = await tx.rows(Overview, SQL.read)
    return counts


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
    return await tx.rows(Latest, SQL.memories, {"most": most})


async def latest_thoughts(tx: Transaction, most: int) -> list[Latest]:
    """Return the newest thoughts."""
    return await tx.rows(Latest, SQL.thoughts, {"most": most})


async def latest_runs(tx: Transaction, most: int) -> list[Latest]:
    """Return the newest runs; the text of each is its status."""
    return await tx.rows(Latest, SQL.runs, {"most": most})


Mark = tuple[Any, ...]
"""Equal marks mean that nothing changed in between."""


async def session_mark(tx: Transaction, session_id: UUID) -> Mark:
    """Return the mark of a session and its active runs; () if there is none."""
    return await _mark(tx, SQL.of_session, id=session_id)


async def run_mark(tx: Transaction, run_id: UUID) -> Mark:
    """Return the mark of a run and its calls; () if there is none."""
    return await _mark(tx, SQL.of_run, id=run_id)


async def graph_mark(tx: Transaction, graph_id: UUID) -> Mark:
    """Return the mark of a Graph of Thoughts; () if there is none."""
    return await _mark(tx, SQL.of_graph, id=graph_id)


async def sessions_mark(tx: Transaction) -> Mark:
    """Return the mark of all sessions."""
    return await _mark(tx, SQL.of_sessions)


async def runs_mark(tx: Transaction) -> Mark:
    """Return the mark of the newest runs."""
    return await _mark(tx, SQL.of_runs)


async def _mark(tx: Transaction, statement: TextClause, **values: UUID) -> Mark:
    return next(iter(await tx.tuples(statement, values)), ())
