"""The parts by which servers are timed from outside: tokens, a simulated provider, a balancer."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import httpx
import pytest

from reasonloom.evals.bench.server.replicas import Load, burst, provider
from reasonloom.evals.bench.server.servers import HOST, child_environment, free_port, make_tokens
from reasonloom.server.auth.token_file import TokenFile
from reasonloom.settings import load_settings


def test_tokens_are_such_as_a_server_takes(tmp_path: Path) -> None:
    path = tmp_path / "home" / "tokens"
    tokens = make_tokens(path, ["a", "b"])
    found = TokenFile(path)
    for owner, token in tokens.items():
        entry = found.find(token)
        assert entry is not None
        assert entry.owner == owner


def test_a_server_that_is_timed_has_none_of_the_machines_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = load_settings()
    for name in ("DATABASE_URL", "REASONLOOM_LLM", "LOG_LEVEL", "REASONLOOM_TOKENS"):
        monkeypatch.setenv(name, "theirs")
    env = child_environment(settings, REASONLOOM_LEASE_SECONDS="4")
    assert "theirs" not in env.values()
    assert env["REASONLOOM_HOME"] == str(settings.home)
    assert env["REASONLOOM_LEASE_SECONDS"] == "4"


async def test_the_simulated_provider_takes_its_time_for_each_and_for_all_at_once() -> None:
    async with provider(0.3) as env, httpx.AsyncClient(trust_env=False) as client:
        url = f"{env['REASONLOOM_LLM_BASE_URL']}/chat/completions"
        started = time.perf_counter()
        answers = await asyncio.gather(
            *(client.post(url, json={"messages": []}, timeout=30) for _ in range(20))
        )
        assert 0.3 <= time.perf_counter() - started < 20 * 0.3
        said = answers[0].json()["choices"][0]["message"]["content"]
        assert json.loads(said)["thought"]


async def test_a_replica_that_is_gone_is_asked_no_more_and_others_answer() -> None:
    gone = free_port()
    asked = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        await reader.readuntil(b"\r\n\r\n")
        body = b'{"jsonrpc": "2.0", "id": 1, "result": {"isError": false}}'
        head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
        writer.write(f"HTTP/1.1 200 OK\r\n{head}connection: close\r\n\r\n".encode() + body)
        writer.close()

    server = await asyncio.start_server(serve, HOST, 0)
    port = server.sockets[0].getsockname()[1]
    async with server, httpx.AsyncClient(trust_env=False) as client:
        load = Load(client, {"a": "x", "b": "y"}, [gone, port])
        await load.run(0.3)
        assert load.ports == [port]
        assert load.broken >= 1
        assert len(load.took) == asked > 0
        assert not load.flying
        answered = await burst(client, "x", port, 5)
        assert [status for status, _ in answered] == [200] * 5
        assert [status for status, _ in await burst(client, "x", gone, 2)] == [0, 0]
