"""Statements of one moment make one round trip, and share how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores import pipelines
from reasonloom.stores.access import SCHEMA, Access
from reasonloom.stores.database import Database, Transaction
from reasonloom.stores.migrations.rls import APP_ROLE
from reasonloom.stores.pipelines import together
from tests.support.databases.postgres import TestPostgres
from tests.support.killing.guillotine import Guillotine, guillotine

ANNA, BEN = Caller("anna"), Caller("ben")
OWNER = text("SELECT current_setting('app.owner', true) AS owner")
WRONG = text("SELECT 1 / 0")
LONG = text("SELECT pg_sleep(60)")
WRITE = text("INSERT INTO spaces (owner, space) VALUES (:owner, 'attic')")
SPACES = text("SELECT count(*) FROM spaces")


@pytest.fixture
async def wire(postgres: TestPostgres) -> AsyncIterator[Guillotine]:
    async with guillotine(postgres.address) as blade:
        yield blade


@pytest.fixture
async def one(access: Access, wire: Guillotine, database: str) -> AsyncIterator[Database]:
    """A database with one connection, whose round trips are counted."""
    options = f"-c search_path={SCHEMA},public"
    conninfo = wire.conninfo(APP_ROLE, database, options)
    with psycopg.connect(access.admin) as admin:
        admin.execute("INSERT INTO owners (owner) VALUES ('anna'), ('ben')")
    made = Database(replace(access, app=conninfo), connections=1)
    async with made.begin(ANNA) as tx:
        await tx.one(OWNER)
    wire.reached.clear()
    yield made
    await made.close()


async def owner(tx: Transaction) -> str | None:
    found: str | None = (await tx.one(OWNER)).owner
    return found


async def twice(tx: Transaction) -> list[str | None]:
    return [await owner(tx), await owner(tx)]


async def test_the_first_statement_opens_its_transaction(one: Database, wire: Guillotine) -> None:
    for caller in (ANNA, BEN):
        async with one.begin(caller) as tx:
            assert await twice(tx) == [caller.owner] * 2
    assert wire.reached == ["read", "read", "commit"] * 2


async def test_statements_of_one_moment_go_together(one: Database, wire: Guillotine) -> None:
    async with one.begin(ANNA) as tx:
        first, second, third = await together(owner(tx), twice(tx), tx.number(SPACES))
    assert (first, second, third) == ("anna", ["anna", "anna"], 0)
    assert wire.reached == ["read", "read", "commit"]


async def test_statements_longer_than_the_socket_takes_go_out_whole(one: Database) -> None:
    length = text("SELECT length(:long)")
    long = "x" * 20_000_000
    async with asyncio.timeout(60), one.begin(ANNA) as tx:
        found = await together(*(tx.number(length, {"long": long}) for _ in range(2)))
    assert found == (len(long), len(long))


async def test_what_reads_once_is_one_round_trip(one: Database, wire: Guillotine) -> None:
    async with one.begin(BEN, once=True) as tx:
        assert await together(owner(tx), owner(tx)) == ("ben", "ben")
    assert wire.reached == ["read"]
    async with one.begin(BEN) as tx:
        assert await owner(tx) == "ben"


async def test_what_reads_once_reads_no_more(one: Database) -> None:
    with pytest.raises(psycopg.Error, match="is over"):
        async with one.begin(ANNA, once=True) as tx:
            await twice(tx)
    async with one.begin(BEN) as tx:
        assert await owner(tx) == "ben"


async def test_an_empty_transaction_notices_that_the_server_is_away(
    one: Database, wire: Guillotine
) -> None:
    async with one.begin(ANNA):
        pass
    assert wire.reached == ["read", "commit"]


@pytest.mark.parametrize("once", [False, True])
async def test_a_statement_that_fails_undoes_the_others(one: Database, once: bool) -> None:
    with pytest.raises(psycopg.Error, match="division by zero"):
        async with one.begin(ANNA, once=once) as tx:
            await together(tx.run(WRITE), tx.one(WRONG), owner(tx))
    async with one.begin(BEN) as tx:
        assert await owner(tx) == "ben"
    async with one.begin(ANNA) as tx:
        assert await tx.number(SPACES) == 0


async def test_what_comes_after_a_failure_fails_for_its_cause(one: Database) -> None:
    async def later() -> None:
        await asyncio.sleep(0.001)
        await owner(tx)

    with pytest.raises(psycopg.Error, match="division by zero"):
        async with one.begin(ANNA) as tx:
            await together(later(), tx.one(WRONG))


async def test_a_work_that_fails_ends_with_the_others(one: Database) -> None:
    ended = []

    async def fail() -> None:
        await owner(tx)
        raise LookupError

    async def go_on() -> None:
        ended.append(await twice(tx))

    with pytest.raises(LookupError):
        async with one.begin(ANNA) as tx:
            await together(fail(), go_on())
    assert ended == [["anna", "anna"]]


@pytest.mark.parametrize("once", [False, True])
async def test_cancelled_statements_leave_nothing(
    one: Database, access: Access, once: bool
) -> None:
    async def call() -> None:
        async with one.begin(ANNA, once=once) as tx:
            await together(tx.run(WRITE), tx.one(LONG), owner(tx))

    calling = asyncio.create_task(call())
    with psycopg.connect(access.admin, autocommit=True) as admin:
        while not sleeping(admin):
            await asyncio.sleep(0.01)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert not sleeping(admin)
    async with one.begin(ANNA) as tx:
        assert await tx.number(SPACES) == 0
    async with one.begin(BEN) as tx:
        assert await owner(tx) == "ben"


async def test_a_call_cancelled_before_it_sends_leaves_no_owner(access: Access) -> None:
    one = Database(access, connections=1)

    async def call() -> None:
        async with one.begin(ANNA) as tx:
            await together(owner(tx), owner(tx))

    for turns in range(12):
        calling = asyncio.create_task(call())
        for _ in range(turns):
            await asyncio.sleep(0)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        async with one.begin(BEN) as tx:
            assert await twice(tx) == ["ben", "ben"]
    await one.close()


async def test_a_connection_that_died_meanwhile_is_made_anew(access: Access) -> None:
    database = Database(access, connections=1)
    for _ in range(3):
        async with database.begin(ANNA) as tx:
            assert await together(owner(tx), owner(tx)) == ("anna", "anna")
        end(access)
    await database.close()


@pytest.mark.parametrize("once", [False, True])
async def test_a_connection_long_unused_is_tried_before_it_is_trusted(
    one: Database, wire: Guillotine, monkeypatch: pytest.MonkeyPatch, once: bool
) -> None:
    monkeypatch.setattr(pipelines, "FRESH", 0.0)
    async with one.begin(ANNA, once=once) as tx:
        assert await owner(tx) == "anna"
    assert wire.reached == ["read", "read"] if once else ["read", "read", "commit"]
    end(one.access)
    async with one.begin(ANNA, once=once) as tx:
        assert await owner(tx) == "anna"


async def test_a_connection_that_dies_under_statements_is_unavailable(
    one: Database, access: Access
) -> None:
    with pytest.raises(DatabaseUnavailable):
        async with one.begin(ANNA) as tx:
            await owner(tx)
            end(access)
            await together(owner(tx), owner(tx), owner(tx))
    async with one.begin(BEN) as tx:
        assert await owner(tx) == "ben"


def sleeping(admin: psycopg.Connection) -> list[tuple[object, ...]]:
    return admin.execute(
        "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' "
        "AND state = 'active' AND pid <> pg_backend_pid()"
    ).fetchall()


def end(access: Access) -> None:
    with psycopg.connect(access.admin, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE usename = 'reasonloom_app'"
        )
