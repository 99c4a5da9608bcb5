"""A worker is killed at named points of an item: its answer comes, and no call is paid twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from reasonloom.stores.access import SEARCH_PATH, Access
from reasonloom.stores.migrations.rls import APP_ROLE
from reasonloom.workers.spread import Spread
from tests.support.databases.postgres import TestPostgres
from tests.support.killing.guillotine import Choice, Guillotine, Moment, guillotine, never
from tests.support.workers.process import paid, wait_for_workers, worker
from tests.workers.test_evals import TREE, evaluate, summaries, ways

STEP, RECORDED, WRITE, COMMIT, READ = "saved step", "recorded reply", "write", "commit", "read"


def point(steps: int, *wanted: str) -> Choice:
    """Choose the place of names in their order, after so many saved steps."""
    seen, left = 0, list(wanted)

    def falls(_: int, name: str) -> bool:
        nonlocal seen
        if seen >= steps and left and name == left[0]:
            left.pop(0)
            return not left
        seen += name == STEP
        return False

    return falls


async def spread(access: Access, victim: Access, blade: Guillotine, folder: Path) -> list[str]:
    """Answer one item on a worker behind the blade; another one comes once it has fallen."""
    folder.mkdir()
    book = folder / "book"
    with worker(victim, book, concurrency=1) as process:
        blade.victim = process.pid
        await asyncio.to_thread(wait_for_workers, access, 1)
        running = asyncio.create_task(
            evaluate(access, folder / "run.jsonl", Spread(TREE), book, suite=ways(1))
        )
        falling = asyncio.create_task(blade.fallen.wait())
        await asyncio.wait([running, falling], return_when=asyncio.FIRST_COMPLETED)
        if not falling.done():
            falling.cancel()
            ran = await running
            process.kill()  # to stop by itself it would need the blade, which this thread serves
            return [*summaries(ran.log), *sorted(paid(book))]
        with worker(access, book):
            ran = await running
    assert process.returncode == -9
    assert not Counter(paid(book)) - Counter(set(paid(book)))
    return [*summaries(ran.log), *sorted(paid(book))]


async def test_no_named_point_loses_an_item_or_pays_twice(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    access = postgres.access(database)
    async with guillotine(postgres.address) as blade:
        proxied = blade.conninfo(APP_ROLE, database, SEARCH_PATH)
        victim = Access(access.admin, proxied)
        expected = await spread(access, victim, blade, tmp_path / "undisturbed")
        steps = blade.reached.count(STEP)
        points: list[tuple[str, Choice, Moment]] = [
            ("recorded", point(0, RECORDED, RECORDED), "after"),
            ("before-answer", point(steps, WRITE), "before"),
            ("after-answer", point(steps, WRITE), "after"),
            ("finish", point(steps, WRITE, COMMIT, READ), "before"),
        ]
        for name, choice, moment in points:
            blade.raise_again(choice, moment)
            found = await spread(access, victim, blade, tmp_path / name)
            assert blade.struck, name
            assert found == expected, name
            blade.raise_again(never, "before")


@pytest.mark.parametrize("at", [1, 5])
async def test_a_worker_killed_before_a_call_is_replaced(
    access: Access, tmp_path: Path, at: int
) -> None:
    alone, book = tmp_path / "alone", tmp_path / "spread"
    one = await evaluate(access, tmp_path / "one.jsonl", TREE, alone)
    with worker(access, book, at=at, concurrency=1) as dying:
        await asyncio.to_thread(wait_for_workers, access, 1)
        running = asyncio.create_task(evaluate(access, tmp_path / "two.jsonl", Spread(TREE), book))
        await asyncio.to_thread(dying.wait, 60)
        with worker(access, book):
            two = await running
    assert dying.returncode == -9
    assert summaries(two.log) == summaries(one.log)
    assert Counter(paid(book)) == Counter(paid(alone))
