"""How long a well-behaved owner waits beside hostile ones, each at their limits.

`python -m tests.support.isolation.hostile_owners --owners 16 --seconds 20 --runs 3` serves over
HTTP on a Postgres of its own. It prints, quiet and then beside the others, the p50 and p95 of one
owner's `recall` and of `/healthz` in milliseconds, and how many requests of the others were served.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx

from tests.support.clients.authenticated import MODERN, RESERVED
from tests.support.clients.processes import environment, web
from tests.support.databases.postgres import running_server
from tests.support.isolation.owners import token_for

AT_ONCE = 8
"""Requests that each hostile owner has in flight."""

PAUSE = 0.1
"""Seconds between two requests of the well-behaved owner."""


def hostile_calls(owner: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the dearest calls that limits of size let through."""
    words = "the train of Friday was late because the signal failed, so nobody came home. "
    return [
        ("recall", {"userId": owner, "query": "x", "unknown": [1] * 49_000}),
        ("recall", {"userId": owner, "query": (words * 2_000)[:100_000]}),
        ("ponder", {"problem": (words * 2_000)[:100_000]}),
        ("analyze", {"problem": (words * 2_000)[:100_000]}),
        ("detect_bias", {"reasoning": (words * 2_000)[:100_000]}),
        ("remember", {"userId": owner, "sessionId": "s", "primarySector": "semantic",
                      "content": (words * 2_000)[:100_000]}),
    ]  # fmt: skip


class Owner:
    """One owner over HTTP."""

    def __init__(self, client: httpx.AsyncClient, url: str, token: str) -> None:
        self._client = client
        self._url = url
        self._headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": MODERN,
            "mcp-method": "tools/call",
            "authorization": f"Bearer {token}",
        }

    async def call(self, tool: str, arguments: dict[str, Any]) -> int:
        """Call a tool; return the status."""
        meta = {f"{RESERVED}/protocolVersion": MODERN, f"{RESERVED}/clientCapabilities": {}}
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {**self._headers, "mcp-name": tool}
        answer = await self._client.post(self._url, content=json.dumps(message), headers=headers)
        return answer.status_code


async def timed(work: Callable[[], Awaitable[Any]], seconds: float) -> list[float]:
    """Repeat work for some seconds; return the milliseconds of each time."""
    found: list[float] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.perf_counter()
        await work()
        found.append(1_000 * (time.perf_counter() - began))
        await asyncio.sleep(PAUSE)
    return found


def summary(name: str, found: list[float]) -> str:
    """Return the middle and the 95th percentile in words."""
    p95 = statistics.quantiles(found, n=20)[-1]
    return f"{name} p50 {statistics.median(found):.0f} p95 {p95:.0f} of {len(found)}"


async def measure(url: str, tokens: list[str], seconds: float) -> None:
    """Print the figures of one run."""
    async with httpx.AsyncClient(timeout=120, trust_env=False, limits=httpx.Limits()) as client:
        modest, *hostile = [Owner(client, url, token) for token in tokens]
        await modest.call("remember", {"userId": "o0", "sessionId": "s", "content": "Tea is green.",
                                       "primarySector": "semantic"})  # fmt: skip

        async def recall() -> None:
            assert await modest.call("recall", {"userId": "o0", "query": "tea"}) == 200

        async def health() -> None:
            assert (await client.get(url.replace("/mcp", "/healthz"))).status_code == 200

        async def both() -> tuple[list[float], list[float]]:
            return await asyncio.gather(timed(recall, seconds), timed(health, seconds))

        await recall()
        quiet = await both()
        served: Counter[int] = Counter()

        async def attack(owner: Owner, name: str, number: int) -> None:
            calls = hostile_calls(name)
            while True:
                number += 1
                served[await owner.call(*calls[number % len(calls)])] += 1

        attacks = [
            asyncio.create_task(attack(owner, f"o{n + 1}", number))
            for n, owner in enumerate(hostile)
            for number in range(AT_ONCE)
        ]
        await asyncio.sleep(seconds / 4)
        beside = await both()
        for each in attacks:
            each.cancel()
        await asyncio.gather(*attacks, return_exceptions=True)
    for name, found in zip(("recall", "healthz"), zip(quiet, beside, strict=True), strict=True):
        print(summary(f"quiet {name}", found[0]), "|", summary(f"beside {name}", found[1]))
    print("hostile requests by status:", dict(served), flush=True)


def main() -> None:
    """Serve, and measure each run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--owners", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with running_server() as postgres, tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path = folder / "tokens"
        tokens = [token_for(path, f"o{n}") for n in range(given.owners + 1)]
        with postgres.clone() as name:
            env = environment(
                folder,
                DATABASE_URL=postgres.address.dsn("postgres", name),
                REASONLOOM_TOKENS=str(path),
                REASONLOOM_CALLER_REQUESTS_PER_MINUTE="100000",
            )
            for _ in range(given.runs):
                with web(env, folder / "cwd") as server:
                    asyncio.run(measure(server.url, tokens, given.seconds))


if __name__ == "__main__":
    main()
