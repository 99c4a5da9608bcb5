"""How long a well-behaved owner waits beside hostile ones, each at their limits.

`python -m tests.support.isolation.hostile_owners --owners 16 --seconds 20 --runs 3` serves over
HTTP on a Postgres of its own; the hostile owners call from a process of their own. It prints, quiet
and then beside them, the p50 and p95 of one owner's `recall` and of `/healthz` in milliseconds, and
what became of the hostile requests. With `--own-server` the well-behaved owner has another server
on the same Postgres: what is slow then is the machine, not the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx

from tests.support.clients.authenticated import MODERN, RESERVED
from tests.support.clients.processes import COLD, answer_of, environment, web
from tests.support.databases.postgres import running_server
from tests.support.isolation.owners import token_for

AT_ONCE = 8
"""Requests that each hostile owner has in flight."""

PAUSE = 0.25
"""Seconds between two requests of the well-behaved owner."""

STORED = 20
"""Memories of the well-behaved owner."""


def hostile_calls(owner: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the dearest calls that limits of size let through."""
    words = "the train of Friday was late because the signal failed, so nobody came home. "
    text = (words * 2_000)[:100_000]
    return [
        ("recall", {"userId": owner, "text": "x", "unknown": [1] * 49_000}),
        ("recall", {"userId": owner, "text": text}),
        ("ponder", {"problem": text}),
        ("analyze", {"problem": text}),
        ("detect_bias", {"reasoning": text}),
        ("remember", {"userId": owner, "sessionId": "s", "primarySector": "semantic",
                      "content": text}),
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

    async def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Call a tool; return `answered`, `refused`, or the status of what is no answer."""
        meta = {f"{RESERVED}/protocolVersion": MODERN, f"{RESERVED}/clientCapabilities": {}}
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {**self._headers, "mcp-name": tool}
        answer = await self._client.post(self._url, content=json.dumps(message), headers=headers)
        if answer.status_code != 200:
            return str(answer.status_code)
        return "refused" if answer_of(answer)["result"]["isError"] else "answered"


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


def client_of() -> httpx.AsyncClient:
    """Return a client with as many connections as its calls need."""
    return httpx.AsyncClient(timeout=300, trust_env=False, limits=httpx.Limits())


async def attack(url: str, tokens: list[str], end: Connection) -> Counter[str]:
    """Call as all hostile owners until the other end says so; return what became of it.

    What counts begins with the second answer; that the first has come is sent to the other end.
    """
    served: Counter[str] = Counter()
    first = asyncio.Event()
    async with client_of() as client:

        async def repeat(name: str, owner: Owner, number: int) -> None:
            calls = hostile_calls(name)
            while True:
                number += 1
                served[await owner.call(*calls[number % len(calls)])] += 1
                first.set()

        tasks = [
            asyncio.create_task(repeat(f"o{n + 1}", Owner(client, url, token), number))
            for n, token in enumerate(tokens)
            for number in range(AT_ONCE)
        ]
        await first.wait()
        served.clear()
        end.send("begun")
        await asyncio.to_thread(end.poll, None)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        served.update(f"broken: {each!r}" for each in ended if isinstance(each, Exception))
    return served


def run_attack(url: str, tokens: list[str], end: Connection) -> None:
    """Attack in a process of its own, and send back what became of it."""
    end.send(asyncio.run(attack(url, tokens, end)))


@contextmanager
def attacking(url: str, tokens: list[str]) -> Iterator[None]:
    """Let the hostile owners call; go on after an answer; print what became of the others."""
    ours, theirs = multiprocessing.Pipe()
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=run_attack, args=(url, tokens, theirs))
    process.start()
    ours.recv()
    try:
        yield
    finally:
        ours.send("end")
        print("hostile requests:", dict(ours.recv()), flush=True)
        process.join()


async def measure(url: str, token: str, seconds: float) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each `recall` and each `/healthz`."""
    async with client_of() as client:
        modest = Owner(client, url, token)

        async def recall() -> None:
            assert await modest.call("recall", {"userId": "o0", "text": "tea"}) == "answered"

        async def health() -> None:
            assert (await client.get(url.replace("/mcp", "/healthz"))).status_code == 200

        return await asyncio.gather(timed(recall, seconds), timed(health, seconds))


async def settle(url: str, token: str, hostile: str) -> None:
    """Give the well-behaved owner memories, and let a hostile one load what is loaded at first."""
    async with client_of() as client:
        modest = Owner(client, url, token)
        for number in range(STORED):
            content = f"Tea number {number} is green."
            given = {"userId": "o0", "sessionId": "s", "content": content}
            await modest.call("remember", {**given, "primarySector": "semantic"})
        await modest.call("recall", {"userId": "o0", "text": "tea"})
        for tool, arguments in hostile_calls("o1"):
            await Owner(client, url, hostile).call(tool, arguments)


def compare(url: str, hostile: str, tokens: list[str], seconds: float) -> None:
    """Print the figures of one run."""
    asyncio.run(settle(url, *tokens[:2]))
    quiet = asyncio.run(measure(url, tokens[0], seconds))
    with attacking(hostile, tokens[1:]):
        beside = asyncio.run(measure(url, tokens[0], seconds))
    for name, found in zip(("recall", "healthz"), zip(quiet, beside, strict=True), strict=True):
        print(summary(f"quiet {name}", found[0]), "|", summary(f"beside {name}", found[1]))


def main() -> None:
    """Serve, and measure each run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--owners", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--own-server", action="store_true")
    given = parser.parse_args()
    with running_server() as postgres, tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path = folder / "tokens"
        tokens = [token_for(path, f"o{n}") for n in range(given.owners + 1)]
        for _ in range(given.runs):
            with ExitStack() as stack:
                env = environment(
                    folder,
                    DATABASE_URL=postgres.address.dsn(
                        "postgres", stack.enter_context(postgres.clone())
                    ),
                    REASONLOOM_TOKENS=str(path),
                    REASONLOOM_CALLER_REQUESTS_PER_MINUTE="100000",
                )
                count = 2 if given.own_server else 1
                servers = [
                    stack.enter_context(web(env, folder / "cwd", COLD)) for _ in range(count)
                ]
                compare(servers[0].url, servers[-1].url, tokens, given.seconds)


if __name__ == "__main__":
    main()
