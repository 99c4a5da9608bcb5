"""Every memory tool against every kind of grant: who has no right is told and changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.places import Place
from reasonloom.errors import Conflict, UnknownName
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.sharing import administration
from reasonloom.nodes.sharing.administration import administering
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.unowned import unowned
from tests.support.isolation.shared_spaces import (
    ADDERS,
    READERS,
    RIGHTS,
    SECRETS,
    SPACES,
    WRITERS,
    attempt,
    settle,
)

pytestmark = pytest.mark.timeout(600)
SHORT, LONG = 300, 5_000
OWNER_OF = {space: space.split("/notes")[0].removeprefix("user/") for space in SPACES}
SPACE_OF = {space: "notes" if space.endswith("notes") else "" for space in SPACES}
OWN_TABLES = ("runs", "thoughts", "llm_calls", "items", "chunks", "leases", "questions")
INSERT = """
INSERT INTO memories (owner, id, space, event_type, sector, content, salience, importance,
    token_count, source_kind, principal, tool, effect, decay_rate, words)
VALUES ({owner}, 900, {space}, 'fact', 'semantic', 'c', 1, 1, 1, 'user', 'x', {tool},
    gen_random_uuid(), 0, '')
"""


@asynccontextmanager
async def without_clauses(
    postgres: TestPostgres, database: str, embedder: Embedder
) -> AsyncIterator[Engine]:
    """Open an engine whose statements lose their conditions on the owner on their way."""
    with unowned(postgres.address.socket, database) as (proxy, url):
        settings = load_settings(llm="offline", database_url=url)
        async with open_engine(settings, embedder=embedder, recover=False) as engine:
            yield engine
    assert len(proxy.statements) > 30


async def test_nobody_gets_more_than_was_granted(engine: Engine, access: Access) -> None:
    await settle(engine)
    done = await attempt(engine, 30, SHORT, access.admin)
    assert done.leaks == []
    assert done.made >= SHORT
    assert done.answered > SHORT / 4


async def test_row_level_security_alone_keeps_to_the_grants(
    engine: Engine, access: Access, postgres: TestPostgres, database: str, embedder: Embedder
) -> None:
    await settle(engine)
    async with without_clauses(postgres, database, embedder) as bare:
        done = await attempt(bare, 31, SHORT, access.admin)
    assert done.leaks == []


@pytest.mark.parametrize("clauses", [True, False])
async def test_thousands_of_crossed_calls_leak_nothing(
    engine: Engine,
    access: Access,
    postgres: TestPostgres,
    database: str,
    embedder: Embedder,
    *,
    clauses: bool,
) -> None:
    await settle(engine)
    if clauses:
        done = await attempt(engine, 7, LONG, access.admin)
    else:
        async with without_clauses(postgres, database, embedder) as bare:
            done = await attempt(bare, 8, LONG, access.admin)
    assert done.made >= LONG
    assert done.leaks == []


async def test_a_leak_would_be_seen(engine: Engine, access: Access) -> None:
    """The calls do find what is there: with rights for all, those without any are told."""
    await settle(engine)
    with psycopg.connect(access.admin) as connection:
        connection.execute(
            "CREATE OR REPLACE FUNCTION rights_on(host text, place text) RETURNS text[] "
            "LANGUAGE sql STABLE AS $$ SELECT ARRAY['admin'] $$"
        )
    done = await attempt(engine, 30, SHORT, access.admin)
    assert any("told" in leak for leak in done.leaks)
    assert any("changed" in leak for leak in done.leaks)


async def test_the_database_itself_keeps_to_the_grants(engine: Engine, access: Access) -> None:
    """The app's role with a host and no condition at all: each right gives what it says."""
    await settle(engine)
    await call(engine, "reasoning_linear", {"content": "What is the vault?"}, owner="anna")
    for person in RIGHTS:
        for space, word in SECRETS.items():
            with psycopg.connect(access.app) as connection:
                bind(connection, person, space)
                seen = connection.execute("SELECT content FROM memories").fetchall()
                assert len(seen) == (3 if person in READERS else 0), (person, space)
                assert all(word in content for (content,) in seen)
                for table in OWN_TABLES:
                    rows = connection.execute(f"SELECT owner FROM {table}".encode()).fetchall()
                    assert {owner for (owner,) in rows} <= {person}, (person, table)
                changed = connection.execute("UPDATE memories SET strength = 1").rowcount
                assert changed == (3 if person in WRITERS else 0), (person, space)
                gone = connection.execute("DELETE FROM memories").rowcount
                assert gone == (3 if person in WRITERS else 0), (person, space)
                connection.rollback()
            assert inserts(access, person, space, "remember") == (person in WRITERS)
            assert inserts(access, person, space, "memory_promote") == (person in ADDERS)


def bind(connection: psycopg.Connection, person: str, space: str) -> None:
    for name, value in (("owner", person), ("host", OWNER_OF[space]), ("space", SPACE_OF[space])):
        connection.execute("SELECT set_config(%s, %s, true)", (f"app.{name}", value))


def inserts(access: Access, person: str, space: str, tool: str) -> bool:
    """Return whether the database lets a person store a memory."""
    values = {"owner": OWNER_OF[space], "space": SPACE_OF[space], "tool": tool}
    quoted = {name: f"'{value}'" for name, value in values.items()}
    with psycopg.connect(access.app) as connection:
        bind(connection, person, space)
        try:
            connection.execute(INSERT.format(**quoted).encode())
        except psycopg.errors.InsufficientPrivilege:
            return False
        finally:
            connection.rollback()
    return True


async def test_the_log_is_append_only(engine: Engine, access: Access) -> None:
    await settle(engine)
    for statement in (b"UPDATE audit_log SET principal = 'x'", b"DELETE FROM audit_log"):
        with psycopg.connect(access.app) as connection:
            connection.execute("SELECT set_config('app.owner', 'anna', true)")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


async def test_another_process_sees_a_revocation_at_its_next_call(
    engine: Engine, access: Access, settings: Settings, embedder: Embedder
) -> None:
    await settle(engine)
    asks = {"text": "the code of the vault", "spaces": ["user/anna/notes"]}
    revoked = {"space": "me/notes", "from": "read"}
    granted = {"space": "me/notes", "to": "read", "rights": ["read"]}
    async with open_engine(settings, access=access, embedder=embedder, recover=False) as second:
        for _ in range(20):
            assert (await call(second, "recall", asks, owner="read")).answer["memories"]
            await call(engine, "space_revoke", revoked, owner="anna")
            with pytest.raises(UnknownName):
                await call(second, "recall", asks, owner="read")
            await call(engine, "space_grant", granted, owner="anna")


async def test_a_space_that_is_not_there_answers_as_one_that_is_not_shared(engine: Engine) -> None:
    await settle(engine)
    told = []
    for name in ("user/anna/notes", "user/anna/none", "user/nobody/notes", "team/none"):
        with pytest.raises(UnknownName) as refused:
            await call(engine, "recall", {"text": "vault", "spaces": [name]}, owner="none")
        told.append(refused.value.message.replace(name, "SPACE"))
    assert len(set(told)) == 1


GRANTED = b"INSERT INTO grants VALUES ('anna', 'diary', 'ben', '{read}', 'ben', now())"
LOGGED = b"""INSERT INTO audit_log (owner, at, principal, action, tool, space)
VALUES ('anna', now(), 'ben', 'read', 'recall', 'diary')"""
REGRANTED = b"UPDATE grants SET rights = '{admin}' WHERE space = 'diary'"


async def test_an_admin_of_one_space_administers_no_other(engine: Engine, access: Access) -> None:
    """Ben has `admin` on Anna's notes and `read` on her diary."""
    anna, loom = Caller("anna"), engine.loom
    for space, person, right in (
        ("notes", "ben", "admin"), ("diary", "carl", "read"), ("diary", "ben", "read"),
    ):  # fmt: skip
        with suppress(Conflict):
            await administration.create_space(loom, anna, space)
        async with administering(loom, anna, Place(None, space), "test") as opened:
            await opened.grant(person, [right])
    names = (
        "SELECT space, grantee FROM grants ORDER BY 1, 2",
        "SELECT DISTINCT space FROM audit_log",
    )
    with psycopg.connect(access.app) as connection:
        bind(connection, "ben", "user/anna/notes")
        seen, logged = (connection.execute(each.encode()).fetchall() for each in names)
        assert seen == [("diary", "ben"), ("notes", "ben")]
        assert logged == [("notes",)]
        assert connection.execute(b"SELECT space FROM spaces").fetchall() == [("notes",)]
    for statement in (GRANTED, LOGGED, REGRANTED):
        with psycopg.connect(access.app) as connection:
            bind(connection, "ben", "user/anna/notes")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


async def test_an_admin_of_a_teams_other_space_sees_no_members(
    engine: Engine, access: Access
) -> None:
    anna, loom = Caller("anna"), engine.loom
    await administration.create_team(loom, anna, "payments")
    await administration.create_space(loom, anna, "team/payments/notes")
    notes = Place("team/payments", "notes")
    async with administering(loom, anna, notes, "test") as opened:
        await opened.grant("ben", ["admin"])
    async with administering(loom, Caller("ben"), notes, "test") as opened:
        await opened.grant("carl", ["read"])
        await opened.revoke("carl")
    for person, space, found in (("ben", "notes", 0), ("anna", "", 1)):
        with psycopg.connect(access.app) as connection:
            bind(connection, person, f"team/payments/{space}".rstrip("/"))
            others = b"SELECT FROM memberships WHERE owner = 'team/payments'"
            assert len(connection.execute(others).fetchall()) == found
