"""Restoring is the way back to an older version, and what is refused has changed nothing."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg.conninfo import conninfo_to_dict

from reasonloom.errors import Conflict, DatabaseFull, DatabaseUnavailable, InvalidArgument
from reasonloom.stores.access import Access
from reasonloom.stores.backup.catalog import BUSY
from reasonloom.stores.backup.file_format import open_backup
from reasonloom.stores.backup.restore import restore
from reasonloom.stores.health import examine
from reasonloom.stores.migrate import bring_up_to_date, schema_status
from reasonloom.stores.schema import newest_step
from tests.stores.backup.test_backup import DUMP, an_edge_to_nowhere, unheard, written_anew
from tests.support.clients.fork_server import program
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import rows_of, schema_of
from tests.support.databases.versions import as_of, make_newer, version_before

OLD = "0013"
WAITING = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE \
d.datname = current_database() AND NOT l.granted"
NO_ROOM = """
CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full';
END $$;
CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE TABLE')
EXECUTE FUNCTION public.refuse()
"""


def do(access: Access, statements: str) -> None:
    with psycopg.connect(access.admin) as connection:
        connection.execute(statements.encode())


@pytest.fixture
def filled(postgres: TestPostgres) -> Iterator[Access]:
    """The ways into a database that holds what the dump holds."""
    with postgres.clone() as name:
        access = postgres.access(name)
        asyncio.run(restore(access, DUMP, unheard))
        yield access


async def test_a_backup_takes_the_place_of_what_a_newer_version_has_made(filled: Access) -> None:
    rows, schema = rows_of(filled.admin), schema_of(filled.admin)
    make_newer(filled)
    newer = schema_of(filled.admin)
    with pytest.raises(Conflict, match=r"schema 9999.*--yes replaces all"):
        await restore(filled, DUMP, unheard)
    assert schema_of(filled.admin) == newer
    await restore(filled, DUMP, unheard, replace=True)
    assert (await schema_status(filled)).up_to_date
    assert (rows_of(filled.admin), schema_of(filled.admin)) == (rows, schema)
    make_newer(filled)  # nothing of it was left that would stand in its way


async def test_an_empty_database_of_a_newer_version_is_not_taken_back_unasked(
    access: Access,
) -> None:
    make_newer(access)
    with pytest.raises(Conflict, match="schema 9999"):
        await restore(access, DUMP, unheard)


@pytest.mark.parametrize("owner", ["somebody", None])
async def test_a_refused_restore_leaves_the_schema_at_its_step(
    owner: str | None, access: Access, tmp_path: Path
) -> None:
    as_of(access, OLD)
    before = schema_of(access.admin)
    file, replace = written_anew(tmp_path / "f", an_edge_to_nowhere), owner is None
    if owner:
        do(access, f"INSERT INTO owners (owner) VALUES ('{owner}')")
    with pytest.raises((Conflict, InvalidArgument)):
        await restore(access, file, unheard, replace=replace)
    assert (await schema_status(access)).current == OLD
    assert [row for row in schema_of(access.admin) if not row[1].startswith("checkpoint")] == before
    assert owner is None or schema_of(access.admin) == before
    await bring_up_to_date(access)


async def test_tables_of_saved_steps_are_brought_up_to_date(filled: Access) -> None:
    newest = len(PostgresSaver.MIGRATIONS) - 1
    do(filled, "DELETE FROM checkpoint_migrations WHERE v > 5")
    with pytest.raises(Conflict, match="not empty"):
        await restore(filled, DUMP, unheard)
    with psycopg.connect(filled.admin) as connection:
        query = "SELECT max(v) FROM checkpoint_migrations"
        assert connection.execute(query).fetchone() == (5,)
        connection.rollback()
        await restore(filled, DUMP, unheard, replace=True)
        assert connection.execute(query).fetchone() == (newest,)


def test_the_version_before_restores_its_backup(
    filled: Access, postgres: TestPostgres, tmp_path: Path
) -> None:
    before, newest = version_before(tmp_path / "before"), newest_step()
    url = postgres.address.dsn("postgres", str(conninfo_to_dict(filled.admin)["dbname"]))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*program(), *arguments],
            env=environment(tmp_path, DATABASE_URL=url, PYTHONPATH=str(before)),
            cwd=before, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    told = run("doctor", "--json")
    assert told.returncode == 1
    assert f"schema {newest}, newest" in told.stdout
    assert "update reasonloom" in told.stdout
    done = run("restore", "--yes", str(DUMP))
    assert (done.returncode, done.stderr) == (0, "")
    status = run("db", "status")
    assert status.returncode == 0
    assert newest not in status.stdout


async def test_a_database_of_a_newer_version_is_told_as_broken(access: Access) -> None:
    make_newer(access)
    (found, *_) = await examine(access)
    assert found == (f"schema 9999, newest {newest_step()}", False, "update reasonloom")


async def test_a_server_that_writes_meanwhile_is_to_be_stopped(filled: Access) -> None:
    rows = rows_of(filled.admin)
    with psycopg.connect(filled.admin) as server:
        server.execute("SET deadlock_timeout = '1min'")  # so that the other one is given up
        server.execute("UPDATE thoughts SET content = content")
        work = asyncio.create_task(restore(filled, DUMP, unheard, replace=True))
        with psycopg.connect(filled.admin, autocommit=True) as watch:
            until = time.monotonic() + 8
            while watch.execute(WAITING).fetchone() == (0,):
                assert time.monotonic() < until, "nobody waits"
                await asyncio.sleep(0.02)
        await asyncio.to_thread(server.execute, "UPDATE basins SET name = name")
        with pytest.raises(DatabaseUnavailable) as told:
            await work
        server.rollback()
    assert told.value.message == BUSY
    assert rows_of(filled.admin) == rows


async def test_a_disk_without_room_is_told(access: Access) -> None:
    do(access, NO_ROOM)
    with pytest.raises(DatabaseFull, match="no room left"):
        await restore(access, DUMP, unheard, replace=True)
    assert (await schema_status(access)).up_to_date


def test_only_a_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    for name in (".", "/dev/zero", "pipe", str(tmp_path)):
        with pytest.raises(InvalidArgument) as told:
            open_backup(Path(name))
        assert told.value.message == f"{Path(name).name or name}: not a file"
    with pytest.raises(InvalidArgument, match="none: cannot be read"):
        open_backup(Path("none"))
