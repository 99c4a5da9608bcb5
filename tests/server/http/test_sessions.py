"""Sessions hold memory: what opens one is short, and a caller has only so many."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from reasonloom.server.auth.token_file import append_entry, new_entry
from reasonloom.server.http.guard import MAX_HANDSHAKE_BYTES
from tests.support.clients.processes import Web, initialize, web

LISTING = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
MOST = 3


def opening(**experimental: Any) -> bytes:
    params = {**initialize(), "capabilities": {"experimental": experimental}}
    message = {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": params}
    return json.dumps(message).encode()


class Caller:
    """A caller over HTTP who opens sessions and asks within them."""

    def __init__(self, server: Web, token: str | None, path: str = "") -> None:
        self.server = server
        self.url = server.url + path
        self.headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            **({"authorization": f"Bearer {token}"} if token else {}),
        }

    def post(self, raw: bytes, **headers: str) -> httpx.Response:
        given = {**self.headers, **headers}
        return httpx.post(self.url, content=raw, headers=given, timeout=30, trust_env=False)

    def open(self) -> str:
        opened = self.post(opening())
        assert opened.status_code == 200, opened.text
        return str(opened.headers["mcp-session-id"])

    def lives(self, session: str) -> bool:
        return self.post(LISTING, **{"mcp-session-id": session}).status_code == 200

    def end(self, session: str) -> int:
        headers = {**self.headers, "mcp-session-id": session}
        return httpx.delete(self.url, headers=headers, trust_env=False).status_code


@pytest.fixture(params=[True, False], ids=["tokens", "nobody proves anything"])
def callers(
    request: pytest.FixtureRequest, shared_env: dict[str, str], tmp_path: Path
) -> list[Caller]:
    """Two callers of one owner, and where there are tokens one of another."""
    env = {**shared_env, "REASONLOOM_CALLER_SESSIONS": str(MOST)}
    tokens: list[str | None] = [None, None]
    if request.param:
        made = [new_entry(owner, ("read",), None) for owner in ("anna", "anna", "ben")]
        for _, entry in made:
            append_entry(tmp_path / "tokens", entry)
        tokens = [token for token, _ in made]
        env["REASONLOOM_TOKENS"] = str(tmp_path / "tokens")
    server = request.getfixturevalue("stack").enter_context(web(env, tmp_path / "cwd"))
    return [Caller(server, token) for token in tokens]


@pytest.fixture
def stack() -> Any:
    with ExitStack() as opened:
        yield opened


def test_a_handshake_has_its_greatest_length(callers: list[Caller]) -> None:
    refused = callers[0].post(opening(x="x" * MAX_HANDSHAKE_BYTES))
    assert refused.status_code == 413
    error = refused.json()
    assert error["id"] == 7
    assert error["error"]["message"] == "Invalid request: initialize has at most 65536 bytes"
    assert "mcp-session-id" not in refused.headers
    assert callers[0].post(opening(x="x" * 60_000)).status_code == 200
    call = {"name": "recall", "arguments": {"userId": "anna", "text": "x" * MAX_HANDSHAKE_BYTES}}
    longer = {"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": call}
    session = callers[0].open()
    answer = callers[0].post(json.dumps(longer).encode(), **{"mcp-session-id": session})
    assert answer.status_code == 200


def test_one_session_too_many_ends_the_owners_longest_idle_one(callers: list[Caller]) -> None:
    one, other, *strangers = callers
    strange = [(each, each.open()) for each in strangers]
    first, second, third = one.open(), other.open(), one.open()
    assert one.lives(first)  # so that the second has lain idle longest
    fourth = one.open()
    assert not other.lives(second)
    assert all(one.lives(each) for each in (first, third, fourth))
    assert all(each.lives(session) for each, session in strange), "another owner's stay"
    assert one.end(first) == 200
    fifth = other.open()
    assert one.lives(third)
    assert one.lives(fourth)
    assert other.lives(fifth)


def test_where_every_session_is_at_work_a_new_one_is_refused(
    callers: list[Caller], stack: ExitStack
) -> None:
    one = callers[0]
    for _ in range(MOST):
        listening = {**one.headers, "accept": "text/event-stream", "mcp-session-id": one.open()}
        stream = httpx.stream("GET", one.url, headers=listening, trust_env=False)
        assert stack.enter_context(stream).status_code == 200
    refused = one.post(opening())
    assert refused.status_code == 429
    assert refused.json()["error"]["message"] == (
        "Too many open sessions: at most 3 of one caller, and none is idle"
    )
    assert refused.headers["retry-after"]


def test_what_opens_no_session_takes_no_place(callers: list[Caller]) -> None:
    one = callers[0]
    kept = one.open()
    for _ in range(2 * MOST):
        assert one.post(LISTING).status_code == 400
        assert one.end(one.open()) == 200
    assert one.lives(kept)


def test_sessions_of_references_beside_count_too(callers: list[Caller]) -> None:
    one = callers[0]
    first = one.open()
    headers = {each: value for each, value in one.headers.items() if each == "authorization"}
    beside = Caller(one.server, headers.get("authorization", "").removeprefix("Bearer ") or None,
                    "/as/langbase-reasoning")  # fmt: skip
    for _ in range(MOST):
        beside.open()
    assert not one.lives(first)


def test_what_is_no_request_of_a_session_says_nothing_of_it(callers: list[Caller]) -> None:
    one, other, *_ = callers
    sessions = [one.open() for _ in range(MOST)]
    for session in sessions:
        for path in ("/as/nope", "/as/thoughtmcp", "/else"):
            stranger = Caller(other.server, None, path)
            stranger.headers = other.headers
            stranger.post(LISTING, **{"mcp-session-id": session})
            stranger.end(session)
        other.lives(session)  # by another token it is not there, and stays counted
    new = one.open()
    assert [one.lives(each) for each in (*sessions, new)] == [False, *[True] * MOST]
