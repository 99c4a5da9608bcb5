"""Lists of runs: by tool and status with their cost, ponder runs, and monitored calls."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

LONGEST = 400
"""Characters of a problem that a list shows."""

SQL = load(__file__, longest=LONGEST)


class ListedRun(NamedTuple):
    """A run with the cost of its calls; `usd` is None where prices are unknown."""

    id: UUID
    tool: str
    status: str
    llm: str | None
    session_id: UUID | None
    created_at: datetime
    latency_ms: float | None
    origin: str | None
    calls: int
    tokens: int | None
    usd: float | None


async def page(tx: Transaction, tool: str, status: str, size: int, skip: int) -> list[ListedRun]:
    """Return runs, newest first; "" means any tool or any status."""
    values = {"tool": tool, "status": status, "size": size, "skip": skip}
    return await tx.rows(ListedRun, SQL.page, values)


async def count(tx: Transaction, tool: str, status: str) -> int:
    """Return the number of such runs."""
    return await tx.number(SQL.count, {"tool": tool, "status": status})


async def tools(tx: Transaction) -> list[str]:
    """Return the names of the tools that were called."""
    return await tx.column(SQL.tools)


class ListedPonder(NamedTuple):
    """A run of parallel thinking; `problem` is "" if it was redacted."""

    id: UUID
    status: str
    llm: str | None
    problem: str
    insights: int
    conflicts: int
    created_at: datetime


async def ponder_page(tx: Transaction, size: int, skip: int) -> list[ListedPonder]:
    """Return the runs of parallel thinking, newest first."""
    return await tx.rows(ListedPonder, SQL.ponder_page, {"size": size, "skip": skip})


async def ponder_count(tx: Transaction) -> int:
    """Return the number of runs of parallel thinking."""
    return await tx.number(SQL.ponder_count)


@dataclass(frozen=True, slots=True)
class MonitoredCall:
    """When a call was made, and the biases it reported, as stored."""

    at: datetime
    biases: list[dict[str, Any]]


async def last_monitored(
    tx: Transaction, *, tool: str, space: str, client: str | None, before: datetime, limit: int
) -> list[MonitoredCall]:
    """Return the caller's monitored calls of a tool that succeeded, newest first.

    Forks are trials, not calls.
    """
    values = {"tool": tool, "space": space, "client": client, "before": before, "limit": limit}
    rows = await tx.all(SQL.last_monitored, values)
    return [MonitoredCall(row.created_at, row.output["answer"]["biases"]) for row in rows]
