"""Owners take places in turn, however many calls one of them has."""

from __future__ import annotations

import asyncio

import pytest

from reasonloom.server.http.heavy_calls.turns import Turns


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_an_owner_waits_for_one_call_of_each_other_owner() -> None:
    turns, order = Turns(1), list[str]()

    async def call(owner: str) -> None:
        async with turns.place(owner):
            order.append(owner)
            await asyncio.sleep(0)

    await asyncio.gather(*(call(owner) for owner in ["a"] * 5 + ["b"] * 5 + ["c"]))
    assert set(order[:4]) == {"a", "b", "c"}
    assert sorted(order) == ["a"] * 5 + ["b"] * 5 + ["c"]


async def test_an_owner_has_at_most_half_of_the_places() -> None:
    turns, inside, end = Turns(4), list[str](), asyncio.Event()

    async def call(owner: str) -> None:
        async with turns.place(owner):
            inside.append(owner)
            await end.wait()

    calls = [asyncio.create_task(call(owner)) for owner in "aaaaab"]
    await settled()
    assert sorted(inside) == ["a", "a", "b"]
    end.set()
    await asyncio.gather(*calls)
    assert len(inside) == 6


async def test_cancelled_calls_take_no_place_and_lose_none() -> None:
    turns, inside, end = Turns(2), list[str](), asyncio.Event()

    async def call(owner: str) -> None:
        async with turns.place(owner):
            inside.append(owner)
            await end.wait()

    calls = [asyncio.create_task(call(f"o{n % 7}")) for n in range(1_000)]
    await settled()
    assert len(inside) == 2
    for each in calls:
        each.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.gather(*calls)
    await settled()
    end.set()
    inside.clear()
    await asyncio.gather(*(call(f"o{n}") for n in range(10)))
    assert len(inside) == 10
