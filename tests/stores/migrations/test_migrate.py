"""A database is brought up to date whoever dies on the way, or the reason why not is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from reasonloom.errors import DatabaseUnavailable, SettingMistake
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access, find_access
from reasonloom.stores.health import examine
from reasonloom.stores.migrate import bring_up_to_date, schema_status
from reasonloom.stores.provisioning import LOCK
from reasonloom.stores.schema import fitness, newest_step
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres

STOP_AT = """
CREATE FUNCTION public.stop_here() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    IF current_query() LIKE '%{words}%' THEN PERFORM pg_sleep(60); END IF;
END $$;
CREATE EVENT TRIGGER stop_here ON ddl_command_start EXECUTE FUNCTION public.stop_here()
"""
REFUSE_EXTENSION = """
CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'no such file' USING ERRCODE = '{sqlstate}';
END $$;
CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE EXTENSION')
EXECUTE FUNCTION public.refuse()
"""
ASLEEP = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = %s"
SHUT = """
SELECT count(*) FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
WHERE c.relname IN ('checkpoints', 'checkpoint_blobs', 'checkpoint_writes')
AND c.relrowsecurity AND c.relforcerowsecurity
"""


@pytest.fixture
def bare(postgres: TestPostgres) -> Iterator[str]:
    """The name of a database in which nothing is made yet."""
    with postgres.empty() as name:
        execute(postgres, "postgres", f"CREATE DATABASE {name} TEMPLATE template0")
        yield name


@pytest.fixture
def login(postgres: TestPostgres, bare: str) -> Iterator[str]:
    """A login that is no superuser but may make schemas in `bare`."""
    name = f"login_{uuid.uuid4().hex[:8]}"
    execute(postgres, bare, f"CREATE ROLE {name} LOGIN; GRANT CREATE ON DATABASE {bare} TO {name}")
    yield name
    execute(postgres, bare, f"DROP OWNED BY {name} CASCADE; DROP ROLE {name}")


def execute(postgres: TestPostgres, database: str, statements: str) -> None:
    with psycopg.connect(dsn(postgres, database), autocommit=True) as connection:
        connection.execute(statements.encode())


def dsn(postgres: TestPostgres, database: str, user: str = "postgres") -> str:
    return postgres.address.dsn(user, database)


async def own(postgres: TestPostgres, database: str, user: str = "postgres") -> Access:
    """Return the ways in that `DATABASE_URL` gives."""
    return await find_access(load_settings(database_url=dsn(postgres, database, user)))


@pytest.mark.parametrize(
    "words", ["CREATE TABLE alembic_version", "owners_rows ON checkpoint_writes", "thoughts"]
)
async def test_whoever_is_killed_on_the_way_leaves_a_database_that_is_mended(
    postgres: TestPostgres, bare: str, tmp_path: Path, words: str
) -> None:
    execute(postgres, bare, STOP_AT.format(words=words))
    child = subprocess.Popen(
        [sys.executable, "-m", "reasonloom", "db", "upgrade"],
        env=environment(tmp_path, DATABASE_URL=dsn(postgres, bare)),
        cwd=tmp_path,
    )
    with psycopg.connect(dsn(postgres, bare), autocommit=True) as connection:
        until = time.monotonic() + 30
        while not connection.execute(ASLEEP, ("PgSleep",)).fetchall():
            assert time.monotonic() < until, "the upgrade never came there"
            time.sleep(0.05)
        os.kill(child.pid, signal.SIGKILL)
        child.wait(10)
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )
        connection.execute("DROP EVENT TRIGGER stop_here")
        access = await own(postgres, bare)
        assert not (await schema_status(access)).up_to_date
        assert not (await bring_up_to_date(access)).up_to_date
        assert (await schema_status(access)).current == newest_step()
        connection.execute("SET search_path TO reasonloom")
        assert connection.execute(SHUT.encode()).fetchone() == (3,)


async def test_a_process_that_holds_the_lock_is_not_waited_for_for_ever(
    postgres: TestPostgres, bare: str
) -> None:
    with psycopg.connect(dsn(postgres, bare), autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        with pytest.raises(DatabaseUnavailable, match=r"another process .* try again"):
            await bring_up_to_date(await own(postgres, bare), patience=0.3)
    await bring_up_to_date(await own(postgres, bare), patience=10)


async def test_a_locked_schema_table_is_not_waited_for_for_ever(access: Access) -> None:
    with psycopg.connect(access.admin) as holder:
        holder.execute("LOCK TABLE alembic_version IN ACCESS EXCLUSIVE MODE")
        for look in (schema_status, bring_up_to_date):
            with pytest.raises(DatabaseUnavailable, match="busy"):
                await look(access)
    assert (await schema_status(access)).up_to_date


async def test_a_login_that_lacks_the_role_is_told_the_grant(
    postgres: TestPostgres, bare: str, login: str
) -> None:
    access = await own(postgres, bare, login)
    for look in (bring_up_to_date, schema_status, examine):
        with pytest.raises(SettingMistake) as caught:
            await look(access)
        assert f"`GRANT reasonloom_app TO {login}`" in caught.value.message
        assert caught.value.field == "DATABASE_URL"
    execute(postgres, bare, f"GRANT reasonloom_app TO {login}")
    with pytest.raises(SettingMistake, match="run CREATE EXTENSION vector"):
        await bring_up_to_date(access)
    execute(postgres, bare, "CREATE EXTENSION vector")
    await bring_up_to_date(access)
    assert (await schema_status(access)).up_to_date
    assert all(well for _, well, _ in await examine(access))


async def test_another_login_of_a_finished_database_is_told_the_grant(
    postgres: TestPostgres, bare: str, login: str
) -> None:
    await bring_up_to_date(await own(postgres, bare))
    access = await own(postgres, bare, login)
    with pytest.raises(SettingMistake, match=f"GRANT reasonloom_app TO {login}"):
        await bring_up_to_date(access)
    execute(postgres, bare, f"GRANT reasonloom_app TO {login}")
    assert (await bring_up_to_date(access)).up_to_date


@pytest.mark.parametrize("sqlstate", ["58P01", "0A000", "42501"])
async def test_a_missing_extension_is_told(
    postgres: TestPostgres, bare: str, sqlstate: str
) -> None:
    execute(postgres, bare, REFUSE_EXTENSION.format(sqlstate=sqlstate))
    with pytest.raises(SettingMistake) as caught:
        await bring_up_to_date(await own(postgres, bare))
    assert "install pgvector on the server" in caught.value.message
    assert "administrator run CREATE EXTENSION vector" in caught.value.message


async def test_a_login_that_may_make_nothing_is_told(
    postgres: TestPostgres, bare: str, login: str
) -> None:
    execute(postgres, bare, f"REVOKE CREATE ON DATABASE {bare} FROM {login}")
    execute(postgres, bare, f"GRANT reasonloom_app TO {login}")
    with pytest.raises(SettingMistake, match="reasonloom db upgrade"):
        await bring_up_to_date(await own(postgres, bare, login))


async def test_an_old_pgvector_is_refused_also_by_the_doctor(
    postgres: TestPostgres, database: str
) -> None:
    execute(
        postgres, database, "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'"
    )
    access = await own(postgres, database)
    for look in (bring_up_to_date, examine):
        with pytest.raises(SettingMistake, match=r"pgvector 0\.7\.4.*pgvector 0\.8 or newer"):
            await look(access)


@pytest.mark.parametrize(
    ("postgres_number", "vector", "well"),
    [(160_000, "0.8.0", True), (180_001, "1.0", True), (150_009, "0.8.0", False),
     (160_004, "0.7.4", False), (160_004, "0.10", True), (160_004, None, True)],
)  # fmt: skip
def test_versions_are_compared_as_numbers(
    postgres_number: int, vector: str | None, well: bool
) -> None:
    assert fitness(postgres_number, vector)[1] is well


def test_the_doctor_does_not_send_to_the_doctor(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "reasonloom", "doctor", "--json"],
        env=environment(tmp_path, DATABASE_URL="postgresql://u:hushhush@127.0.0.1:9/none"),
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "the database could not be reached" in done.stdout
    assert "reasonloom doctor" not in done.stdout
