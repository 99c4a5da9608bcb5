"""Callers that keep replicas busy: each sends its next call as soon as its last is answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

import httpx

from reasonloom.evals.bench.server.servers import Caller, result_of

TOOL = "reasoning_linear"
QUESTION = "What must we tell the restaurant?"


@dataclass(frozen=True, slots=True)
class Flight:
    """A call under way: whose it is, and the port of its replica."""

    owner: str
    port: int


@dataclass
class Load:
    """The callers, an owner and a token each, and a balancer that takes the ports in turn.

    Attributes:
        ports: replicas that are asked now; one that breaks a connection is asked no more.
        flying: the calls that are under way, by their idempotency keys.
        took: when each call was answered, by `time.perf_counter`, and its seconds.
        broken: calls that a replica left without an answer.
        failed: what was answered to calls that failed.
    """

    client: httpx.AsyncClient
    tokens: Mapping[str, str]
    ports: list[int]
    flying: dict[str, Flight] = field(default_factory=dict)
    took: list[tuple[float, float]] = field(default_factory=list)
    broken: int = 0
    failed: list[str] = field(default_factory=list)
    _turn: int = 0

    async def run(self, seconds: float) -> None:
        """Keep all callers at it for so long; calls that are under way then are waited for."""
        until = time.perf_counter() + seconds
        async with asyncio.TaskGroup() as tasks:
            for owner, token in self.tokens.items():
                tasks.create_task(self._keep_calling(owner, Caller(self.client, token), until))

    async def _keep_calling(self, owner: str, caller: Caller, until: float) -> None:
        while time.perf_counter() < until:
            await self._call(owner, caller)

    async def _call(self, owner: str, caller: Caller) -> None:
        self._turn += 1
        port = self.ports[self._turn % len(self.ports)]
        key = str(uuid4())
        self.flying[key] = Flight(owner, port)
        started = time.perf_counter()
        try:
            result_of(await caller.call(port, TOOL, {"content": QUESTION}, key))
            ended = time.perf_counter()
            self.took.append((ended, ended - started))
        except httpx.TransportError:
            self.broken += 1
            if port in self.ports and len(self.ports) > 1:
                self.ports.remove(port)
        except RuntimeError as error:
            self.failed.append(str(error))
        finally:
            del self.flying[key]

    def within(self, begun: float, ended: float) -> list[float]:
        """Return the seconds of the calls that were answered between two moments."""
        return [took for at, took in self.took if begun <= at < ended]


async def burst(
    client: httpx.AsyncClient, token: str, port: int, calls: int
) -> Sequence[tuple[int, float]]:
    """Send calls of one owner to one replica at once; return status and seconds of each.

    A call without an answer in time has the status 0.
    """
    caller = Caller(client, token)

    async def one() -> tuple[int, float]:
        started = time.perf_counter()
        try:
            status = (await caller.call(port, TOOL, {"content": QUESTION})).status_code
        except httpx.TransportError:
            status = 0
        return status, time.perf_counter() - started

    return await asyncio.gather(*(one() for _ in range(calls)))
