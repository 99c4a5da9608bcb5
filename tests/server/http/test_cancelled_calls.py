"""Calls whose clients go away, or cancel them, leave nothing behind over HTTP."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from tests.support.clients.authenticated import MODERN, RESERVED
from tests.support.clients.processes import LEGACY, PATIENCE, Web, environment, web
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.settled import settled
from tests.support.isolation.owners import Bearer, token_for

POOL = min(32, (os.cpu_count() or 1) + 4)
"""Threads that asyncio starts as it needs them, and keeps."""

ROUNDS = 5
GONE = 100
"""Clients of a round that go away while the database holds their calls back."""

CANCELLED = 100
"""Calls of a round that are cancelled within a session."""

LONG_CALLS = 16
LOCK = "LOCK TABLE reasonloom.memories IN ACCESS EXCLUSIVE MODE"
RECALL = {"userId": "local", "text": "the lantern"}
LONG = {"problem": "The train was late because the signal failed. " * 2_000}


def request_bytes(server: Web, message: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
    """Return a request as it goes over a connection."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    lines = {
        "host": f"127.0.0.1:{server.port}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "content-length": str(len(body)),
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


def modern_call(server: Web, tool: str, arguments: Mapping[str, Any], **more: str) -> bytes:
    """Return a call of the newest revision, which has no session."""
    meta = {f"{RESERVED}/protocolVersion": MODERN, f"{RESERVED}/clientCapabilities": {}}
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    headers = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": tool, **more}
    return request_bytes(server, {"id": 1, "method": "tools/call", "params": params}, headers)


@contextmanager
def connected(server: Web, requests: list[bytes]) -> Iterator[None]:
    """Send each request over a connection of its own; close them all at the end."""
    with ExitStack() as stack:
        for each in requests:
            connection = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
            stack.enter_context(connection).sendall(each)
        yield


def cancel_in_session(server: Web, names: list[str]) -> Iterator[tuple[bytes, bytes]]:
    """Yield calls within the server's session, each with its cancellation."""
    server.exchange(b'{"jsonrpc":"2.0","id":"p","method":"ping"}')  # which opens it
    headers = {"mcp-protocol-version": LEGACY, **(server._session or {})}
    for name in names:
        call = {"id": name, "method": "tools/call"}
        note = {"method": "notifications/cancelled", "params": {"requestId": name}}
        yield (
            request_bytes(
                server, {**call, "params": {"name": "recall", "arguments": RECALL}}, headers
            ),
            request_bytes(server, note, headers),
        )


def files_of(process: psutil.Process, most: int) -> int:
    """Return how many files are open, once there are at most so many, or after a while."""
    until = time.monotonic() + PATIENCE
    while process.num_fds() > most and time.monotonic() < until:
        time.sleep(0.1)
    return process.num_fds()


@pytest.mark.timeout(600)
def test_a_thousand_calls_without_a_client_leave_nothing(
    postgres: TestPostgres, database: str, tmp_path: Path, folder: Path
) -> None:
    url = postgres.address.dsn("postgres", database)
    with web(
        environment(tmp_path / "home", REASONLOOM_TOOLSETS="classic", DATABASE_URL=url), folder
    ) as server:
        anna = Bearer(server, None)
        for _ in range(20):  # as many as there are connections to the database, and more
            assert not anna.call("recall", RECALL)["isError"]
        process = server.process()
        before = process.num_fds(), process.num_threads()
        for number in range(ROUNDS):
            calls = list(
                cancel_in_session(server, [f"{number} {each}" for each in range(CANCELLED)])
            )
            gone = [modern_call(server, "recall", RECALL)] * GONE
            with psycopg.connect(url) as holder:
                holder.execute(LOCK)
                with connected(server, gone + [call for call, _ in calls]):
                    assert anna.ask("tools/list")["result"]["tools"]
                    for _, note in calls:
                        with connected(server, [note]):
                            pass
            settled(server, url)
            assert not anna.call("recall", RECALL)["isError"]
        assert files_of(process, before[0] + 4) <= before[0] + 4
        assert process.num_threads() <= before[1] + POOL
        assert not anna.call("recall", RECALL)["isError"]
        assert "Traceback" not in server.log


@pytest.mark.timeout(300)
def test_long_calls_without_a_client_lose_no_place(
    postgres: TestPostgres, database: str, tmp_path: Path, folder: Path
) -> None:
    url = postgres.address.dsn("postgres", database)
    tokens = tmp_path / "tokens"
    mine, others = token_for(tokens, "anna"), [token_for(tokens, f"o{n}") for n in range(4)]
    env = environment(
        tmp_path / "home",
        REASONLOOM_TOOLSETS="classic",
        DATABASE_URL=url,
        REASONLOOM_TOKENS=str(tokens),
    )
    with web(env, folder) as server:
        anna = Bearer(server, mine)
        assert not anna.call("ponder", LONG)["isError"]
        process = server.process()
        before = process.num_fds()
        calls = [
            modern_call(server, "ponder", LONG, authorization=f"Bearer {token}")
            for token in others * (LONG_CALLS // len(others))
        ]
        with connected(server, calls):
            assert not anna.call("recall", {"text": "the lantern"})["isError"]
        assert not anna.call("ponder", LONG)["isError"]
        settled(server, url)
        assert files_of(process, before + 4) <= before + 4
