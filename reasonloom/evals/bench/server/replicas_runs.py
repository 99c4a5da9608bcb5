"""Watches in the database how the runs of a replica that was killed come to their end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from reasonloom.evals.bench.server.replica_load import Flight
    from reasonloom.stores.access import Access

BIND = "SELECT set_config('app.owner', %s, true), set_config('app.space', '', true)"
RUNS = "SELECT key, status, finished_at FROM runs WHERE owner = %s AND key = ANY(%s)"
PAUSE = 0.2


@dataclass(frozen=True, slots=True)
class Ends:
    """What became of runs: seconds from the kill to the end of each, how many are not done.

    `begun` counts those that had a row; the others' calls had left nothing to finish.
    """

    seconds: list[float]
    begun: int
    left: int


async def ends_of(
    access: Access, flights: Mapping[str, Flight], killed_at: datetime, patience: float
) -> Ends:
    """Wait until every run of the keys is done, at most `patience` seconds."""
    until = time.monotonic() + patience
    async with await psycopg.AsyncConnection.connect(access.app) as connection:
        while True:
            rows = await _rows(connection, flights)
            late = [row for row in rows if row["finished_at"] is None or
                    row["finished_at"] > killed_at]  # fmt: skip
            left = [row for row in late if row["status"] != "done"]
            if not left or time.monotonic() > until:
                seconds = [
                    (row["finished_at"] - killed_at).total_seconds()
                    for row in late
                    if row["status"] == "done"
                ]
                return Ends(seconds, len(late), len(left))
            await asyncio.sleep(PAUSE)


async def _rows(
    connection: psycopg.AsyncConnection[Any], flights: Mapping[str, Flight]
) -> list[dict[str, Any]]:
    """Return key, state and end of the runs that the keys have begun."""
    keys: dict[str, list[str]] = {}
    for key, flight in flights.items():
        keys.setdefault(flight.owner, []).append(key)
    found = []
    for owner, own in keys.items():
        async with connection.transaction():
            await connection.execute(BIND, (owner,))
            cursor = await connection.execute(RUNS, (owner, own))
            found += [
                dict(zip(("key", "status", "finished_at"), row, strict=True))
                for row in await cursor.fetchall()
            ]
    return found
