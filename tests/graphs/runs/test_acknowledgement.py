"""What a call answered is stored with its run, in one transaction that has been committed."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from reasonloom.errors import ReasonloomError
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.calls import call, remember

FACT = {
    "content": "Green tea is in the tin.",
    "userId": "local",
    "sessionId": "s",
    "primarySector": "semantic",
}
SLOW = 0.3
"""Seconds that a commit takes: far more than an answer takes to come back to its caller."""

EARLIER = {"userId": "local", "memoryId": "mem-1"}

writes = pytest.mark.parametrize(
    ("tool", "arguments", "table"),
    [
        ("remember", FACT, "memories"),
        ("update_memory", {**EARLIER, "content": "The tin is empty."}, "memories"),
        ("forget", {**EARLIER, "soft": True}, "memories"),
        ("memory_add", {"event_type": "fact", "content": "The tin is blue."}, "memories"),
        ("session_start", {}, "sessions"),
        ("reasoning_linear", {"content": "Where is the tea?"}, "thoughts"),
        ("reasoning_got_init", {"content": "Where is the tea?"}, "thought_graphs"),
    ],
)


def seen(access: Access, query: str, *values: object) -> list[tuple[Any, ...]]:
    """Return what somebody else sees now; the engine stands still meanwhile, with its loop."""
    with psycopg.connect(access.admin) as connection:
        return connection.execute(query.encode(), values).fetchall()


def at_commit(access: Access, table: str, said: str) -> None:
    """Let every commit that wrote into a table do something first, in PL/pgSQL."""
    with psycopg.connect(access.admin) as connection:
        body = f"BEGIN {said}; RETURN NULL; END"
        connection.execute(
            f"CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$".encode()
        )
        connection.execute(
            f"CREATE CONSTRAINT TRIGGER late AFTER INSERT OR UPDATE ON {table} "
            "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late()".encode()
        )


@writes
async def test_a_write_and_its_run_are_stored_by_one_transaction(
    engine: Engine, access: Access, tool: str, arguments: dict[str, Any], table: str
) -> None:
    await remember(engine, "The tin stands on the shelf.")
    outcome = await call(engine, tool, arguments)
    query = f"SELECT status, xmin::text, (SELECT max(xmin::text::bigint)::text FROM {table}) "
    found = seen(access, query + "FROM runs WHERE id = %s", outcome.run_id)
    ((status, of_run, of_write),) = found
    assert status == "done"
    assert of_run == of_write, "the run was recorded by another transaction than its write"


@writes
async def test_a_slow_commit_is_waited_for(
    engine: Engine, access: Access, tool: str, arguments: dict[str, Any], table: str
) -> None:
    await remember(engine, "The tin stands on the shelf.")
    at_commit(access, "runs", f"PERFORM pg_sleep({SLOW})")
    outcome = await call(engine, tool, arguments)
    found = seen(access, "SELECT status FROM runs WHERE id = %s", outcome.run_id)
    assert found == [("done",)], "acknowledged, and not stored"


async def test_a_commit_that_fails_is_never_acknowledged(engine: Engine, access: Access) -> None:
    at_commit(access, "memories", "RAISE 'not today'")
    with pytest.raises(ReasonloomError) as told:
        await call(engine, "remember", FACT)
    assert "not today" not in told.value.message
    assert seen(access, "SELECT count(*) FROM memories") == [(0,)]
