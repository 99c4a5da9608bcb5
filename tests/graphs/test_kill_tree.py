"""kill -9 while a tree is explored: it is stored whole and once, and no reply is paid twice."""

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

TREE = ("reasoning_tree", "tree", {"content": "Where shall we eat?", "max_branches": 2})
CALLS = 6
"""One proposal, two branches, three ballots."""

EXPECTED = {"sessions": 1, "thoughts": 3, "branches": 3, "memories": 1, "leases": 0}


def rows(access: Access, owner: str) -> dict[str, int]:
    with psycopg.connect(access.admin) as connection:
        return {
            table: connection.execute(
                f"SELECT count(*) FROM {table} WHERE owner = %s".encode(), (owner,)
            ).fetchall()[0][0]
            for table in EXPECTED
        }


async def check(arena: Arena, order: Order) -> None:
    """Ask again with the same key, and hold what is stored against what was said."""
    before, recorded = rows(arena.access, order.owner), arena.count(order.owner)["llm_calls"]
    bill = paid(order)
    arena.survivor.loom = replace(arena.survivor.loom, llm=PaidLlm(order.book))
    answer = await victim.call(arena.survivor, order)
    if order.answer.exists():
        assert before == EXPECTED, "acknowledged, and lost"
        assert json.loads(order.answer.read_text()) == answer
    else:
        assert before["thoughts"] in (0, 3), "a tree that is not whole"
    assert rows(arena.access, order.owner) == EXPECTED
    assert paid(order) - bill == CALLS - recorded, "a recorded reply was paid again"
    assert arena.count(order.owner)["llm_calls"] == CALLS
    assert (answer["branches_explored"], answer["ballots"]) == (2, 3)
    assert await victim.call(arena.survivor, order) == answer


async def strike_at(arena: Arena, points: Sequence[int], trips: int) -> None:
    for point in points:
        for moment in ("before", "after"):
            order = arena.order(TREE, f"{moment} {point}")
            fell = await arena.strike(order, point, "before" if moment == "before" else "after")
            assert fell or point > trips - RENEWALS, "the victim was not killed"
            await check(arena, order)


async def round_trips(arena: Arena) -> int:
    order = arena.order(TREE, "undisturbed")
    await arena.strike(order, None, "before")
    trips = arena.blade.seen
    assert paid(order) == CALLS
    await check(arena, order)
    return trips


async def test_a_kill_stores_no_half_tree_and_pays_nothing_twice(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        trips = await round_trips(ground)
        await strike_at(ground, range(4, trips + 1, max(1, trips // 8)), trips)


@pytest.mark.faults
@pytest.mark.timeout(1800)
async def test_a_kill_at_every_round_trip_stores_no_half_tree_and_pays_nothing_twice(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        trips = await round_trips(ground)
        await strike_at(ground, range(1, trips + 1), trips)
