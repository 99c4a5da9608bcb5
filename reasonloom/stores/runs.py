"""Runs: one row for each tool call, what went in, what came out, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Select, func, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from reasonloom.stores.tables import LlmCall, Run

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

RUNNING, DONE, FAILED = "running", "done", "failed"
CANCELLED, INTERRUPTED = "cancelled", "interrupted"


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as stored; `latency_ms` in milliseconds, times aware."""

    id: UUID
    tool: str
    graph: str
    graph_version: int
    status: str
    input: dict[str, Any]
    space: str = ""
    output: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    session_id: UUID | None = None
    key: str | None = None
    client: str | None = None
    llm: str | None = None
    latency_ms: float | None = None
    created_at: datetime | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run's recorded calls cost so far."""

    calls: int
    tokens: int
    usd: float


async def begin(tx: Transaction, run: RunRow) -> bool:
    """Write a new run's row; False where its caller's key has begun another run already."""
    statement = upsert(Run).values(owner=tx.owner, **_given(run)).on_conflict_do_nothing()
    return await tx.first(statement.returning(Run.id)) is not None


async def record(tx: Transaction, run: RunRow) -> None:
    """Write a run's row: made where new, else given its outcome."""
    given = _given(run)
    outcome = {key: value for key, value in given.items() if key in OUTCOME}
    await tx.run(
        upsert(Run)
        .values(owner=tx.owner, **given)
        .on_conflict_do_update(index_elements=[Run.owner, Run.id], set_=outcome)
    )


def _given(run: RunRow) -> dict[str, Any]:
    values = {name: getattr(run, name) for name in RunRow.__slots__}
    return {key: value for key, value in values.items() if value is not None}


OUTCOME = ("status", "output", "error", "session_id", "llm", "latency_ms", "finished_at")
"""What a run learns after it began."""


async def interrupt(tx: Transaction, run_id: UUID, at: datetime) -> None:
    """Mark an unfinished run as one that nobody will carry on by itself."""
    await tx.run(
        update(Run)
        .where(Run.owner == tx.owner, Run.id == run_id, Run.status == RUNNING)
        .values(status=INTERRUPTED, finished_at=at)
    )


async def find(tx: Transaction, run_id: UUID) -> RunRow | None:
    """Return one run, None where this owner has none such."""
    return _row(await tx.first(_rows(tx).where(Run.id == run_id)))


async def find_by_key(tx: Transaction, tool: str, key: str) -> RunRow | None:
    """Return the run that a caller's idempotency key began."""
    return _row(await tx.first(_rows(tx).where(Run.tool == tool, Run.key == key)))


async def newest(tx: Transaction, limit: int) -> list[RunRow]:
    """Return the newest runs, newest first."""
    rows = await tx.all(_rows(tx).order_by(Run.created_at.desc()).limit(limit))
    return [run for run in map(_row, rows) if run]


async def spent(tx: Transaction, run_id: UUID) -> Spent:
    """Return what the run's recorded calls cost."""
    row = await tx.first(
        select(
            func.count().label("calls"),
            func.coalesce(func.sum(LlmCall.tokens_in + LlmCall.tokens_out), 0).label("tokens"),
            func.coalesce(func.sum(LlmCall.cost_usd), 0).label("usd"),
        ).where(LlmCall.owner == tx.owner, LlmCall.run_id == run_id)
    )
    return Spent(int(row.calls), int(row.tokens), float(row.usd)) if row else Spent(0, 0, 0.0)


async def calls_of(tx: Transaction, run_ids: Sequence[UUID]) -> dict[UUID, list[dict[str, Any]]]:
    """Return for each run the prompts, models, tokens and cost of its recorded calls."""
    rows = await tx.all(
        select(LlmCall)
        .with_only_columns(*LlmCall.__table__.columns)
        .where(LlmCall.owner == tx.owner, LlmCall.run_id.in_(run_ids))
        .order_by(LlmCall.created_at)
    )
    found: dict[UUID, list[dict[str, Any]]] = {run_id: [] for run_id in run_ids}
    for row in rows:
        found[row.run_id].append(dict(row._mapping))
    return found


def _rows(tx: Transaction) -> Select[Any]:
    columns = [getattr(Run, name) for name in RunRow.__slots__]
    return select(*columns).where(Run.owner == tx.owner)


def _row(row: Any) -> RunRow | None:
    return RunRow(**row._mapping) if row else None
