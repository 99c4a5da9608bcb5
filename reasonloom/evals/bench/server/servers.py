"""Servers as separate processes, and HTTP callers, for timing from outside."""

import asyncio
import hashlib
import itertools
import json
import secrets
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from reasonloom.settings import Settings, environment, variables_of

HOST = "127.0.0.1"
MODERN = "2026-07-28"
RESERVED = "io.modelcontextprotocol"
KEY = "io.reasonloom/idempotency-key"
PATIENCE = 60.0
OURS = (sys.executable, "-m", "reasonloom", "serve")


def child_environment(settings: Settings, **more: str) -> dict[str, str]:
    """Return the environment of a server in these settings' home, with no settings but `more`."""
    ours = {name for field in Settings.model_fields for name in variables_of(field)}
    kept = {name: value for name, value in environment().items() if name not in ours}
    home = {"REASONLOOM_HOME": str(settings.home), "REASONLOOM_LLM": "offline"}
    return {**kept, **home, "REASONLOOM_LOG_LEVEL": "error", **more}


def free_port() -> int:
    """Return a free loopback port."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def make_tokens(path: Path, owners: Iterable[str]) -> dict[str, str]:
    """Write a file of static tokens; return the token of each owner."""
    tokens = {owner: f"rl_{secrets.token_urlsafe(32)}" for owner in owners}
    entries = [
        {
            "id": secrets.token_hex(4),
            "sha256": hashlib.sha256(token.encode()).hexdigest(),
            "owner": owner,
            "scopes": ["read", "write"],
        }
        for owner, token in tokens.items()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return tokens


@asynccontextmanager
async def listening(
    command: Iterable[str], port: int, env: Mapping[str, str]
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Yield a server once it listens (RuntimeError after a minute); terminate it at the end."""
    process = await asyncio.create_subprocess_exec(
        *command, env=dict(env), stdin=asyncio.subprocess.DEVNULL
    )
    try:
        await _reachable(port, process)
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(PATIENCE):
                await process.wait()
        except TimeoutError:
            process.kill()


async def _reachable(port: int, process: asyncio.subprocess.Process) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.returncode is None:
        with suppress(OSError):
            _, writer = await asyncio.open_connection(HOST, port)
            writer.close()
            return
        await asyncio.sleep(0.05)
    raise RuntimeError("a server does not listen")


class Caller:
    """An HTTP caller using the newest protocol revision; sends no token if it is None."""

    _numbers = itertools.count(1)

    def __init__(self, client: httpx.AsyncClient, token: str | None) -> None:
        self._client = client
        self._headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": MODERN,
            **({"authorization": f"Bearer {token}"} if token else {}),
        }

    async def call(
        self, port: int, tool: str, arguments: Mapping[str, Any], key: str | None = None
    ) -> httpx.Response:
        """Call a tool of the server on a port; return the whole response."""
        meta: dict[str, Any] = {
            f"{RESERVED}/protocolVersion": MODERN,
            f"{RESERVED}/clientCapabilities": {},
            **({KEY: key} if key else {}),
        }
        params = {"name": tool, "arguments": dict(arguments), "_meta": meta}
        message = {
            "jsonrpc": "2.0", "id": next(self._numbers), "method": "tools/call", "params": params,
        }  # fmt: skip
        return await self._client.post(
            f"http://{HOST}:{port}/mcp",
            content=json.dumps(message),
            headers={**self._headers, "mcp-method": "tools/call", "mcp-name": tool},
        )


def result_of(response: httpx.Response) -> dict[str, Any]:
    """Return a response's result, plain or from a stream's last event; RuntimeError on an error."""
    text = response.text
    if response.headers["content-type"].startswith("text/event-stream"):
        text = [line[6:] for line in text.split("\n") if line.startswith("data: {")][-1]
    message = json.loads(text)
    result: dict[str, Any] = message.get("result") or {}
    if not result or result.get("isError"):
        raise RuntimeError(f"a call failed: {text[:300]}")
    return result
