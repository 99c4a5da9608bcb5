"""A server that is asked to end amid calls: short ones are answered, long ones go on elsewhere."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.clients.authenticated import Asker
from tests.support.clients.processes import PATIENCE, Web, answer_of, environment, web
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import Rows
from tests.support.llms.providers import Provider, providing

KEY = "io.reasonloom/idempotency-key"
SHORT, LONG = "short", "long"
MOST = 30.0
"""Seconds within which the process has ended: five, and as many again as a busy machine takes."""

LEASE = 600
"""Seconds of a lease that would hold for long, had the server that ends not let go of it."""


@pytest.fixture
def provider() -> Iterator[Provider]:
    with providing({"thought": "So it is.", "confidence": 0.9}) as opened:
        opened.delays = {SHORT.encode(): 1.0, LONG.encode(): 60.0}
        yield opened


@pytest.fixture
def env(
    provider: Provider, postgres: TestPostgres, database: str, tmp_path: Path
) -> dict[str, str]:
    return environment(
        tmp_path / "home",
        REASONLOOM_TOOLSETS="classic",
        DATABASE_URL=postgres.address.dsn("postgres", database),
        **provider.settings,
        REASONLOOM_LEASE_SECONDS="1",
        REQUEST_TIMEOUT_MS="90000",
    )


def ask(server: Web, word: str) -> dict[str, Any]:
    """Ask for a thought under a key of the word's own."""
    params = {
        "name": "reasoning_linear",
        "arguments": {"content": f"What of the {word} way?"},
        "_meta": {KEY: word},
    }
    message = {"jsonrpc": "2.0", "id": word, "method": "tools/call", "params": params}
    return server.exchange(json.dumps(message).encode())


def until(asked: list[bytes], word: str) -> None:
    """Wait until the provider was asked about a word."""
    end = time.monotonic() + PATIENCE
    while not any(word.encode() in each for each in asked):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_calls_amid_a_signal_are_answered_or_taken_up_by_another_server(
    provider: Provider, env: dict[str, str], tmp_path: Path
) -> None:
    with web(env, tmp_path / "cwd") as server, ThreadPoolExecutor() as pool:
        assert "result" in ask(server, "warm")
        long: Future[dict[str, Any]] = pool.submit(ask, server, LONG)
        until(provider.asked, LONG)
        short = pool.submit(ask, server, SHORT)
        until(provider.asked, SHORT)
        begun = time.monotonic()
        server.child.terminate()
        assert short.result(PATIENCE)["result"]["isError"] is False
        assert server.ended(MOST) == 0
        assert time.monotonic() - begun < MOST
        with pytest.raises((httpx.HTTPError, IndexError, KeyError)):
            assert long.result(PATIENCE)["result"]["isError"] is False
    provider.delays = {}
    asked = len(provider.asked)
    with web(env, tmp_path / "cwd") as other:
        again = ask(other, LONG)["result"]
        assert again["isError"] is False, again
        assert ask(other, SHORT)["result"]["structuredContent"]["content"] == "So it is."
    assert len(provider.asked) == asked + 1  # what was answered is not asked again


def test_a_run_that_the_end_cuts_is_finished_by_a_living_server_unasked(
    provider: Provider, env: dict[str, str], tmp_path: Path
) -> None:
    env = {**env, "REASONLOOM_LEASE_SECONDS": str(LEASE)}
    params = {"name": "reasoning_linear", "arguments": {"content": f"What of the {LONG} way?"}}
    with web(env, tmp_path / "one") as ending, ThreadPoolExecutor() as pool:
        cut = pool.submit(Asker(ending.url, None).send, "tools/call", **params)
        until(provider.asked, LONG)
        ending.child.terminate()
        said = answer_of(cut.result(PATIENCE))
        assert said["id"] == 1
        assert "Send it again" in said["error"]["message"]
        assert ending.ended(MOST) == 0
        assert "Traceback" not in ending.log
    leases = "SELECT count(*) FROM leases WHERE (until > clock_timestamp()) = %s"
    rows = Rows(env["DATABASE_URL"])
    assert [rows.number(leases, held) for held in (True, False)] == [0, 1]
    provider.delays = {}
    with web(env, tmp_path / "other") as living:
        asker = Asker(living.url, None)
        asker.tools()  # opens the engine, which looks after runs
        end = time.monotonic() + PATIENCE
        while (status := newest_run(asker)) != "done":
            assert time.monotonic() < end, status
            time.sleep(0.2)


def newest_run(asker: Asker) -> str:
    """Return the status of the newest run."""
    listed = asker.ask("resources/list")["result"]["resources"]
    uri = next(each["uri"] for each in listed if "reasonloom://run/" in each["uri"])
    contents = asker.ask("resources/read", uri=uri)["result"]["contents"]
    run = next(each for each in contents if each["mimeType"] == "application/json")
    return str(json.loads(run["text"])["status"])
