"""Unfinished runs: every mode that calls a language model, stopped before one of its calls.

`dumps` stores them in the dump of a version; a test of the next version resumes them.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import psycopg

from reasonloom.compose import open_engine
from reasonloom.llm.interfaces import Ask, Reply
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.killing import victim
from tests.support.killing.scenes.reasoning import AGREED, DELIBERATE, SCENES
from tests.support.killing.scenes.scene import Scene
from tests.support.killing.victim import EMBEDDER, Order, PaidLlm

UNFINISHED = [
    each
    for each in SCENES
    if each.calls and each.make is victim.call and each not in (AGREED, DELIBERATE)
]
"""The scenes that call a language model; the released backups have one run of `auto`, and none of
what deliberates."""

EXIT_STATUS = 7
"""Of a process that stopped before a call."""


@dataclass
class StoppingLlm(PaidLlm):
    """A language model whose process exits once it has given some answers."""

    left: int = 1

    async def answer(self, ask: Ask) -> Reply:
        """Give an answer, or end the process once earlier answers had time to be saved."""
        if not self.left:
            await asyncio.sleep(0.3)
            os._exit(EXIT_STATUS)
        self.left -= 1
        return await super().answer(ask)


def _stop(order: Order, left: int) -> None:
    asyncio.run(_begin(order, left))


async def _begin(order: Order, left: int) -> None:
    settings = Settings(user=order.owner, lease_seconds=order.lease)
    access = Access(admin=order.conninfo, app=order.conninfo)
    llm = StoppingLlm(order.book, order.bell, left=left)
    async with open_engine(
        settings, access=access, llm=llm, embedder=EMBEDDER, recover=False
    ) as engine:
        await order.make(engine, order)


async def leave_unfinished(access: Access) -> dict[str, str]:
    """Begin a call of every mode that calls a language model, and stop it; return the runs."""
    runs = {}
    with tempfile.TemporaryDirectory() as place:
        for scene in UNFINISHED:
            runs[scene.name] = await _leave(access, scene, Path(place))
    return runs


async def _leave(access: Access, scene: Scene, place: Path) -> str:
    owner = f"half-way {scene.name}"
    book = place / "book"
    settings = Settings(user=owner)
    async with open_engine(
        settings, access=access, llm=PaidLlm(book), embedder=EMBEDDER, recover=False
    ) as engine:
        request = await scene.prepare(engine, owner)
    order = Order(
        access.app, 0, owner, scene.tool, scene.graph, request, scene.make, book, place / "answer"
    )
    child = multiprocessing.get_context("spawn").Process(
        target=_stop, args=(order, scene.calls // 2)
    )
    child.start()
    await asyncio.to_thread(child.join)
    if child.exitcode != EXIT_STATUS:
        raise RuntimeError(f"{scene.name} was not stopped: {child.exitcode}")
    with psycopg.connect(access.admin) as connection:
        (row,) = connection.execute(
            "SELECT id FROM reasonloom.runs WHERE owner = %s AND status = 'running'", (owner,)
        ).fetchall()
    return str(row[0])
