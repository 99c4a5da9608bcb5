"""From process start to the first answer of `tools/list` over stdio, against a bare server."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import TYPE_CHECKING

from reasonloom.evals.bench.timing import Figure, median, percentile_95
from reasonloom.evals.home import throw_away_home
from reasonloom.settings import environment

if TYPE_CHECKING:
    from reasonloom.settings import Settings

GOAL = 1.5
BARE = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("bare")
@server.tool()
def echo(text: str) -> str:
    "Echo."
    return text
server.run()
"""
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


async def measure(times: int) -> list[Figure]:
    """Start both servers in turn and time them to their first list."""
    with throw_away_home() as settings:
        bare = [sys.executable, "-c", BARE]
        ours = [sys.executable, "-m", "reasonloom", "serve"]
        await _first_list(bare, settings)
        await _first_list(ours, settings)
        pairs = [
            (await _first_list(bare, settings), await _first_list(ours, settings))
            for _ in range(times)
        ]
    floor = median([pair[0] for pair in pairs])
    own = [pair[1] for pair in pairs]
    name = "process start to first tools/list"
    said = "floor: an MCPServer with one trivial tool"
    return [Figure(name, median(own), percentile_95(own), floor, GOAL, said)]


async def _first_list(command: list[str], settings: Settings) -> float:
    """Return the milliseconds from starting `command` to its answer to `tools/list`."""
    # A database nobody reaches: what is opened after the list is not ours to measure here.
    nowhere = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none", "LOG_LEVEL": "error"}
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**environment(), "REASONLOOM_HOME": str(settings.home), **nowhere},
        limit=2**24,
    )
    assert process.stdin and process.stdout  # noqa: S101 - both are pipes
    for message in (INITIALIZE, INITIALIZED, LIST):
        process.stdin.write(json.dumps(message).encode() + b"\n")
    await process.stdin.drain()
    while json.loads(await process.stdout.readline()).get("id") != LIST["id"]:
        pass
    took = (time.perf_counter() - started) * 1000
    process.kill()
    await process.wait()
    return took
