"""A server over stdio as a process of its own, spoken to in raw JSON-RPC after its handshake."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from reasonloom.evals.bench.server.startup import INITIALIZE, INITIALIZED

LONGEST_LINE = 2**24


class Spoken:
    """A server whose requests are sent one after the other; `pid` is its process."""

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
        """Send a message; return the answer to a request, and nothing to a note."""
        self._to.write(json.dumps(message).encode() + b"\n")
        while "id" in message:
            answer: dict[str, Any] = json.loads(await self._from.readline())
            if answer.get("id") == message["id"]:
                return answer
        return {}


@asynccontextmanager
async def spoken(command: Iterable[str], env: Mapping[str, str]) -> AsyncIterator[Spoken]:
    """Yield a server after the handshake of 2025-11-25; ended afterwards."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=dict(env),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=LONGEST_LINE,
    )
    server = Spoken(process)
    try:
        await server.send(INITIALIZE)
        await server.send(INITIALIZED)
        yield server
    finally:
        if process.stdin:
            process.stdin.close()
        await process.wait()
