"""An arena whose victims are servers: a client calls, the server dies, another server goes on."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import RequestParamsMeta

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.server.auth.scopes import OFFERED_SCOPES
from reasonloom.server.auth.token_file import append_entry, new_entry
from reasonloom.server.tool import IDEMPOTENCY_KEY
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import no_longer_at_work
from tests.support.killing import victim
from tests.support.killing.arena import KILLED, Arena, Staged
from tests.support.killing.guillotine import VICTIM, Choice, Moment, guillotine, never
from tests.support.killing.proxies import Door, Provider, door, provider
from tests.support.killing.scenes.scene import NotResumed, Scene
from tests.support.killing.servers import Started, cold, forked, listening, ready
from tests.support.killing.victim import LEASE, TOLD, Order
from tests.support.killing.watch import ended

MODES = ("2026-07-28", "legacy")
LONG, SHORT = 3600.0, 1.0
"""Seconds of a lease: of a victim's, which time does not end, and of the server that lives on."""

HEARD = 10.0
"""Seconds in which a client hears the answer that has passed the door, or that nothing comes."""

QUIET = 0.1
"""Seconds without a round trip after which a server rests."""

TOOLS = ("remember", "reasoning_linear", "conversation_log", "consolidate_memories")
"""All that the servers offer, so that they start soon."""

MOST_TRIES = 50
KEYED = cast("RequestParamsMeta", {IDEMPOTENCY_KEY: "the key"})


@dataclass
class ServerArena(Arena):
    """A database, a server that lives on, and all that stands around one that dies."""

    door: Door
    provider: Provider
    url: str = ""
    cold_starts: int = 0
    mode: str = MODES[0]
    tokens: dict[str, str] = field(default_factory=dict)

    def environment(self, url: str, **more: str) -> dict[str, str]:
        """Return what a server on this ground is told."""
        return environment(
            self.folder / "home", DATABASE_URL=url, LOG_LEVEL="error", MAX_RETRIES="0",
            REASONLOOM_TOKENS=str(self.folder / "tokens"), REASONLOOM_TOOLS=",".join(TOOLS),
            REASONLOOM_LLM="langbase", LANGBASE_API_KEY="a-key",
            LANGBASE_BASE_URL=self.provider.url,
            REASONLOOM_CLUSTER_HOURS="0", REASONLOOM_DECAY_HOURS="0", **more,
        )  # fmt: skip

    async def stage(
        self, scene: Scene, owner: str, *, lease: float = LEASE, hasty: bool = False
    ) -> Staged:
        """Prepare a scene for an owner who has a token; its call goes through a client."""
        staged = await super().stage(scene, owner, lease=lease, hasty=hasty)
        token, entry = new_entry(owner, OFFERED_SCOPES, None)
        append_entry(self.folder / "tokens", entry)
        self.tokens[owner] = token
        return replace(staged, order=replace(staged.order, make=self._made_again))

    async def strike(
        self, staged: Staged, falls: Choice, moment: Moment = "before", *,
        fresh: bool = False, opening: bool = False,
    ) -> bool:  # fmt: skip
        """Let a server answer a client, kill it at the chosen point; tell whether it came there.

        A `fresh` server is started cold, else forked; points count from its start where it dies
        `opening`, and else from when it is ready.
        """
        self._pay_from(staged.order.book)
        self.blade.raise_again(falls if opening else never, moment)
        server = await self._started(staged.order, fresh=fresh)
        self.door.target = server.port
        self.blade.victim = server.pid
        if not opening:
            await ready(server.port)
            await self._quiet()
            self.blade.raise_again(falls, moment)
            self.blade.victim = server.pid
        asking = asyncio.create_task(self._ask(staged.order))
        await self._watched(server, asking, staged.order)
        fell = self.blade.fallen.is_set()
        self.blade.falls = never  # the language model is asked again, by another server
        code = await asyncio.to_thread(server.code)
        assert code == (KILLED if fell else 0), f"the server ended with {code}"
        await no_longer_at_work(self.access, VICTIM)
        if (self.blade.struck, moment) == (TOLD, "after"):
            assert staged.order.answer.exists(), "the client never heard what had passed the door"
        return fell

    async def _started(self, order: Order, *, fresh: bool) -> Started:
        lease = {"REASONLOOM_LEASE_SECONDS": str(LONG)}
        env = self.environment(self.blade.url(self.database), **lease)
        self.cold_starts += fresh
        return await (
            cold(env, self.folder / "cold")
            if fresh
            else forked(env, self.folder, hasty=order.hasty)
        )

    async def _quiet(self) -> None:
        """Wait until the server has done what it does as it opens, which no call asks for."""
        seen = -1
        while len(self.blade.reached) != seen:
            seen = len(self.blade.reached)
            await asyncio.sleep(QUIET)

    async def _watched(self, server: Started, asking: asyncio.Task[None], order: Order) -> None:
        """Wait until the server is dead, or has answered and is asked to end."""
        dying = asyncio.create_task(ended(server.pid, self.blade))
        await asyncio.wait({dying, asking}, return_when=asyncio.FIRST_COMPLETED)
        if not self.blade.fallen.is_set():
            await asyncio.wait({asking})
            await asyncio.sleep(2 * victim.LATE if order.hasty else 0)
            with suppress(ProcessLookupError):
                os.kill(server.pid, signal.SIGTERM)
        await dying
        await asyncio.wait({asking}, timeout=HEARD)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    async def _ask(self, order: Order) -> None:
        """Let the client ask the server behind the door, and write down what it is told."""
        if self.door.target:
            await listening(self.door.target)
        answer = await self._called(self.door.url, order)
        order.answer.write_text(json.dumps(answer))

    async def _made_again(self, engine: Engine, order: Order) -> dict[str, Any]:
        """Ask the server that lives on, with the same key, as often as it says to ask again."""
        for _ in range(MOST_TRIES):
            try:
                return await self._called(self.url, order)
            except Refused as refused:
                if not refused.retryable:
                    raise NotResumed(str(refused)) from None
            await asyncio.sleep(0.1)
        raise NotResumed("the server that lives on never answered")

    async def _called(self, url: str, order: Order) -> dict[str, Any]:
        headers = {"authorization": f"Bearer {self.tokens[order.owner]}"}
        told = None
        try:
            async with (
                httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
                Client(streamable_http_client(url, http_client=http), mode=self.mode) as client,
            ):
                await client.list_tools()  # else the client asks for them to check its answer
                told = await client.call_tool(order.tool, order.request, meta=KEYED)
        except Exception:  # the server may die after its answer, before the client takes its leave
            if told is None:
                raise
        assert told
        body = dict(told.structured_content or {})
        body.pop("metadata", None)  # how long this answer took, not what it says
        if told.is_error:
            raise Refused(body)
        return body

    async def look_around(self) -> None:
        """Leave what others left to the server that lives on, which looks by itself."""

    def _pay_from(self, book: Path) -> None:
        super()._pay_from(book)
        self.provider.book = book


class Refused(Exception):
    """A server's error, and whether it says that the call may be sent again."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(json.dumps(body))
        self.retryable = '"retryable": true' in json.dumps(body)


@asynccontextmanager
async def server_arena(
    postgres: TestPostgres, access: Access, database: str, folder: Path
) -> AsyncIterator[ServerArena]:
    """Yield an arena on a test's own database, with a server that lives on."""
    settings = Settings(lease_seconds=LEASE, llm="offline")
    async with (
        guillotine(postgres.address) as blade,
        door(blade) as before,
        provider(blade, folder / "book") as paid,
        open_engine(settings, access=access, embedder=victim.EMBEDDER, recover=False) as engine,
    ):
        made = ServerArena(access, database, blade, engine, folder, before, paid)
        append_entry(folder / "tokens", new_entry("nobody", OFFERED_SCOPES, None)[1])
        url = postgres.address.dsn("postgres", database)
        env = made.environment(url, REASONLOOM_LEASE_SECONDS=str(SHORT))
        server = await cold(env, folder / "survivor")
        try:
            await ready(server.port)
            made.url = f"http://127.0.0.1:{server.port}/mcp"
            yield made
        finally:
            os.kill(server.pid, signal.SIGTERM)
            await asyncio.to_thread(server.code)
