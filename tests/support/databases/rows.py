"""Counts what an owner has in every table that knows owners, but for saved steps."""

from __future__ import annotations

import asyncio

import psycopg

from reasonloom.stores.access import Access
from tests.support.databases.wire_protocol import SAVED_STEPS

Census = dict[str, int]
"""Rows by table; `views` is the sum of the bits of the sectors that vectors are views of."""

RUNS, CALLS, LEASES, VIEWS = "runs", "llm_calls", "leases", "views"
TABLES = """SELECT table_name FROM information_schema.columns
    WHERE table_schema = 'reasonloom' AND column_name = 'owner' AND table_name <> ALL (%s)
    ORDER BY table_name"""
COUNT = "SELECT count(*) FROM {table} WHERE owner = %s"
SUM = "SELECT coalesce(sum(sectors), 0) FROM embeddings WHERE owner = %s"
STRAY = """SELECT count(*) FROM checkpoints WHERE split_part(thread_id, '/', 1) = %s
    AND split_part(thread_id, '/', 2) NOT IN (SELECT id::text FROM runs WHERE owner = %s)"""
AT_WORK = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = %s"""


def census(access: Access, owner: str) -> Census:
    """Return how many rows an owner has in each table."""
    with psycopg.connect(access.admin) as connection:
        names = connection.execute(TABLES, (list(SAVED_STEPS),)).fetchall()
        query = " UNION ALL ".join(
            f"SELECT '{name}', ({COUNT.format(table=name)})" for (name,) in names
        )
        query += f" UNION ALL SELECT '{VIEWS}', ({SUM})"
        found = connection.execute(query.encode(), [owner] * (len(names) + 1)).fetchall()
    return {str(name): int(count) for name, count in found}


def counted(access: Access, table: str, owner: str) -> int:
    """Return how many rows an owner has in one table."""
    with psycopg.connect(access.admin) as connection:
        query = COUNT.format(table=table)
        return int(connection.execute(query.encode(), (owner,)).fetchall()[0][0])


def effects(rows: Census) -> Census:
    """Return the rows that a run writes for its caller's sake."""
    return {name: count for name, count in rows.items() if name not in (RUNS, CALLS, LEASES)}


def stray_steps(access: Access, owner: str) -> int:
    """Return how many saved steps an owner has of runs that are not there."""
    with psycopg.connect(access.admin) as connection:
        return int(connection.execute(STRAY.encode(), (owner, owner)).fetchall()[0][0])


async def no_longer_at_work(access: Access, application: str) -> None:
    """Wait until Postgres has ended the connections of a process that is dead."""
    connection = await psycopg.AsyncConnection.connect(access.admin, autocommit=True)
    async with connection, asyncio.timeout(10):
        while (await (await connection.execute(AT_WORK, (application,))).fetchall())[0][0]:
            await asyncio.sleep(0.01)
