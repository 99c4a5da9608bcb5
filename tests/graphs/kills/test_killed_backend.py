"""A run whose saved step meets a Postgres that dies is told to be tried again, and can be."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from reasonloom.errors import DatabaseUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.calls import call

WAITING = """SELECT pid FROM pg_stat_activity WHERE datname = current_database()
    AND wait_event_type = 'Lock' AND query ~* 'checkpoint'"""
ASKED = {"content": "What must we tell the restaurant?"}


async def end_who_waits(access: Access) -> None:
    """End the backend that waits to save a step, as a kill of another backend ends it."""
    connection = await psycopg.AsyncConnection.connect(access.admin, autocommit=True)
    async with connection, asyncio.timeout(60):
        while not (found := await (await connection.execute(WAITING)).fetchall()):
            await asyncio.sleep(0.02)
        await connection.execute("SELECT pg_terminate_backend(%s)", found[0])


async def test_a_step_that_meets_a_dying_backend_is_retryable_and_its_run_is_finished(
    engine: Engine, access: Access
) -> None:
    async with await psycopg.AsyncConnection.connect(access.admin) as holder:
        await holder.execute("LOCK TABLE checkpoints, checkpoint_writes IN ACCESS EXCLUSIVE MODE")
        asking = asyncio.create_task(call(engine, "reasoning_tree", ASKED, key="the key"))
        await end_who_waits(access)
        await holder.rollback()
        with pytest.raises(DatabaseUnavailable):
            await asking
    outcome = await call(engine, "reasoning_tree", ASKED, key="the key")
    assert outcome.answer["branches"]
