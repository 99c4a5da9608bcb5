"""A database with a blade before it, an engine that lives on, and what must hold of both."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.leases import Recovery
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.migrations.rls import APP_ROLE
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import (
    CALLS,
    LEASES,
    Census,
    census,
    counted,
    no_longer_at_work,
    stray_steps,
)
from tests.support.killing import victim
from tests.support.killing.guillotine import VICTIM, Choice, Guillotine, Moment, guillotine, never
from tests.support.killing.scenes.scene import Doubled, HalfStored, Lost, NotResumed, Scene
from tests.support.killing.victim import LEASE, Order, PaidLlm, obey
from tests.support.killing.watch import IDLE, ended

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.support.killing.victim", "tests.support.killing.preload"])
KILLED = -9
NAMED_ANEW = re.compile(
    r"(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)"
    r'|(?<="processingTime": )[0-9.e+-]+'
)
"""What differs between two calls that come to the same: uuids, times, and how long they took."""


@dataclass(frozen=True)
class Staged:
    """One performance of a scene: its order, and what its owner had before."""

    scene: Scene
    order: Order
    prepared: Census


@dataclass(frozen=True)
class Rehearsed:
    """A scene that nobody disturbed: the points it reached, what it left and answered."""

    points: list[str]
    left: Census
    answer: str
    calls: int


@dataclass
class Arena:
    """A database, a blade before it, and the engine that lives on."""

    access: Access
    database: str
    blade: Guillotine
    survivor: Engine
    folder: Path

    async def stage(
        self, scene: Scene, owner: str, *, lease: float = LEASE, hasty: bool = False
    ) -> Staged:
        """Prepare a scene for an owner of its own; leases of its runs last `lease` seconds."""
        self._pay_from(self.folder / f"{owner}.before")
        request = await scene.prepare(self.survivor, owner)
        options = "-c search_path=reasonloom,public"
        order = Order(
            conninfo=self.blade.conninfo(APP_ROLE, self.database, options),
            bell=self.blade.bell,
            owner=owner,
            tool=scene.tool,
            graph=scene.graph,
            request=request,
            make=scene.make,
            book=self.folder / f"{owner}.book",
            answer=self.folder / f"{owner}.answer",
            lease=lease,
            hasty=hasty,
        )
        await self.survivor.journal.flush()
        return Staged(scene, order, census(self.access, owner))

    async def strike(self, staged: Staged, falls: Choice, moment: Moment = "before") -> bool:
        """Let a victim obey and kill it at the chosen point; tell whether it came that far."""
        self.blade.raise_again(falls, moment)
        process = FORKS.Process(target=obey, args=(staged.order,))
        await asyncio.to_thread(process.start)
        self.blade.victim = process.pid
        await ended(process.pid, self.blade)
        process.join()
        fell = self.blade.fallen.is_set()
        assert process.exitcode == (KILLED if fell else 0)
        await no_longer_at_work(self.access, VICTIM)
        return fell

    async def rehearse(self, scene: Scene) -> Rehearsed:
        """Let a scene end undisturbed; hold what it leaves against what the scene says."""
        staged = await self.stage(scene, f"undisturbed {scene}")
        await self.strike(staged, never)
        left, points = census(self.access, staged.order.owner), list(self.blade.reached)
        added = {table: left[table] - staged.prepared[table] for table in scene.adds}
        assert added == scene.adds
        assert left[LEASES] == 0
        calls = left[CALLS] - staged.prepared[CALLS]
        assert paid(staged.order) == calls == scene.calls, (paid(staged.order), calls)
        told = json.loads(staged.order.answer.read_text())
        rehearsed = Rehearsed(points, left, same_words(told), calls)
        await self.check(staged, rehearsed)
        return rehearsed

    async def check(self, staged: Staged, rehearsed: Rehearsed, *, by_lease: bool = False) -> None:
        """Hold what is stored against what was said, ask again, and look once more."""
        order, scene = staged.order, staged.scene
        before, bill = census(self.access, order.owner), paid(order)
        if order.answer.exists():
            if before != rehearsed.left:
                raise Lost(f"acknowledged, and lost: {differing(before, rehearsed.left)}")
        else:
            scene.midway(self.access, order.owner, staged.prepared, before, rehearsed.left)
        self._pay_from(order.book)
        await self.time_passes(order.owner, by_lease=by_lease)
        answer = await order.make(self.survivor, order)
        if order.answer.exists() and json.loads(order.answer.read_text()) != answer:
            raise Doubled("another answer than was told")
        if same_words(answer) != rehearsed.answer:
            raise Doubled("another answer than an undisturbed call's")
        await self._holds(order.owner, rehearsed)
        unpaid = rehearsed.calls - (before[CALLS] - staged.prepared[CALLS])
        if paid(order) - bill != unpaid:
            raise Doubled("a recorded reply was paid again, or one is missing")
        if await order.make(self.survivor, order) != answer:
            raise Doubled("another answer to the same key")
        if paid(order) - bill != unpaid:
            raise Doubled("paid for an answer that was there")
        await self._holds(order.owner, rehearsed)
        await scene.after(self.survivor, order.owner, answer)

    async def _holds(self, owner: str, rehearsed: Rehearsed) -> None:
        await self.survivor.journal.flush()
        now = census(self.access, owner)
        if now != rehearsed.left:
            more = any(count > rehearsed.left[table] for table, count in now.items())
            raise (Doubled if more else Lost)(differing(now, rehearsed.left))
        if stray_steps(self.access, owner):
            raise HalfStored("saved steps of no run")

    async def time_passes(self, owner: str, *, by_lease: bool) -> None:
        """Let an owner's leases run out; `by_lease` also lets recovery finish what they held."""
        with psycopg.connect(self.access.admin) as connection:
            end = "UPDATE leases SET until = now() - interval '1 second' WHERE owner = %s"
            connection.execute(end, (owner,))
        if not by_lease:
            return
        looking = asyncio.create_task(self.look_around())
        try:
            async with asyncio.timeout(IDLE):
                while counted(self.access, LEASES, owner):
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise NotResumed("a run whose lease ran out was not finished") from None
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)

    async def look_around(self) -> None:
        """Take up what others left, for ever."""
        await Recovery(self.survivor).run()

    def _pay_from(self, book: Path) -> None:
        self.survivor.loom = replace(self.survivor.loom, llm=PaidLlm(book))


def differing(found: Census, wanted: Census) -> str:
    """Tell which tables have other counts than they should."""
    tables = sorted(name for name in found if found[name] != wanted[name])
    return ", ".join(f"{name} {found[name]} for {wanted[name]}" for name in tables)


def paid(order: Order) -> int:
    """Return how often the language model was paid for an order."""
    return len(order.book.read_text().splitlines()) if order.book.exists() else 0


def same_words(answer: dict[str, Any]) -> str:
    """Return an answer's text with its uuids numbered as they come, and without its times."""
    found: dict[str, int] = {}

    def named(match: re.Match[str]) -> str:
        return f"id {found.setdefault(match['id'], len(found))}" if match["id"] else "then"

    return NAMED_ANEW.sub(named, json.dumps(answer, sort_keys=True))


@asynccontextmanager
async def arena(
    postgres: TestPostgres, access: Access, database: str, folder: Path
) -> AsyncIterator[Arena]:
    """Yield an arena on a test's own database."""
    settings = Settings(lease_seconds=LEASE, llm="offline")
    async with (
        guillotine(postgres.address) as blade,
        open_engine(settings, access=access, embedder=victim.EMBEDDER, recover=False) as survivor,
    ):
        yield Arena(access, database, blade, survivor, folder)
