"""Heavy calls over HTTP are carried out in a process of their own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest

from reasonloom.server.auth.token_file import append_entry, new_entry
from reasonloom.server.http.heavy_calls.lane import HEAVY_CHARACTERS, is_long
from tests.support.clients.processes import PATIENCE, Web, environment, web
from tests.support.databases.postgres import TestPostgres
from tests.support.isolation.owners import Bearer, token_for

WORDS = "The train of Friday was late because the signal failed, so nobody came home. "
LONG = {"problem": (WORDS * 2_000)[:100_000]}


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    return tmp_path / "tokens"


@pytest.fixture
def server(
    postgres: TestPostgres, database: str, tmp_path: Path, folder: Path, tokens: Path
) -> Iterator[Web]:
    token_for(tokens, "nobody")
    url = postgres.address.dsn("postgres", database)
    env = environment(
        tmp_path / "home",
        REASONLOOM_TOOLSETS="classic",
        DATABASE_URL=url,
        REASONLOOM_TOKENS=str(tokens),
    )
    with web(env, folder) as opened:
        yield opened


def owner(server: Web, tokens: Path, name: str) -> Bearer:
    return Bearer(server, token_for(tokens, name))


def worker_of(server: Web) -> psutil.Process:
    """Return the process for heavy calls, once there is one."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if found := server.process().children():
            return found[0]
        time.sleep(0.05)
    raise AssertionError("no process for heavy calls")


def seconds(process: psutil.Process) -> float:
    return sum(process.cpu_times()[:2])


def test_arguments_are_long_by_all_that_they_hold() -> None:
    assert not is_long({"text": "x" * (HEAVY_CHARACTERS - 10)})
    assert is_long({"text": "x" * HEAVY_CHARACTERS})
    assert is_long({"a": [{"b": "x" * 100}] * (HEAVY_CHARACTERS // 100)})
    assert is_long({"numbers": [1] * HEAVY_CHARACTERS})
    assert is_long({"x" * HEAVY_CHARACTERS: 1})


@pytest.mark.timeout(180)
def test_a_long_call_takes_little_of_the_servers_own_processor_time(
    server: Web, tokens: Path
) -> None:
    anna = owner(server, tokens, "anna")
    assert not anna.call("ponder", {"problem": "Why was the train late?"})["isError"]
    assert not anna.call("ponder", LONG)["isError"]
    main, worker = server.process(), worker_of(server)
    before = seconds(main), seconds(worker)
    assert not anna.call("ponder", LONG)["isError"]
    ours, theirs = seconds(main) - before[0], seconds(worker) - before[1]
    assert ours < theirs / 4, (ours, theirs)
    refused = anna.call("recall", {"text": "x", "unknown": "y" * 100_000})
    assert refused["isError"], "what is refused is refused before it comes there"


@pytest.mark.timeout(180)
def test_a_worker_that_is_killed_is_replaced(server: Web, tokens: Path) -> None:
    anna = owner(server, tokens, "anna")
    assert not anna.call("ponder", LONG)["isError"]
    killed = worker_of(server)
    with ThreadPoolExecutor(1) as thread:
        before = seconds(killed)
        call = thread.submit(owner(server, tokens, "anna").call, "analyze", LONG)
        while seconds(killed) < before + 0.1:  # it is at work
            time.sleep(0.01)
        killed.kill()
        told = str(call.result(PATIENCE))
    assert "has exited; try again" in told
    assert not anna.call("ponder", LONG)["isError"]
    assert worker_of(server).pid != killed.pid
    token, entry = new_entry("prometheus", ("metrics",), None)
    append_entry(tokens, entry)
    page = httpx.get(
        server.url.replace("/mcp", "/metrics"),
        headers={"authorization": f"Bearer {token}"}, trust_env=False,
    ).text  # fmt: skip
    # What the killed one was doing is not counted for ever: the server has five, the new one three.
    assert "\nreasonloom_runs_active 0.0\n" in page
    assert "\ndb_client_connection_max 8.0\n" in page


@pytest.mark.timeout(180)
def test_the_worker_ends_with_its_server(server: Web, tokens: Path) -> None:
    anna = owner(server, tokens, "anna")
    assert not anna.call("ponder", LONG)["isError"]
    worker = worker_of(server)
    server.process().kill()
    worker.wait(PATIENCE)
