"""A client that goes away over HTTP: its call is cancelled after a while, unless it has a key."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.support.clients.processes import Web, environment, initialize, web
from tests.support.databases.postgres import TestPostgres

MODERN = "2026-07-28"
KEY = "io.reasonloom/idempotency-key"
STATUS = "SELECT status FROM reasonloom.runs WHERE input->>'content' = %s"
META = "io.modelcontextprotocol/"


@pytest.fixture
def own_site(
    postgres: TestPostgres,
    database: str,
    tmp_path: Path,
    folder: Path,
    request: pytest.FixtureRequest,
) -> Iterator[tuple[Web, str]]:
    """An HTTP server with flags, on a database of its own, and the database's URL."""
    url = postgres.address.dsn("postgres", database)
    with web(
        environment(tmp_path / "home", REASONLOOM_TOOLSETS="classic", DATABASE_URL=url),
        folder,
        *request.param,
    ) as server:
        yield server, url


def headers_of(site: Web, revision: str) -> dict[str, str]:
    """Return the headers of a call, after a handshake where the revision has one."""
    if revision == MODERN:
        return {
            "mcp-protocol-version": MODERN,
            "mcp-method": "tools/call",
            "mcp-name": "reasoning_linear",
        }
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize()}
    opened = site.post(json.dumps(message).encode())
    session = {name: opened.headers[name] for name in ("mcp-session-id",) if name in opened.headers}
    site.post(b'{"jsonrpc":"2.0","method":"notifications/initialized"}', **session)
    return session


def call(revision: str, words: str, key: str | None) -> bytes:
    meta: dict[str, Any] = {KEY: key} if key else {}
    if revision == MODERN:
        meta |= {
            f"{META}protocolVersion": MODERN,
            f"{META}clientInfo": {"name": "tests", "version": "1"},
            f"{META}clientCapabilities": {},
        }
    params = {"name": "reasoning_linear", "arguments": {"content": words}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": words, "method": "tools/call", "params": params}
    return json.dumps(message).encode()


def leave(site: Web, headers: dict[str, str], body: bytes) -> None:
    """Send a call and close its stream before it is answered."""
    plain = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        **headers,
    }
    with httpx.Client(timeout=1.5, trust_env=False) as client, pytest.raises(httpx.ReadTimeout):
        client.post(site.url, content=body, headers=plain)


def status(url: str, words: str) -> str | None:
    with psycopg.connect(url) as connection:
        row = connection.execute(STATUS, (words,)).fetchone()
    return str(row[0]) if row else None


def becomes(url: str, words: str, wanted: str, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while status(url, words) != wanted and time.monotonic() < until:
        time.sleep(0.1)
    return status(url, words) == wanted


@pytest.mark.parametrize(
    ("own_site", "revision"),
    [((), "2025-11-25"), ((), MODERN), (("--stateless",), "2025-11-25")],
    indirect=["own_site"],
)
def test_a_call_without_a_key_is_cancelled_and_one_with_a_key_goes_on(
    own_site: tuple[Web, str], revision: str
) -> None:
    site, url = own_site
    headers = headers_of(site, revision)
    first = site.post(call(revision, "first", None), **headers)
    assert first.status_code == 200, first.text
    plain, keyed, key = "without a key", "with a key", uuid.uuid4().hex
    with psycopg.connect(url) as holder:
        holder.execute("LOCK TABLE reasonloom.memories IN ACCESS EXCLUSIVE MODE")
        leave(site, headers, call(revision, keyed, key))
        leave(site, headers, call(revision, plain, None))
        time.sleep(2)
        assert status(url, plain) == "running"
        assert becomes(url, plain, "cancelled", 8)
        assert status(url, keyed) == "running"
    assert becomes(url, keyed, "done", 10)
    again = site.post(call(revision, keyed, key), **headers)
    assert '"thought_id"' in again.text.replace("\\", "")
    assert "Traceback" not in site.log
