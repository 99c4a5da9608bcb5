"""Servers to be killed: `reasonloom serve --http`, started cold or forked from a loaded parent.

The parent (`killing_loaded`) has loaded all that a server loads and opened nothing: no thread, no
connection and no loop crosses the fork.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx

from reasonloom.cli.server.log_setup import set_up_log
from reasonloom.server.http.serving import serve_http
from reasonloom.settings import load_settings
from reasonloom.stores.servers import opening
from tests.support.clients.processes import command, free_port
from tests.support.killing.victim import HastyDatabase

LONGEST_START = 120.0
"""Seconds until a server that does not serve is a failure."""

FORKS = multiprocessing.get_context("forkserver")


@dataclass(frozen=True)
class Started:
    """A server that runs: its process, its port, and how to wait for its exit code."""

    pid: int
    port: int
    code: Callable[[], int | None]


def serve(env: Mapping[str, str], port: int, *, hasty: bool = False) -> None:
    """Serve in this process, forked for it; `hasty` plants an answer before its commit."""
    os.environ.clear()
    os.environ.update(env)
    if hasty:
        opening.database_at = HastyDatabase  # type: ignore[attr-defined, assignment]
    settings = load_settings()
    set_up_log(settings)
    anyio.run(serve_http, settings, f"127.0.0.1:{port}")


async def forked(env: Mapping[str, str], folder: Path, *, hasty: bool = False) -> Started:
    """Fork a server from a parent that has loaded everything."""
    port = free_port()
    process = FORKS.Process(target=serve, args=(env, port), kwargs={"hasty": hasty})
    await asyncio.to_thread(process.start)

    def code() -> int | None:
        process.join()
        return process.exitcode

    assert process.pid
    return Started(process.pid, port, code)


async def cold(env: Mapping[str, str], folder: Path) -> Started:
    """Start a server as its users do, as a new process."""
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "log").open("ab") as log:
        child = subprocess.Popen(
            command("--http", f"127.0.0.1:{port}"), cwd=folder, env=dict(env),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    return Started(child.pid, port, child.wait)


async def listening(port: int) -> None:
    """Wait until a server takes connections; its database may still be opening."""
    async with asyncio.timeout(LONGEST_START):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.01)
            else:
                writer.close()
                return


async def ready(port: int) -> None:
    """Wait until a server says that it can serve."""
    await listening(port)
    async with httpx.AsyncClient(trust_env=False) as client, asyncio.timeout(LONGEST_START):
        while not await _is_ready(client, port):
            await asyncio.sleep(0.02)


async def _is_ready(client: httpx.AsyncClient, port: int) -> bool:
    try:
        found = await client.get(f"http://127.0.0.1:{port}/readyz", timeout=LONGEST_START)
    except httpx.TransportError:
        return False
    return found.status_code == httpx.codes.OK
