"""Times process start to the first `tools/list` over stdio, compared with a bare server."""

import asyncio
import itertools
import json
import sys
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from reasonloom.evals.bench.timing import Figure, summarise
from reasonloom.evals.engine import temporary_home
from reasonloom.settings import Settings, environment

GOAL = 1.5
LONGEST_LINE = 2**24
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
    """Start both servers alternately and time each to its first list."""
    with temporary_home() as settings:
        bare = [sys.executable, "-c", BARE]
        ours = [sys.executable, "-m", "reasonloom", "serve"]
        await _first_list(bare, settings)
        await _first_list(ours, settings)
        pairs = [
            (await _first_list(bare, settings), await _first_list(ours, settings))
            for _ in range(times)
        ]
    floor, own = zip(*pairs, strict=True)
    name = "process start to first tools/list"
    note = "floor: an MCPServer with one trivial tool"
    return [summarise(name, own, floor, GOAL, note)]


async def _first_list(command: list[str], settings: Settings) -> float:
    """Return the milliseconds from starting `command` to its answer to `tools/list`."""
    # The database is unreachable: whatever opens after the list is not measured here.
    nowhere = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none", "LOG_LEVEL": "error"}
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**environment(), "REASONLOOM_HOME": str(settings.home), **nowhere},
        limit=LONGEST_LINE,
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


class StdioServer:
    """A server that handles one request at a time; `pid` is its process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin and process.stdout  # noqa: S101 - both are pipes
        self.pid = process.pid
        self._to, self._from = process.stdin, process.stdout
        self._numbers = itertools.count(2)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool; return its result."""
        params = {"name": tool, "arguments": dict(arguments)}
        number = next(self._numbers)
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        return dict((await self.send(message))["result"])

    async def send(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Send a message; return the response, or an empty object for a notification."""
        self._to.write(json.dumps(message).encode() + b"\n")
        while "id" in message:
            answer: dict[str, Any] = json.loads(await self._from.readline())
            if answer.get("id") == message["id"]:
                return answer
        return {}


@asynccontextmanager
async def open_stdio_server(
    command: Iterable[str], env: Mapping[str, str]
) -> AsyncIterator[StdioServer]:
    """Yield a server after the handshake of 2025-11-25; stop it afterwards."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=dict(env),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=LONGEST_LINE,
    )
    server = StdioServer(process)
    try:
        await server.send(INITIALIZE)
        await server.send(INITIALIZED)
        yield server
    finally:
        if process.stdin:
            process.stdin.close()
        await process.wait()
