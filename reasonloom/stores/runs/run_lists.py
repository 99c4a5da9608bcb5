"""Runs as a list shows them: a page of them, by tool and status, with what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import select, text

from reasonloom.stores.runs.runs import DONE
from reasonloom.stores.tables import Run

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


CHOSEN = """
owner = :owner AND space = :space AND (:tool = '' OR tool = :tool)
    AND (:status = '' OR status = :status)
"""
PAGE = text(f"""
SELECT r.id, r.tool, r.status, r.llm, r.session_id, r.created_at, r.latency_ms,
    r.fork ->> 'origin', c.calls, c.tokens, c.usd
FROM (SELECT * FROM runs WHERE {CHOSEN} ORDER BY created_at DESC, id LIMIT :size OFFSET :skip) r
LEFT JOIN LATERAL (SELECT count(*) AS calls, sum(tokens_in + tokens_out) AS tokens,
    sum(cost_usd) AS usd FROM llm_calls c WHERE c.owner = r.owner AND c.run_id = r.id) c ON true
ORDER BY r.created_at DESC, r.id
""")  # noqa: S608 - our own condition, no values
COUNT = text(f"SELECT count(*) FROM runs WHERE {CHOSEN}")  # noqa: S608 - as above
TOOLS = text("""
WITH RECURSIVE named AS (
    SELECT min(tool) AS tool FROM runs WHERE owner = :owner AND space = :space
    UNION ALL
    SELECT (SELECT min(tool) FROM runs r
        WHERE r.owner = :owner AND r.space = :space AND r.tool > named.tool)
    FROM named WHERE named.tool IS NOT NULL
)
SELECT tool FROM named WHERE tool IS NOT NULL
""")


class ListedRun(NamedTuple):
    """One run with what its calls of language models cost; `usd` is None where nobody knows."""

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
    """Return runs, the newest first; "" stands for every tool and every status."""
    values = {**_chosen(tx, tool, status), "size": size, "skip": skip}
    return [ListedRun(*row) for row in await tx.tuples(PAGE, values)]


async def count(tx: Transaction, tool: str, status: str) -> int:
    """Return how many there are in all."""
    row = await tx.first(COUNT, _chosen(tx, tool, status))
    return int(row[0]) if row else 0


async def tools(tx: Transaction) -> list[str]:
    """Return the names of the tools that were called."""
    return [row[0] for row in await tx.tuples(TOOLS, {"owner": tx.owner, "space": tx.space})]


def _chosen(tx: Transaction, tool: str, status: str) -> dict[str, str]:
    return {"owner": tx.owner, "space": tx.space, "tool": tool, "status": status}


LONGEST = 400
PONDER_RUNS = """
owner = :owner AND space = :space
    AND (tool = 'ponder' OR tool = 'think' AND input ->> 'mode' = 'parallel')
"""
PONDER_PAGE = text(f"""
SELECT id, status, llm, left(coalesce(input ->> 'problem', ''), {LONGEST}),
    jsonb_array_length(coalesce(output #> '{{answer,insights}}', '[]')),
    jsonb_array_length(coalesce(output #> '{{answer,conflicts}}', '[]')), created_at
FROM runs WHERE {PONDER_RUNS} ORDER BY created_at DESC, id LIMIT :size OFFSET :skip
""")  # noqa: S608 - our own condition and number, no values
PONDER_COUNT = text(f"SELECT count(*) FROM runs WHERE {PONDER_RUNS}")  # noqa: S608 - as above


class ListedPonder(NamedTuple):
    """One such run; `problem` is "" where it was redacted."""

    id: UUID
    status: str
    llm: str | None
    problem: str
    insights: int
    conflicts: int
    created_at: datetime


async def ponder_page(tx: Transaction, size: int, skip: int) -> list[ListedPonder]:
    """Return such runs, the newest first."""
    values = {"owner": tx.owner, "space": tx.space, "size": size, "skip": skip}
    return [ListedPonder(*row) for row in await tx.tuples(PONDER_PAGE, values)]


async def ponder_count(tx: Transaction) -> int:
    """Return how many there are in all."""
    row = await tx.first(PONDER_COUNT, {"owner": tx.owner, "space": tx.space})
    return int(row[0]) if row else 0


@dataclass(frozen=True, slots=True)
class MonitoredCall:
    """When a call was made, and the biases that it told of, as stored."""

    at: datetime
    biases: list[dict[str, Any]]


async def last_monitored(
    tx: Transaction, *, tool: str, space: str, client: str | None, before: datetime, limit: int
) -> list[MonitoredCall]:
    """Return the caller's newest monitored calls of a tool that ended well, newest first.

    Forks are trials, not calls.
    """
    rows = await tx.all(
        select(Run.created_at, Run.output)
        .where(
            Run.owner == tx.owner,
            Run.tool == tool,
            Run.space == space,
            Run.client.is_not_distinct_from(client),
            Run.status == DONE,
            Run.fork.is_(None),
            Run.created_at < before,
            Run.input["monitorContinuously"].as_boolean(),
        )
        .order_by(Run.created_at.desc())
        .limit(limit)
    )
    return [MonitoredCall(row.created_at, row.output["answer"]["biases"]) for row in rows]
