"""kill -9 while perspectives are taken at once: each is paid once, and all are stored or none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from reasonloom.stores.access import Access
from tests.graphs.test_kill import RENEWALS
from tests.support import victim
from tests.support.arena import Arena, arena, paid
from tests.support.databases import TestPostgres
from tests.support.victim import Order, PaidLlm

DIVERGENT = (
    "reasoning_divergent",
    "divergent",
    {"content": "How is Anna kept safe?", "num_perspectives": 3, "constraints": ["no peanuts"]},
)
CALLS = 3 + 1 + 3 + 1
"""Perspectives, the plain answer, a check of each perspective, the synthesis."""

EXPECTED = {"thoughts": 4, "branches": 4, "memories": 1, "sessions": 1, "llm_calls": CALLS,
            "leases": 0}  # fmt: skip


def rows(access: Access, owner: str) -> dict[str, int]:
    with psycopg.connect(access.admin) as connection:
        return {
            table: connection.execute(
                f"SELECT count(*) FROM {table} WHERE owner = %s".encode(), (owner,)
            ).fetchall()[0][0]
            for table in EXPECTED
        }


async def check(arena: Arena, order: Order) -> None:
    """Ask again with the same key: what was recorded is not paid again, nothing is doubled."""
    before, bill = rows(arena.access, order.owner), paid(order)
    arena.survivor.loom = replace(arena.survivor.loom, llm=PaidLlm(order.book))
    answer = await victim.call(arena.survivor, order)
    if order.answer.exists():
        assert before == EXPECTED, "acknowledged, and lost"
        assert json.loads(order.answer.read_text()) == answer
    else:
        assert before["thoughts"] in (0, EXPECTED["thoughts"]), "half-stored"
    assert rows(arena.access, order.owner) == EXPECTED
    assert paid(order) - bill == CALLS - before["llm_calls"], "a recorded reply was paid again"
    assert len(answer["perspectives"]) == 3
    assert all(each["constraints"][0]["by"] == "llm" for each in answer["perspectives"])
    assert await victim.call(arena.survivor, order) == answer


async def strike_at(arena: Arena, points: Sequence[int], trips: int) -> None:
    for point in points:
        for moment in ("before", "after"):
            order = arena.order(DIVERGENT, f"{moment} {point}")
            fell = await arena.strike(order, point, "before" if moment == "before" else "after")
            assert fell or point > trips - RENEWALS, "the victim was not killed"
            await check(arena, order)


async def round_trips(arena: Arena) -> int:
    order = arena.order(DIVERGENT, "undisturbed")
    await arena.strike(order, None, "before")
    trips = arena.blade.seen
    await check(arena, order)
    return trips


async def test_a_kill_pays_no_perspective_twice(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        trips = await round_trips(ground)
        await strike_at(ground, range(4, trips + 1, max(1, trips // 4)), trips)


@pytest.mark.faults
@pytest.mark.timeout(1800)
async def test_a_kill_at_every_round_trip_pays_no_perspective_twice(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        trips = await round_trips(ground)
        await strike_at(ground, range(1, trips + 1), trips)
