"""Lists of runs: by tool and status with their cost, ponder runs, and monitored calls."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.runs.runs import RunRow
from reasonloom.stores.statements import columns, load

LONGEST = 400
"""Characters of a problem that a list shows."""

SQL = load(__file__, longest=LONGEST, run_columns=columns(RunRow, "r"))


class ListedRun(NamedTuple):
    """A run with the cost of its calls; `usd` is None where prices are unknown.

    `subject` is the start of the main text of its input, "" if it has none or was redacted.
    """

    id: UUID
    tool: str
    status: str
    llm: str | None
    session_id: UUID | None
    created_at: datetime
    latency_ms: float | None
    origin: str | None
    subject: str
    calls: int
    tokens: int | None
    usd: float | None


class RunFilter(NamedTuple):
    """Selects the runs to list; "" sets no condition, `words` is a substring of the subject."""

    tool: str = ""
    status: str = ""
    words: str = ""


async def page(tx: Transaction, chosen: RunFilter, size: int, skip: int) -> list[ListedRun]:
    """Return the runs that match the filter, newest first."""
    values = {**chosen._asdict(), "size": size, "skip": skip}
    return await tx.rows(ListedRun, SQL.page, values)


async def of_tools(
    tx: Transaction,
    tools: Collection[str],
    *,
    since: datetime | None,
    after: UUID | None,
    limit: int,
) -> list[RunRow]:
    """Return the owner's runs of tools in all spaces, newest first.

    Only those begun at or after `since`, and older than the run `after`.
    """
    values = {"tools": list(tools), "since": since, "after": after, "limit": limit}
    return await tx.rows(RunRow, SQL.of_tools, values)


async def count(tx: Transaction, chosen: RunFilter) -> int:
    """Return the number of such runs."""
    return await tx.number(SQL.count, chosen._asdict())


class RunTotal(NamedTuple):
    """How many runs of a tool have a status."""

    tool: str
    status: str
    runs: int


async def totals(tx: Transaction) -> list[RunTotal]:
    """Return the number of runs of each tool and status."""
    return await tx.rows(RunTotal, SQL.totals)


class DailyUsage(NamedTuple):
    """Calls of language models on a day (UTC); `usd` is None where no price is known."""

    day: date
    calls: int
    tokens: int
    usd: float | None


async def usage(tx: Transaction, days: int) -> list[DailyUsage]:
    """Return the usage of the last days that have any, oldest first."""
    return await tx.rows(DailyUsage, SQL.usage, {"days": days})


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
