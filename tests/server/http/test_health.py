"""The page of readiness answers within three seconds, and every trouble is `not ready`."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import psycopg

from reasonloom.server.http.health import PATIENCE
from reasonloom.stores.access import Access
from reasonloom.stores.schema import newest_step
from tests.support.clients.processes import Web, environment, web
from tests.support.databases.postgres import TestPostgres

SLACK = 1.5
"""Seconds that a busy machine may add."""
UNKNOWN_STEP = "UPDATE reasonloom.alembic_version SET version_num = '0013x'"
NEWEST_STEP = "UPDATE reasonloom.alembic_version SET version_num = %s"


def ready(server: Web) -> tuple[int, float]:
    """Ask once; return the status and the seconds until the answer."""
    begun = time.monotonic()
    page = server.url.removesuffix("/mcp") + "/readyz"
    answer = httpx.get(page, timeout=30, trust_env=False)
    return answer.status_code, time.monotonic() - begun


def becomes_ready(server: Web) -> None:
    """Wait until it is: an engine takes some seconds to open where the machine is busy."""
    until = time.monotonic() + 30
    while ready(server)[0] != 200:
        assert time.monotonic() < until, server.log
        time.sleep(0.1)


@contextmanager
def stopped(postgres: TestPostgres) -> Iterator[None]:
    """Stop every process of the worker's own server, and let them go on afterwards."""
    pid = postgres.server.status().pid
    assert pid
    first = psutil.Process(pid)
    processes = [first, *first.children(recursive=True)]
    try:
        for process in processes:
            os.kill(process.pid, signal.SIGSTOP)
        yield
    finally:
        for process in processes:
            os.kill(process.pid, signal.SIGCONT)


def test_a_database_that_hangs_is_told_in_time_to_all_who_ask(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    url = postgres.address.dsn("postgres", database)
    with web(environment(tmp_path, DATABASE_URL=url), tmp_path / "cwd") as server:
        becomes_ready(server)
        with stopped(postgres), ThreadPoolExecutor() as pool:
            asked = [pool.submit(ready, server) for _ in range(3)]
            time.sleep(1)
            asked.append(pool.submit(ready, server))
            told = [*(each.result() for each in asked), ready(server)]
        assert [status for status, _ in told] == [503] * 5
        assert max(seconds for _, seconds in told) < PATIENCE + SLACK
        becomes_ready(server)


def test_a_fault_nobody_thought_of_is_not_ready(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    with psycopg.connect(access.admin) as connection:
        connection.execute(UNKNOWN_STEP)
    url = postgres.address.dsn("postgres", database)
    with web(environment(tmp_path, DATABASE_URL=url), tmp_path / "cwd") as server:
        for _ in range(3):
            assert ready(server)[0] == 503
        assert "not ready: CommandError" in server.log
        with psycopg.connect(access.admin) as connection:
            connection.execute(NEWEST_STEP, (newest_step(),))
        becomes_ready(server)
