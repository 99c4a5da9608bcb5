"""Runs as a list shows them: a page of them, by tool and status, with what they cost."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import text

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
