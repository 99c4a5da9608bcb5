"""A server without its database lists its tools, says what is wrong, and comes back by itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import pytest
from mcp import Client

from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from reasonloom.stores.embedded.server import EmbeddedServer
from tests.support.clients.fork_server import program
from tests.support.clients.processes import Spoken, environment, free_port, spoken
from tests.support.databases.postgres import TestPostgres, no_other_orphans
from tests.support.databases.proxy import proxied

PASSWORD = "s3cret/pass:word"
GIVEN_UP = 5.5
"""Seconds after which the original had given up for good (5 s)."""

MEMORY = {
    "content": "The lighthouse is lit again.", "userId": "local", "sessionId": "s",
    "primarySector": "semantic",
}  # fmt: skip
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("remember", MEMORY),
    ("recall", {"userId": "local", "text": "lighthouse"}),
    ("forget", {"userId": "local", "memoryId": "mem-1"}),
    ("reasoning_linear", {"content": "Is the lighthouse lit?"}),
    ("search", {"userId": "local", "text": "lighthouse"}),
    ("update_memory", {"userId": "local", "memoryId": "mem-1", "strength": 0.5}),
]


def without_secret(text: str) -> bool:
    return PASSWORD not in text and quote(PASSWORD, safe="") not in text


def is_retryable(tool: str, result: dict[str, Any]) -> bool:
    """Check that a result is the form's error for a database that is away."""
    text, body = result["content"][0]["text"], result["structuredContent"]
    assert result["isError"] is True
    assert "Traceback" not in text
    assert "postgres" not in text
    assert "127.0.0.1" not in text
    if tool == "reasoning_linear":
        assert text == f"Error: {body['error']['message']}"
        assert body["error"]["type"] == "DatabaseUnavailable"
        return bool(body["error"]["retryable"])
    assert body["success"] is False
    assert body["error"] == "Memory repository not initialized"
    assert "database" in body["suggestion"]
    assert json.loads(text) == body
    return bool(body["retryable"])


def succeeds(server: Spoken, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = server.call(tool, arguments)
    assert result["isError"] is False, result
    body = result["structuredContent"]
    return dict(body.get("data", body))


def test_a_server_comes_back_when_its_database_does(
    postgres: TestPostgres, database: str, tmp_path: Path, folder: Path
) -> None:
    port = free_port()
    url = f"postgresql://postgres:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/{database}"
    env = environment(
        tmp_path / "home", REASONLOOM_TOOLSETS="classic", DATABASE_URL=url, LOG_LEVEL="debug"
    )
    with spoken(env, folder) as server:
        begun = time.monotonic()
        names = [tool["name"] for tool in server.tools()]
        assert {"remember", "recall", "forget", "reasoning_linear"} <= set(names)
        for tool, arguments in CALLS:
            assert is_retryable(tool, server.call(tool, arguments))
        time.sleep(max(0.0, begun + GIVEN_UP - time.monotonic()))
        assert is_retryable("recall", server.call(*CALLS[1]))

        with proxied(port, postgres.address.socket) as proxy:
            assert succeeds(server, *CALLS[0])["memoryId"] == "mem-1"
            found = succeeds(server, *CALLS[1])["memories"]
            assert [memory["content"] for memory in found] == [MEMORY["content"]]
            assert "lighthouse" in succeeds(server, *CALLS[3])["content"]
            assert proxy.connections > 0

        for tool, arguments in CALLS:
            assert is_retryable(tool, server.call(tool, arguments))

        with proxied(port, postgres.address.socket):
            assert succeeds(server, *CALLS[1])["memories"]
            assert "lighthouse" in succeeds(server, *CALLS[3])["content"]
            assert succeeds(server, *CALLS[2])["deletionType"] == "hard"
        assert server.alive
    assert without_secret(server.said)


@pytest.fixture
def home() -> Iterator[Path]:
    """A home with an embedded database of its own, stopped afterwards.

    Not below pytest's folder: every other run of pytest shuts that to the server's user.
    """
    with tempfile.TemporaryDirectory(prefix="rl") as folder, no_other_orphans():
        Path(folder).chmod(0o755)
        yield Path(folder)
        EmbeddedServer(Path(folder) / "postgres").stop()


def test_a_killed_embedded_database_is_started_again(home: Path, folder: Path) -> None:
    with spoken(environment(home, REASONLOOM_TOOLSETS="classic"), folder) as server:
        succeeds(server, *CALLS[0])
        for tool, arguments in (CALLS[1], CALLS[3]):
            before = EmbeddedServer(home / "postgres").status().pid
            assert before
            kill(before)
            answer = succeeds(server, tool, arguments)
            assert MEMORY["content"] in json.dumps(answer)
            after = EmbeddedServer(home / "postgres").status().pid
            assert after not in (None, before)
        assert server.alive


def kill(pid: int) -> None:
    """Kill a postmaster as a lack of memory does, and wait until it is gone."""
    process = psutil.Process(pid)
    os.kill(pid, signal.SIGKILL)
    psutil.wait_procs([process], timeout=10)


UNREADABLE = (
    f"postgresql://root:{quote(PASSWORD, safe='')}@[bad",
    f"postgresql://root:{quote(PASSWORD, safe='')}\u2100x@127.0.0.1:1/x",
    f"postgresql://root:{quote(PASSWORD, safe='')}\udcff@127.0.0.1:1/x",
    f"postgresql:{PASSWORD}",
)
"""URLs at which Python's own reader of URLs, or the driver, breaks."""


@pytest.mark.parametrize("url", [
    f"mysql://root:{PASSWORD}@127.0.0.1/x",
    f"postgresql://root:{quote(PASSWORD, safe='')}@127.0.0.1:notaport/x",
    f"postgresql://root:{quote(PASSWORD, safe='')}@127.0.0.1:1/x?nonsense=1",
    *UNREADABLE,
])  # fmt: skip
async def test_a_url_that_is_none_is_told_without_its_secret(
    url: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("DEBUG")
    settings = load_settings(database_url=url)
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        await client.list_tools()
        result = await client.call_tool(*CALLS[1])
    said = result.model_dump_json()
    assert result.is_error
    assert "DATABASE_URL" in said or '"retryable":true' in said
    assert without_secret(said + caplog.text + "".join(capfd.readouterr()))


@pytest.mark.parametrize(
    "command", [("db", "status"), ("doctor",), ("serve", "--http", "127.0.0.1:0")]
)
@pytest.mark.parametrize("url", [UNREADABLE[0], *UNREADABLE[2:]])
def test_a_command_refuses_it_in_a_line(url: str, command: tuple[str, ...], tmp_path: Path) -> None:
    done = subprocess.run(
        [*program(), *command], env=environment(tmp_path, DATABASE_URL=url),
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == (1 if command[0] == "doctor" else 2)
    assert "DATABASE_URL: " in said
    assert "Traceback" not in said
    assert without_secret(said)
