"""A client that closes its end of a pipe: what it asked is answered first, if it still reads."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from typing import Any

import psycopg
import pytest

from tests.server.stdio.test_protocol import ABLE, opened
from tests.support.clients.processes import (
    LEGACY,
    WITH_FIXTURES,
    Spoken,
    command,
    environment,
    initialize,
    spoken,
)
from tests.support.databases.postgres import TestPostgres

SOON = 6.0
"""Seconds within which a server ends that waits for nobody; one that does waits for seven."""

CLASSIC = ("--toolsets", "classic")


def message(identifier: Any, method: str, params: Any = None) -> dict[str, Any]:
    more = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "id": identifier, "method": method, **more}


def call(identifier: Any, name: str, **arguments: Any) -> dict[str, Any]:
    return message(identifier, "tools/call", {"name": name, "arguments": arguments})


ASKING = call("lasts", "test_elicitation", message="Who are you?")
"""A call that lasts until its client answers a question, which here it never does."""


def end_with(server: Spoken, messages: list[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """Write messages, the last one without its line break, and close; return all answers."""
    assert server.child.stdin
    server.child.stdin.write("\n".join(json.dumps(each) for each in messages).encode())
    server.close_stdin()
    assert server.ended(30) == 0
    said = [json.loads(line) for line in server.lines]
    return {each["id"]: each for each in said if "method" not in each}


@pytest.fixture
def lasting(shared_env: dict[str, str], folder: Path) -> Iterator[Spoken]:
    """A server that waits for its client in the middle of a call."""
    server = opened(shared_env, folder, LEGACY)
    try:
        server.send(ASKING)
        assert server.next()["method"] == "elicitation/create"
        yield server
    finally:
        server.stop()


def test_every_request_before_the_end_of_stdin_is_answered(
    shared_env: dict[str, str], folder: Path
) -> None:
    pings = [message(number, "ping") for number in range(100)]
    server = Spoken(shared_env, folder)
    try:
        answers = end_with(server, [message("first", "initialize", initialize()), *pings])
        assert answers.keys() == {"first", *range(100)}
        assert all("result" in each for each in answers.values())
    finally:
        server.stop()


def test_calls_in_flight_at_the_end_of_stdin_are_answered(
    shared_env: dict[str, str], folder: Path
) -> None:
    with spoken(shared_env, folder) as server:
        server.call("recall", {"userId": "local"})  # opens the database
        calls = [call(f"c{number}", "recall", userId="local", text="x") for number in range(5)]
        answers = end_with(server, calls)
        assert [answers[f"c{number}"]["result"]["isError"] for number in range(5)] == [False] * 5


def test_a_cancelled_call_is_not_waited_for(lasting: Spoken) -> None:
    begun = time.monotonic()
    note = {"method": "notifications/cancelled", "params": {"requestId": "lasts"}}
    assert "lasts" not in end_with(lasting, [{"jsonrpc": "2.0", **note}])
    assert time.monotonic() - begun < SOON


def test_a_call_that_lasts_too_long_is_cut_and_told_so(
    postgres: TestPostgres, database: str, tmp_path: Path, folder: Path
) -> None:
    url = postgres.address.dsn("postgres", database)
    with (
        spoken(environment(tmp_path / "home", DATABASE_URL=url), folder, *CLASSIC) as server,
        psycopg.connect(url) as holder,
    ):
        server.call("recall", {"userId": "local"})
        holder.execute("LOCK TABLE reasonloom.memories IN ACCESS EXCLUSIVE MODE")
        begun = time.monotonic()
        calls = [call("lasts", "reasoning_linear", content="Which way?"), message("ping", "ping")]
        answers = end_with(server, calls)
        assert answers["ping"]["result"] == {}
        assert answers["lasts"]["error"]["message"] == "Connection closed"
        assert SOON < time.monotonic() - begun < 11
        left = "SELECT status FROM reasonloom.runs WHERE tool = 'reasoning_linear'"
        assert holder.execute(left).fetchall() == [("running",)]  # for another server


def test_calls_at_work_when_the_process_is_asked_to_end_are_told_so(lasting: Spoken) -> None:
    lasting.send({**ASKING, "id": "7"})
    assert lasting.next()["method"] == "elicitation/create"
    lasting.child.terminate()
    answers = [lasting.answer(each)["error"] for each in ("lasts", "7")]
    assert {each["code"] for each in answers} == {-32000}
    assert all("Send it again" in each["message"] for each in answers)
    assert lasting.ended(30) == 0


@pytest.fixture
def unread(shared_env: dict[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server after its handshake whose stdout no thread reads, so that it can be closed."""
    flags = (WITH_FIXTURES, "--toolsets", "all")
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            command(*flags), env=shared_env, stdin=PIPE, stdout=PIPE, stderr=log
        )
    write(server, message("first", "initialize", {**initialize(), "capabilities": ABLE}))
    assert server.stdout
    assert b'"first"' in server.stdout.readline()
    yield server
    server.kill()
    server.wait()


def write(server: subprocess.Popen[bytes], said: dict[str, Any]) -> None:
    assert server.stdin
    server.stdin.write(json.dumps(said).encode() + b"\n")
    server.stdin.flush()


def test_a_client_that_is_gone_is_not_waited_for(unread: subprocess.Popen[bytes]) -> None:
    write(unread, ASKING)
    assert unread.stdin
    assert unread.stdout
    assert b"elicitation/create" in unread.stdout.readline()
    begun = time.monotonic()
    unread.stdout.close()
    unread.stdin.close()
    assert unread.wait(30) == 0
    assert time.monotonic() - begun < SOON


def test_a_client_that_stops_reading_ends_the_server_quietly(
    unread: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    assert unread.stdout
    unread.stdout.close()
    write(unread, message("unheard", "ping"))
    assert unread.wait(10) == 0
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert "Traceback" not in log
    assert "BrokenPipe" not in log
    assert log.count("the client reads no more") == 1
