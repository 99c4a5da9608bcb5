"""Runs of the past that have cost something, as a database holds them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.runs import replies, runs
from reasonloom.stores.runs.replies import CallKey, RecordedCall

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def hours_ago(hours: float) -> datetime:
    return NOW - timedelta(hours=hours)


async def spend(
    engine: Engine,
    owner: str,
    hours: float,
    *calls: tuple[int, float | None],
    key: str | None = None,
) -> UUID:
    """Record a run begun so long ago with calls of so many tokens and dollars each."""
    run = runs.RunRow(uuid4(), "t", "linear", 1, runs.DONE, {}, hours_ago(hours), key=key)
    async with engine.loom.database.begin(Caller(owner)) as tx:
        await runs.record(tx, run)
        for n, (tokens, usd) in enumerate(calls):
            place = CallKey(run.id, "node", "0", n)
            call = RecordedCall(
                place, "p", 1, "h", "llm", "m", {}, tokens - 1, 1, False, usd, 1, 1.0, []
            )  # fmt: skip
            await replies.record(tx, call)
    return run.id
