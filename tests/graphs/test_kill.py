"""kill -9 at any round trip to the database: nothing acknowledged is lost, nothing doubled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from reasonloom.stores.access import Access
from tests.support.arena import LINEAR, REMEMBER, Arena, What, arena
from tests.support.databases import TestPostgres

RENEWALS = 6
"""Round trips of background care that one call may meet and another not."""


async def kill_at(arena: Arena, what: What, points: Sequence[int], trips: int) -> None:
    for point in points:
        for moment in ("before", "after"):
            order = arena.order(what, f"{moment} {point}")
            fell = await arena.strike(order, point, "before" if moment == "before" else "after")
            assert fell or point > trips - RENEWALS, "the victim was not killed"
            await arena.check(order)


async def round_trips(arena: Arena, what: What) -> int:
    """Return how many round trips an undisturbed call makes, and check that it is right."""
    order = arena.order(what, "undisturbed")
    await arena.strike(order, None, "before")
    trips = arena.blade.seen
    await arena.check(order)
    return trips


@pytest.mark.parametrize("what", [LINEAR, REMEMBER], ids=["linear", "remember"])
async def test_a_kill_loses_and_doubles_nothing(
    postgres: TestPostgres,
    access: Access,
    database: str,
    tmp_path: Path,
    what: What,
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        trips = await round_trips(ground, what)
        sample = range(4, trips + 1, max(1, trips // 5))
        await kill_at(ground, what, sample, trips)


@pytest.mark.faults
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("what", [LINEAR, REMEMBER], ids=["linear", "remember"])
async def test_a_kill_at_every_round_trip_loses_and_doubles_nothing(
    postgres: TestPostgres,
    access: Access,
    database: str,
    tmp_path: Path,
    what: What,
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        trips = await round_trips(ground, what)
        await kill_at(ground, what, range(1, trips + 1), trips)


async def test_an_acknowledgement_before_the_commit_would_be_found_out(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        trips = await round_trips(ground, REMEMBER)
        found_out = 0
        for point in range(max(1, trips - 6), trips + 1):
            order = replace(ground.order(REMEMBER, f"hasty {point}"), hasty=True)
            await ground.strike(order, point, "before")
            try:
                await ground.check(order)
            except AssertionError:
                found_out += 1
        assert found_out
