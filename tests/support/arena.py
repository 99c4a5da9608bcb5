"""A database with a blade before it, an engine that lives on, and what must hold of both."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from reasonloom.compose import open_engine
from reasonloom.graphs.engine import Engine
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.migrations.rls import APP_ROLE
from tests.support import victim
from tests.support.databases import TestPostgres
from tests.support.guillotine import Guillotine, Moment, guillotine
from tests.support.victim import Order, PaidLlm, obey

What = tuple[str, str, dict[str, Any]]
"""A tool, its graph, and the arguments."""

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.support.victim"])
LINEAR = ("reasoning_linear", "linear", {"content": "What must we tell the restaurant?"})
REMEMBER = (
    "remember",
    "remember",
    {
        "content": "Anna is allergic to peanuts.",
        "userId": "local",
        "sessionId": "kitchen",
        "primarySector": "semantic",
    },
)
EVERY_SECTOR = 31
EVERY = {
    "runs": 1,
    "sessions": 1,
    "memories": 1,
    "leases": 0,
}
EXPECTED = {
    "reasoning_linear": {**EVERY, "thoughts": 1, "llm_calls": 1},
    "remember": {**EVERY, "thoughts": 0, "llm_calls": 0},
}


@dataclass
class Arena:
    """A database, a blade before it, and the engine that lives on."""

    access: Access
    database: str
    blade: Guillotine
    survivor: Engine
    folder: Path

    def order(self, what: What, owner: str) -> Order:
        tool, graph, request = what
        conninfo = self.blade.conninfo(APP_ROLE, self.database, "-c search_path=reasonloom,public")
        return Order(
            conninfo=conninfo,
            owner=owner,
            tool=tool,
            graph=graph,
            request={**request, "userId": owner} if "userId" in request else request,
            key="the key",
            book=self.folder / f"{owner}.book",
            answer=self.folder / f"{owner}.answer",
        )

    async def strike(self, order: Order, at: int | None, moment: Moment) -> bool:
        """Let a victim obey and kill it at a round trip; tell whether it came that far."""
        self.blade.falls_at, self.blade.moment, self.blade.seen = at, moment, 0
        self.blade.victim = None
        self.blade.fallen.clear()
        process = FORKS.Process(target=obey, args=(order,))
        await asyncio.to_thread(process.start)
        self.blade.victim = process.pid
        await asyncio.to_thread(process.join, 60)
        fell = self.blade.fallen.is_set()
        assert process.exitcode == (-9 if fell else 0)
        return fell

    def count(self, owner: str) -> dict[str, int]:
        """Return how many rows an owner has in each table."""
        with psycopg.connect(self.access.admin) as connection:
            return {
                table: connection.execute(
                    f"SELECT count(*) FROM {table} WHERE owner = %s".encode(), (owner,)
                ).fetchall()[0][0]
                for table in (*EVERY, "thoughts", "llm_calls", "edges")
            }

    def views(self, owner: str) -> int:
        """Return the sum of the bits of the sectors that an owner's vectors are views of."""
        with psycopg.connect(self.access.admin) as connection:
            query = "SELECT coalesce(sum(sectors), 0) FROM embeddings WHERE owner = %s"
            return int(connection.execute(query, (owner,)).fetchall()[0][0])

    async def check(self, order: Order) -> None:
        """Ask again with the same key, and hold what is stored against what was said."""
        before = self.count(order.owner)
        paid_before = paid(order)
        survivor = replace(self.survivor.loom, llm=PaidLlm(order.book))
        self.survivor.loom = survivor
        answer = await victim.call(self.survivor, order)
        if order.answer.exists():
            assert before["memories"] == 1, "acknowledged, and lost"
            assert json.loads(order.answer.read_text()) == answer
        after = self.count(order.owner)
        assert {table: after[table] for table in EXPECTED[order.tool]} == EXPECTED[order.tool]
        assert self.views(order.owner) == EVERY_SECTOR
        if before["llm_calls"]:
            assert paid(order) == paid_before, "a recorded reply was paid again"
        assert await victim.call(self.survivor, order) == answer


def paid(order: Order) -> int:
    return len(order.book.read_text().splitlines()) if order.book.exists() else 0


@asynccontextmanager
async def arena(
    postgres: TestPostgres, access: Access, database: str, folder: Path
) -> AsyncIterator[Arena]:
    settings = Settings(lease_seconds=0.5, llm="offline")
    async with (
        guillotine(postgres.address) as blade,
        open_engine(settings, access=access, embedder=victim.EMBEDDER, recover=False) as survivor,
    ):
        yield Arena(access, database, blade, survivor, folder)
