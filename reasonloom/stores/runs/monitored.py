"""Earlier monitored calls, read from the rows of their runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from reasonloom.stores.runs.runs import DONE
from reasonloom.stores.tables import Run

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class MonitoredCall:
    """When a call was made, and the biases that it told of, as stored."""

    at: datetime
    biases: list[dict[str, Any]]


async def last(
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
