"""Runs: one row per tool call with its input, outcome and cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import columns, load, parameters, values_of

RUNNING, DONE, FAILED = "running", "done", "failed"
CANCELLED, INTERRUPTED = "cancelled", "interrupted"
WAITING, ABANDONED = "waiting", "abandoned"


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as stored; `latency_ms` is in milliseconds, times are timezone-aware.

    `fork` is set for a fork: the id of its origin, the node, and the prompt versions.
    """

    id: UUID
    tool: str
    graph: str
    graph_version: int
    status: str
    input: dict[str, Any]
    created_at: datetime
    space: str = ""
    output: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    session_id: UUID | None = None
    key: str | None = None
    client: str | None = None
    llm: str | None = None
    latency_ms: float | None = None
    finished_at: datetime | None = None
    fork: dict[str, Any] | None = None


@dataclass(slots=True)
class Spent:
    """The cost of a run's language model calls so far."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


class DailyUse(NamedTuple):
    """Tokens and US dollars of the runs started since a given time, as far as prices are known.

    `tokens_by` and `usd_by` are the start of the run without which the limit would not be reached;
    None if it is not reached.
    """

    tokens: int
    usd: float
    tokens_by: datetime | None
    usd_by: datetime | None


SQL = load(__file__, columns=columns(RunRow), parameters=parameters(RunRow))


async def open_run(tx: Transaction, run: RunRow, holder: UUID, seconds: float) -> bool:
    """Insert a new run with its process's lease.

    Returns False if the caller's key already belongs to another run.
    """
    return await tx.run(SQL.open, {**values_of(run), "holder": holder, "seconds": seconds}) == 1


async def record(tx: Transaction, run: RunRow) -> bool:
    """Insert a finished run; return False if its key belongs to another run."""
    return await tx.run(SQL.insert, values_of(run)) == 1


async def take_up(tx: Transaction, run_id: UUID, holder: UUID, seconds: float) -> bool:
    """Take the lease of an unfinished run if no process holds it; return whether it was taken."""
    return await tx.run(SQL.take_up, {"id": run_id, "holder": holder, "seconds": seconds}) == 1


async def close_run(tx: Transaction, run: RunRow) -> None:
    """Store the outcome of an unfinished run and release its lease; a done run stays as it is."""
    await tx.run(SQL.close, values_of(run))


async def end_unfinished(
    tx: Transaction,
    run_id: UUID,
    status: str,
    at: datetime,
    *,
    expected: str = RUNNING,
    error: dict[str, Any] | None = None,
) -> bool:
    """End a run without an answer; return False if its status is not the expected one."""
    values = {"id": run_id, "status": status, "at": at, "expected": expected, "error": error}
    return await tx.run(SQL.end_unfinished, values) == 1


async def find(tx: Transaction, run_id: UUID) -> RunRow | None:
    """Return a run, None if the owner has no such run."""
    return await tx.row(RunRow, SQL.find, {"id": run_id})


async def find_by_key(tx: Transaction, tool: str, key: str) -> RunRow | None:
    """Return the run that a caller's idempotency key started."""
    return await tx.row(RunRow, SQL.find_by_key, {"tool": tool, "key": key})


async def newest(tx: Transaction, limit: int) -> list[RunRow]:
    """Return the newest runs, newest first."""
    return await tx.rows(RunRow, SQL.newest, {"limit": limit})


async def spent(tx: Transaction, run_id: UUID) -> Spent:
    """Return the cost of the run's recorded calls."""
    row = await tx.first(SQL.spent, {"id": run_id})
    return Spent(int(row.calls), int(row.tokens), float(row.usd)) if row else Spent()


async def calls_of(tx: Transaction, run_ids: Sequence[UUID]) -> dict[UUID, list[dict[str, Any]]]:
    """Return the recorded calls of each run with their prompts, models, tokens and cost."""
    found: dict[UUID, list[dict[str, Any]]] = {run_id: [] for run_id in run_ids}
    for row in await tx.all(SQL.calls, {"runs": list(run_ids)}):
        found[row.run_id].append(row._asdict())
    return found


async def daily_use(
    tx: Transaction, since: datetime, *, tokens: int | None, usd: float | None
) -> DailyUse:
    """Return the usage of the owner's runs started after `since`, with its limits."""
    values = {"since": since, "tokens": tokens, "usd": usd}
    ((in_tokens, in_usd, tokens_by, usd_by),) = await tx.tuples(SQL.daily_use, values)
    return DailyUse(int(in_tokens), float(in_usd), tokens_by, usd_by)
