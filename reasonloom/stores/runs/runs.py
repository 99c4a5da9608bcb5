"""Runs: one row for each tool call, what went in, what came out, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, Uuid, bindparam, func, select, text, update
from sqlalchemy.dialects.postgresql import JSONB

from reasonloom.stores.tables import LlmCall, Run

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


RUNNING, DONE, FAILED = "running", "done", "failed"
CANCELLED, INTERRUPTED = "cancelled", "interrupted"


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as stored; `latency_ms` in milliseconds, times aware.

    `fork` is of a run that was forked: its origin's id, the node, and the prompts' versions.
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
    """What a run's calls of language models have cost so far."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


COLUMNS = (
    "owner", "id", "space", "tool", "graph", "graph_version", "status", "input", "output",
    "error", "session_id", "key", "client", "llm", "latency_ms", "created_at", "finished_at",
    "fork",
)  # fmt: skip
IDS = (bindparam("id", type_=Uuid), bindparam("session_id", type_=Uuid))
OBJECTS = (
    bindparam("output", type_=JSONB(none_as_null=True)),
    bindparam("error", type_=JSONB(none_as_null=True)),
)
FORK = bindparam("fork", type_=JSONB(none_as_null=True))
WHOLE_ROW = (*IDS, *OBJECTS, FORK, bindparam("input", type_=JSONB))
INSERT = (
    f"INSERT INTO runs ({', '.join(COLUMNS)}) "  # noqa: S608 - names of columns, no values
    f"VALUES ({', '.join(':' + name for name in COLUMNS)})"
)
OUTCOME = """
status = :status, output = :output, error = :error, llm = coalesce(:llm, llm),
session_id = coalesce(:session_id, session_id), latency_ms = :latency_ms,
finished_at = :finished_at
"""
WHOLE = text(f"{INSERT} ON CONFLICT DO NOTHING").bindparams(*WHOLE_ROW)
OPEN = text(f"""
WITH begun AS ({INSERT} ON CONFLICT DO NOTHING RETURNING id)
INSERT INTO leases (owner, run_id, holder, until)
SELECT :owner, id, :holder, clock_timestamp() + make_interval(secs => :seconds) FROM begun
""").bindparams(*WHOLE_ROW)  # noqa: S608
CLOSE = text(f"""
WITH held AS (SELECT id FROM runs WHERE owner = :owner AND id = :id FOR UPDATE),
    freed AS (DELETE FROM leases l USING held WHERE l.owner = :owner AND l.run_id = held.id)
UPDATE runs SET {OUTCOME} FROM held
WHERE owner = :owner AND runs.id = held.id AND status <> 'done'
""").bindparams(*IDS, *OBJECTS)  # noqa: S608
"""Locks the run before its lease, as `TAKE_UP` does, so that neither waits for the other."""

TAKE_UP = text("""
WITH held AS (SELECT id, status FROM runs WHERE owner = :owner AND id = :id FOR UPDATE),
    taken AS (
        INSERT INTO leases (owner, run_id, holder, until)
        SELECT :owner, id, :holder, clock_timestamp() + make_interval(secs => :seconds)
        FROM held WHERE status <> 'done'
        ON CONFLICT (owner, run_id) DO UPDATE SET holder = :holder, until = excluded.until
            WHERE leases.until < clock_timestamp()
        RETURNING run_id)
UPDATE runs SET status = 'running', error = NULL, latency_ms = NULL, finished_at = NULL
FROM taken WHERE owner = :owner AND runs.id = taken.run_id
""").bindparams(bindparam("id", type_=Uuid))


async def open_run(tx: Transaction, run: RunRow, holder: UUID, seconds: float) -> bool:
    """Write a new run's row and its carrier's lease.

    Returns False where the caller's key has begun another run already.
    """
    return await tx.run(OPEN, {**_values(tx, run), "holder": holder, "seconds": seconds}) == 1


async def record(tx: Transaction, run: RunRow) -> bool:
    """Write a run's whole row at once; False where its key belongs to another run."""
    return await tx.run(WHOLE, _values(tx, run)) == 1


async def take_up(tx: Transaction, run_id: UUID, holder: UUID, seconds: float) -> bool:
    """Take the lease of a run that is not done and that nobody carries; False where it is not."""
    values = {"owner": tx.owner, "id": run_id, "holder": holder, "seconds": seconds}
    return await tx.run(TAKE_UP, values) == 1


async def close_run(tx: Transaction, run: RunRow) -> None:
    """Give an unfinished run its outcome, and its lease back; a run that is done stays so."""
    await tx.run(CLOSE, _values(tx, run))


def _values(tx: Transaction, run: RunRow) -> dict[str, Any]:
    return {"owner": tx.owner, **{name: getattr(run, name) for name in RunRow.__slots__}}


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
    return Spent(int(row.calls), int(row.tokens), float(row.usd)) if row else Spent()


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


USED = text("""
WITH day AS (
    SELECT r.created_at AS begun, sum(c.tokens_in + c.tokens_out) AS tokens,
        coalesce(sum(c.cost_usd), 0) AS usd
    FROM runs r JOIN llm_calls c ON c.owner = r.owner AND c.run_id = r.id
    WHERE r.owner = :owner AND r.created_at > :since GROUP BY r.id, r.created_at),
summed AS (
    SELECT begun, sum(tokens) OVER newest AS tokens, sum(usd) OVER newest AS usd
    FROM day WINDOW newest AS (ORDER BY begun DESC))
SELECT coalesce(max(tokens), 0), coalesce(max(usd), 0),
    max(begun) FILTER (WHERE tokens >= CAST(:tokens AS bigint)),
    max(begun) FILTER (WHERE usd >= CAST(:usd AS double precision))
FROM summed
""")
"""Sums from the newest run on: the run at which a sum reaches its limit holds it shut, and when
that one is a day old, what was begun after it is below the limit."""


class DailyUse(NamedTuple):
    """Tokens and US dollars of runs begun since a moment, as far as prices are known.

    `tokens_by` and `usd_by` are when the run began without which the limit would not be reached;
    None where it is not.
    """

    tokens: int
    usd: float
    tokens_by: datetime | None
    usd_by: datetime | None


async def daily_use(
    tx: Transaction, since: datetime, *, tokens: int | None, usd: float | None
) -> DailyUse:
    """Return what the owner's runs begun after `since` have used, beside limits of it."""
    values = {"owner": tx.owner, "since": since, "tokens": tokens, "usd": usd}
    ((in_tokens, in_usd, tokens_by, usd_by),) = await tx.tuples(USED, values)
    return DailyUse(int(in_tokens), float(in_usd), tokens_by, usd_by)
