"""Limits of each caller over real HTTP: what is beyond them is refused at once."""

from __future__ import annotations

import json
import time
from pathlib import Path

import httpx

from tests.support.clients.authenticated import Asker
from tests.support.clients.processes import PATIENCE, initialize, web
from tests.support.isolation.owners import token_for


def test_whoever_asks_too_often_is_told_when_to_come_again(
    shared_env: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "tokens"
    tokens = token_for(path, "anna"), token_for(path, "anna"), token_for(path, "ben")
    env = {
        **shared_env, "REASONLOOM_TOKENS": str(path), "REASONLOOM_CALLER_REQUESTS_PER_MINUTE": "4",
    }  # fmt: skip
    with web(env, tmp_path / "cwd") as server:
        anna, annas_other, ben = (Asker(server.url, token) for token in tokens)
        answers = [anna.send("tools/list") for _ in range(40)]
        assert [each.status_code for each in answers[:4]] == [200] * 4
        refused = next(each for each in answers if each.status_code != 200)
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 15
        error = refused.json()["error"]
        assert error["data"]["retryable"] is True
        assert "at most 4 a minute" in error["message"]
        others = [annas_other.send("tools/list").status_code for _ in range(10)]
        assert 429 in others, "a second token of an owner draws from the same allowance"
        assert ben.send("tools/list").status_code == 200
        health = httpx.get(server.url.replace("/mcp", "/healthz"), trust_env=False)
        assert health.status_code == 200


def test_only_so_many_requests_are_in_flight_at_once(
    shared_env: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "tokens"
    tokens = token_for(path, "anna"), token_for(path, "ben")
    env = {**shared_env, "REASONLOOM_TOKENS": str(path), "REASONLOOM_CALLER_CONCURRENCY": "1"}
    with web(env, tmp_path / "cwd") as server:
        anna, ben = (Asker(server.url, token) for token in tokens)
        proof = {"authorization": f"Bearer {tokens[0]}"}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize()}
        opened = server.post(json.dumps(message).encode(), **proof)
        session = {**proof, "mcp-session-id": opened.headers["mcp-session-id"]}
        listening = {**session, "accept": "text/event-stream"}
        with httpx.stream("GET", server.url, headers=listening, trust_env=False) as stream:
            assert stream.status_code == 200
            refused = anna.send("tools/list")
            assert refused.status_code == 429
            assert "at most 1 of one caller" in refused.json()["error"]["message"]
            assert refused.headers["retry-after"] == "1"
            assert ben.send("tools/list").status_code == 200
        until = time.monotonic() + PATIENCE
        while anna.send("tools/list").status_code != 200:
            assert time.monotonic() < until, "what has ended is no longer counted"
            time.sleep(0.1)
