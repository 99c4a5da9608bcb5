"""A server ends when it is asked to, and answers in time, whatever its database does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from mcp import Client

from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from reasonloom.stores.provisioning import LOCK
from tests.support.clients.processes import PATIENCE, Spoken, environment, spoken, web
from tests.support.databases.postgres import TestPostgres

RECALL = {"userId": "local", "text": "anything"}
OTHERS = (
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND query LIKE '%pg_try_advisory_lock%'"
)
"""The connections that ask for the lock, again and again."""


@pytest.fixture
def held_back(postgres: TestPostgres) -> Iterator[tuple[str, psycopg.Connection[object]]]:
    """The URL of an empty database, and the connection that lets nobody bring it up to date."""
    with postgres.empty() as name:
        with psycopg.connect(postgres.address.dsn("postgres", "postgres"), autocommit=True) as boss:
            boss.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        url = postgres.address.dsn("postgres", name)
        with psycopg.connect(url, autocommit=True) as holder:
            holder.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
            yield url, holder


def begin_to_open(server: Spoken, holder: psycopg.Connection[object]) -> None:
    """Let a thread of the server wait for the lock that the test holds."""
    params = {"name": "recall", "arguments": RECALL}
    server.send({"jsonrpc": "2.0", "id": "stuck", "method": "tools/call", "params": params})
    wait_for_lock_request(holder)


def wait_for_lock_request(holder: psycopg.Connection[object]) -> None:
    """Wait until a server has asked in vain for the lock that the test holds."""
    until = time.monotonic() + 2 * PATIENCE
    while not holder.execute(OTHERS).fetchall():
        assert time.monotonic() < until, "the server never asked for the lock"
        time.sleep(0.05)


def test_a_signal_ends_a_stdio_server_whose_thread_hangs(
    held_back: tuple[str, psycopg.Connection[object]], tmp_path: Path, folder: Path
) -> None:
    with spoken(environment(tmp_path / "home", DATABASE_URL=held_back[0]), folder) as server:
        begin_to_open(server, held_back[1])
        begun = time.monotonic()
        server.child.terminate()
        assert server.ended(9) == 0
        assert time.monotonic() - begun < 7


def test_a_signal_ends_an_http_server_whose_thread_hangs(
    held_back: tuple[str, psycopg.Connection[object]], tmp_path: Path, folder: Path
) -> None:
    with web(environment(tmp_path / "home", DATABASE_URL=held_back[0]), folder) as server:
        wait_for_lock_request(held_back[1])
        begun = time.monotonic()
        server.child.terminate()
        assert server.ended(9) == 0
        assert time.monotonic() - begun < 7


def test_the_end_of_stdin_ends_a_server_whose_thread_hangs(
    held_back: tuple[str, psycopg.Connection[object]], tmp_path: Path, folder: Path
) -> None:
    with spoken(environment(tmp_path / "home", DATABASE_URL=held_back[0]), folder) as server:
        begin_to_open(server, held_back[1])
        begun = time.monotonic()
        server.close_stdin()
        assert server.ended(14) == 0
        assert time.monotonic() - begun < 12


async def test_a_call_waits_its_time_for_the_engine_and_the_opening_goes_on(
    held_back: tuple[str, psycopg.Connection[object]],
) -> None:
    url, holder = held_back
    settings = load_settings(database_url=url, tool_timeout=1.0)
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        begun = time.monotonic()
        both = await asyncio.gather(*(client.call_tool("recall", RECALL) for _ in range(2)))
        assert 0.9 < time.monotonic() - begun < 10
        for slow in both:
            assert slow.is_error
            assert slow.structured_content
            assert slow.structured_content["error"] == "Timeout exceeded"
            assert slow.structured_content["retryable"] is True
        holder.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))
        await asyncio.wait_for(room.engine(), 60)
        assert not (await client.call_tool("recall", RECALL)).is_error
