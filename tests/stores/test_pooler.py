"""A pooler in transaction mode between us and Postgres: any session serves any owner."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from sqlalchemy import text

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import SettingMistake
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access, find_access
from reasonloom.stores.database import Database
from tests.graphs.runs.test_engine import ScriptedLlm, thought
from tests.support.calls import call, recalled, remember
from tests.support.databases.postgres import TestPostgres

PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
needs_pgbouncer = pytest.mark.skipif(PGBOUNCER is None, reason="no pgbouncer is installed")
SESSIONS = 3
OWNERS = [f"owner {number}" for number in range(2 * SESSIONS)]
WHOSE = text(
    "SELECT current_user AS role, current_setting('app.owner') AS owner,"
    " current_setting('statement_timeout') AS most, pg_backend_pid() AS session"
)
CONFIG = """
[databases]
* = host={server} port={port}
[pgbouncer]
listen_port = 6432
listen_addr =
unix_socket_dir = {folder}
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = {sessions}
logfile = {folder}/log
"""


@pytest.fixture
def pooler(postgres: TestPostgres) -> Iterator[Path]:
    """The folder of the socket of a running PgBouncer."""
    assert PGBOUNCER
    server = postgres.address.socket_dir
    with tempfile.TemporaryDirectory(prefix="rlpool", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        config = CONFIG.format(
            server=server, port=postgres.address.port, folder=folder, sessions=SESSIONS
        )
        (folder / "users").write_text('"postgres" ""\n')
        (folder / "config").write_text(config)
        user = server.stat().st_uid
        shutil.chown(folder, user)
        process = subprocess.Popen([PGBOUNCER, folder / "config"], user=user or None)
        try:
            wait_for(folder / ".s.PGSQL.6432", process)
            yield folder
        finally:
            process.kill()
            process.wait()


def wait_for(socket: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until the pooler listens."""
    end = time.monotonic() + 30
    while not socket.exists():
        assert process.poll() is None, "it has ended"
        assert time.monotonic() < end, "it does not listen"
        time.sleep(0.02)


@pytest.fixture
async def pooled(pooler: Path, postgres: TestPostgres, database: str) -> Access:
    url = postgres.address.dsn("postgres", database)
    settings = load_settings(
        database_url=url, pooler_url=f"postgresql://postgres@/{database}?host={pooler}&port=6432"
    )
    return await find_access(settings)


@needs_pgbouncer
async def test_every_transaction_is_its_owner_s_and_the_app_s(pooled: Access) -> None:
    database = Database(pooled)

    async def seen(owner: str) -> tuple[str, str, str]:
        async with database.begin(Caller(owner)) as tx:
            row = await tx.one(WHOSE)
        sessions.add(row.session)
        return row.role, row.owner, row.most

    sessions: set[int] = set()
    for _ in range(5):
        found = await asyncio.gather(*(seen(owner) for owner in OWNERS))
        assert found == [("reasonloom_app", owner, "1min") for owner in OWNERS]
    assert len(sessions) <= SESSIONS
    await database.close()
    assert pooled.pooler
    with psycopg.connect(pooled.pooler) as connection:
        left = connection.execute("SELECT current_user, current_setting('app.owner', true)")
        assert left.fetchone() == ("postgres", "")


def test_options_of_the_user_are_set_in_each_transaction() -> None:
    options = r"-c timezone=Europe/Berlin -capplication_name=my\ app's --app.x=1.5 -c role=b"
    access = Access("", make_conninfo(host="h", options=options), pooler="host=p")
    (opening,) = access.opening
    for setting in ("'timezone', 'Europe/Berlin'", "'application_name', 'my app''s'",
                    "'app.x', '1.5'", "'role', 'b'"):  # fmt: skip
        assert f"set_config({setting}, true)" in opening


@needs_pgbouncer
async def test_owners_remember_recall_and_reason_at_once(
    pooled: Access, embedder: Embedder
) -> None:
    async def used(owner: str) -> None:
        fact = f"The key of {owner} hangs behind the door."
        for _ in range(4):  # statements that are executed often would be prepared
            await remember(engine, fact, owner=owner)
            assert await recalled(engine, "Where is the key?", owner=owner) == [fact]
        answer = await call(engine, "reasoning_linear", {"content": "Where now?"}, owner=owner)
        assert answer.answer["content"] == "Home."

    llm = ScriptedLlm(*(thought("Home.") for _ in OWNERS))
    async with open_engine(
        load_settings(), access=pooled, llm=llm, embedder=embedder, recover=False
    ) as engine:
        await asyncio.gather(*map(used, OWNERS))


async def test_a_pooler_needs_a_way_past_it() -> None:
    with pytest.raises(SettingMistake, match="DATABASE_URL"):
        await find_access(load_settings(pooler_url="postgresql://localhost/x"))
    with pytest.raises(SettingMistake, match="DATABASE_POOLER_URL: must be postgresql://"):
        url = "postgresql://localhost/x"
        await find_access(load_settings(database_url=url, pooler_url="pgbouncer:6432"))
