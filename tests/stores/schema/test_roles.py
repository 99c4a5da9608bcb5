"""The database itself ends a statement that takes too long, a wait for a lock, and an idle hold."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import text

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseUnavailable, ReasonloomError
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access, find_access, limits
from reasonloom.stores.database import LOCKED, NOT_REACHED, TOO_SLOW, Database
from reasonloom.stores.health import examine
from tests.support.calls import call, remember
from tests.support.databases.postgres import TestPostgres

WHO = "SELECT current_user, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
STAMPS = "UPDATE reasonloom.alembic_version SET version_num = version_num"


async def test_a_superusers_login_steps_down(postgres: TestPostgres, database: str) -> None:
    url = postgres.address.dsn("postgres", database)
    access = await find_access(load_settings(database_url=url))
    with psycopg.connect(access.app) as connection:
        assert connection.execute(WHO).fetchone() == ("reasonloom_app", False, False)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(STAMPS)


TABLES = """SELECT table_name FROM information_schema.columns
    WHERE table_schema = 'reasonloom' AND column_name = 'owner' ORDER BY 1"""
FILLED = {"memories", "owners", "runs", "sessions", "spaces", "thoughts"}


async def test_with_a_superusers_login_foreign_rows_are_out_of_reach(
    postgres: TestPostgres, database: str, embedder: Embedder
) -> None:
    """No statement here names an owner: what holds is row-level security alone."""
    url = postgres.address.dsn("postgres", database)
    settings = load_settings(database_url=url)
    access = await find_access(settings)
    async with open_engine(settings, access=access, embedder=embedder, recover=False) as engine:
        for owner in ("anna", "ben"):
            await remember(engine, f"The lantern is {owner}'s.", owner=owner)
            await call(engine, "reasoning_linear", {"content": "Whose lantern?"}, owner=owner)
    with psycopg.connect(access.app) as app, psycopg.connect(url) as boss:
        tables = [str(name) for (name,) in boss.execute(TABLES).fetchall()]
        assert set(tables) > FILLED
        rows = {table: len(seen_by(boss, table)) for table in tables}
        app.execute("SELECT set_config('app.owner', 'ben', false)")
        for table in tables:
            owners = seen_by(app, table)
            assert set(owners) <= {"ben"}, table
            assert table not in FILLED or 0 < len(owners) < rows[table], table
        changed = app.execute("UPDATE memories SET content = content || '!'").rowcount
        assert changed == seen_by(app, "memories").count("ben")
        for statement in ("INSERT INTO owners (owner) VALUES ('cleo')", "SET row_security = off; "
                          "SELECT count(*) FROM memories"):  # fmt: skip
            with pytest.raises(psycopg.errors.InsufficientPrivilege), app.transaction():
                app.execute(statement.encode())
    advice = [found for found in await examine(access) if "not to its login" in found[0]]
    assert [well for _, well, _ in advice] == [None]
    embedded = await examine(postgres.access(database))
    assert ("row-level security applies to the application's role", True, "") in embedded


def seen_by(connection: psycopg.Connection[tuple[object, ...]], table: str) -> list[str]:
    """Return the owner of each row of a table that a connection sees."""
    query = f"SELECT owner FROM reasonloom.{table}"
    return [str(owner) for (owner,) in connection.execute(query.encode()).fetchall()]


ME = Caller("local")
SHORT, LONG = 0.4, 30.0
SLACK = 5.0
"""Seconds that a busy machine may add."""

SET = """
SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
    current_setting('idle_in_transaction_session_timeout')
"""


def bounded(
    access: Access, *, statement: float = LONG, lock: float = LONG, idle: float = LONG
) -> Access:
    """Return the same access with other bounds; the last of two options counts."""
    options = str(conninfo_to_dict(access.app)["options"])
    extra = f"{options} {limits(statement, lock, idle)}"
    return replace(access, app=make_conninfo(access.app, options=extra))


async def test_every_connection_of_the_app_is_bounded(
    postgres: TestPostgres, database: str
) -> None:
    url = postgres.address.dsn("postgres", database)
    settings = load_settings(database_url=url, statement_seconds=7.5)
    for access, seconds in (
        (postgres.access(database), "1min"),
        (await find_access(settings), "7500ms"),
    ):
        with psycopg.connect(access.app) as connection:
            assert connection.execute(SET).fetchone() == (seconds, "10s", "1min")
        with psycopg.connect(access.admin) as connection:  # a migration may take its time
            assert connection.execute(SET).fetchone() == ("0", "0", "0")


async def test_a_statement_that_takes_too_long_is_ended(access: Access) -> None:
    database = Database(bounded(access, statement=SHORT))
    begun = time.monotonic()
    with pytest.raises(DatabaseUnavailable) as told:
        async with database.begin(ME) as tx:
            await tx.run(text("SELECT pg_sleep(30)"))
    assert time.monotonic() - begun < SHORT + SLACK
    assert told.value.retryable
    assert told.value.message == TOO_SLOW
    async with database.begin(ME) as tx:
        assert await tx.first(text("SELECT 1")) == (1,)
    await database.close()


async def test_a_pattern_that_never_ends_is_ended(access: Access) -> None:
    database = Database(bounded(access, statement=SHORT))
    with pytest.raises(DatabaseUnavailable, match="took too long"):
        async with database.begin(ME) as tx:
            many = "SELECT count(*) FROM generate_series(1, 100000000) n WHERE CAST(n AS text) ~ :p"
            await tx.run(text(many), {"p": "^(1+)+2$"})
    await database.close()


async def test_a_lock_held_by_another_gives_a_call_that_can_be_made_again(
    access: Access, embedder: Embedder
) -> None:
    settings = load_settings(lease_seconds=30.0)
    limited = bounded(access, lock=SHORT)
    async with open_engine(settings, access=limited, embedder=embedder, recover=False) as engine:
        memory = await remember(engine, "The lamp is lit.")
        change = {"userId": "local", "memoryId": memory, "strength": 0.5}
        with psycopg.connect(access.admin) as holder:
            holder.execute("SELECT 1 FROM memories FOR UPDATE")
            begun = time.monotonic()
            with pytest.raises(ReasonloomError) as told:
                await call(engine, "update_memory", change)
            assert SHORT <= time.monotonic() - begun < SHORT + SLACK
        assert isinstance(told.value, DatabaseUnavailable)
        assert told.value.retryable
        assert told.value.message == LOCKED
        assert (await call(engine, "update_memory", change)).answer["memoryId"] == memory


async def test_a_transaction_that_lies_idle_is_ended_and_lets_go(access: Access) -> None:
    database = Database(bounded(access, idle=SHORT))
    with pytest.raises(DatabaseUnavailable) as told:
        async with database.begin(ME) as tx:
            await tx.run(text("LOCK TABLE owners"))
            with psycopg.connect(access.admin) as other:
                begun = time.monotonic()
                await asyncio.to_thread(other.execute, "LOCK TABLE owners")
                assert time.monotonic() - begun < SHORT + SLACK
            await tx.run(text("SELECT 1"))
    assert told.value.retryable
    assert told.value.message == NOT_REACHED
    async with database.begin(ME) as tx:
        assert await tx.first(text("SELECT 1")) == (1,)
    await database.close()
