"""kill -9 while going back: the state is restored once, and the new thought is paid once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reasonloom.stores.access import Access
from tests.graphs.test_kill import RENEWALS
from tests.support import victim
from tests.support.arena import Arena, arena, paid
from tests.support.databases import TestPostgres
from tests.support.sessions import answered
from tests.support.victim import Order, PaidLlm

TABLES = ("thoughts", "branches", "session_checkpoints", "state_snapshots", "leases")
EXPECTED = {
    "thoughts": 3,
    "branches": 2,
    "session_checkpoints": 1,
    "state_snapshots": 1,
    "leases": 0,
}


async def prepared(arena: Arena, owner: str) -> Order:
    """Think, set a checkpoint and think on as `owner`; return the order to go back."""
    arena.survivor.loom = replace(arena.survivor.loom, llm=PaidLlm(arena.folder / "survivor.book"))
    thinker: dict[str, Any] = {"owner": owner}
    first = await answered(arena.survivor, "linear", content="a", **thinker)
    session = first["session_id"]
    point = await answered(
        arena.survivor, "checkpoint_create", session_id=session, name="p", **thinker
    )
    await answered(arena.survivor, "linear", content="b", session_id=session, **thinker)
    request = {"checkpoint_id": point["id"], "new_direction": "x"}
    return arena.order(("reasoning_backtrack", "backtrack", request), owner)


def rows(access: Access, owner: str) -> dict[str, int]:
    with psycopg.connect(access.admin) as connection:
        return {
            table: connection.execute(
                f"SELECT count(*) FROM {table} WHERE owner = %s".encode(), (owner,)
            ).fetchall()[0][0]
            for table in TABLES
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
    assert rows(arena.access, order.owner) == EXPECTED
    if recorded == 3:
        assert paid(order) == bill, "a recorded reply was paid again"
    listed = await answered(
        arena.survivor, "tree_list", owner=order.owner, session_id=answer["session_id"]
    )
    assert listed["active_branch_id"] == answer["branch_id"]
    assert [each["state"] for each in listed["branches"]] == ["active", "active"]
    assert listed["branches"][1]["head_thought_id"] == answer["thought_id"]
    assert await victim.call(arena.survivor, order) == answer


async def strike_at(arena: Arena, points: Sequence[int], trips: int) -> None:
    for point in points:
        for moment in ("before", "after"):
            order = await prepared(arena, f"{moment} {point}")
            fell = await arena.strike(order, point, "before" if moment == "before" else "after")
            assert fell or point > trips - RENEWALS, "the victim was not killed"
            await check(arena, order)


async def round_trips(arena: Arena) -> int:
    order = await prepared(arena, "undisturbed")
    await arena.strike(order, None, "before")
    trips = arena.blade.seen
    await check(arena, order)
    return trips


async def test_a_kill_restores_nothing_half_or_twice(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        trips = await round_trips(ground)
        await strike_at(ground, range(4, trips + 1, max(1, trips // 5)), trips)


@pytest.mark.faults
@pytest.mark.timeout(1800)
async def test_a_kill_at_every_round_trip_restores_nothing_half_or_twice(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        trips = await round_trips(ground)
        await strike_at(ground, range(1, trips + 1), trips)
