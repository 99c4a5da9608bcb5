"""Owners beyond their budget of processor time go on after the others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from reasonloom.server.auth.verifier import make_verifier
from reasonloom.server.http.fair_share import (
    BURST_SECONDS,
    QUANTUM,
    Budget,
    BusyOwners,
    FairShare,
    MeteredCoroutine,
    ProcessorBudget,
    WaitingSteps,
    current_budget,
)
from reasonloom.server.http.guard import AuthMiddleware
from reasonloom.settings import Settings
from tests.support.isolation.owners import token_for

Work = Callable[[str], Any]


def burn(seconds: float) -> None:
    """Use processor time, as it is metered."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


class Many(set[ProcessorBudget]):
    """A thousand million owners: nobody's budget fills up in a test."""

    def __len__(self) -> int:
        return 10**9


class Crowd(BusyOwners):
    """Owners in flight beside a thousand million others."""

    def __init__(self) -> None:
        super().__init__()
        self.all, self.within = Many(), Many()


def budget(left: float = -1.0) -> ProcessorBudget:
    """Return a budget that fills up so slowly that it never does here."""
    made = ProcessorBudget(WaitingSteps(BusyOwners()), Crowd())
    made.spend(BURST_SECONDS - left)
    return made


def request_of(owner: str) -> Scope:
    token = AccessToken(token="t", client_id=owner, subject=owner, scopes=[])
    return {"type": "http", "path": "/mcp", "headers": [], "user": AuthenticatedUser(token)}


def serving(work: Work) -> FairShare:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await work(scope["user"].access_token.subject)

    fair = FairShare(app)
    fair._busy.all, fair._busy.within = Many(), Many()
    return fair


async def ask(fair: FairShare, owner: str) -> None:
    async def nothing(*_: Any) -> Any:
        return {}

    await asyncio.create_task(fair(request_of(owner), nothing, nothing))


async def test_a_coroutine_answers_raises_and_is_closed_as_without_a_budget() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 7

    async def fail() -> None:
        await asyncio.sleep(0)
        raise KeyError("x")

    for left in (1.0, -1.0):
        assert await MeteredCoroutine(answer(), budget(left)) == 7
        with pytest.raises(KeyError):
            await MeteredCoroutine(fail(), budget(left))


async def test_light_owners_share_what_the_exhausted_ones_leave() -> None:
    busy = BusyOwners()
    queue = WaitingSteps(busy)
    owners = [ProcessorBudget(queue, busy) for _ in range(101)]
    with ExitStack() as requests:
        for each in owners:
            requests.enter_context(each.request())
        light, *greedy = owners
        for each in greedy:
            each.charge(1_000)
        assert busy.within == {light}
        light.charge(BURST_SECONDS - 0.001)
        begun = time.monotonic()
        while time.monotonic() < begun + 0.02:  # its share of 20 ms would be 0.2 ms
            pass
        assert not light.exhausted()
        light.charge(0.015)
        assert not light.exhausted()
        assert all(each.exhausted() for each in greedy)
    assert not busy.all
    assert not busy.within


async def test_a_turn_lasts_for_a_while_and_not_for_a_step() -> None:
    own = budget()
    turns: list[int] = []

    async def work() -> None:
        for _ in range(50):
            await asyncio.sleep(0)
        turns.append(1)

    waits = 0
    plain = own.wait

    def counted() -> asyncio.Future[None]:
        nonlocal waits
        waits += 1
        return plain()

    own.wait = counted  # type: ignore[method-assign]
    await MeteredCoroutine(work(), own)
    assert turns == [1]
    assert waits < 25, f"fifty steps of microseconds need no turn each in {QUANTUM} s"


async def test_what_was_used_in_another_process_makes_nobody_wait_here() -> None:
    own = budget(1.0)
    own.charge(1_000)
    assert own.exhausted()
    await asyncio.wait_for(MeteredCoroutine(asyncio.sleep(0), own), 5)


async def test_what_is_done_is_spent() -> None:
    async def work() -> None:
        burn(0.02)
        await asyncio.sleep(0)
        burn(0.02)

    own = budget(0.03)
    await MeteredCoroutine(work(), own)
    assert own.exhausted()


async def test_a_task_that_waits_for_its_turn_is_cancelled_at_once() -> None:
    queue = WaitingSteps(BusyOwners())
    own = ProcessorBudget(queue, Crowd())
    own.spend(BURST_SECONDS + 1)
    seen: list[str] = []

    async def work() -> None:
        try:
            seen.append("begun")
            await asyncio.sleep(60)
        finally:
            seen.append("ended")

    task = asyncio.ensure_future(MeteredCoroutine(work(), own))
    while "begun" not in seen:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert seen == ["begun", "ended"]
    never = asyncio.ensure_future(MeteredCoroutine(work(), own))
    await asyncio.sleep(0)
    never.cancel()
    with pytest.raises(asyncio.CancelledError):
        await never
    following = asyncio.ensure_future(MeteredCoroutine(asyncio.sleep(0, "next"), own))
    assert await asyncio.wait_for(following, 5) == "next"


async def test_an_owner_within_the_budget_waits_for_at_most_one_step_of_others() -> None:
    order: list[str] = []

    async def steps(owner: str) -> None:
        if owner.startswith("greedy"):
            burn(BURST_SECONDS / 8)
        for _ in range(30):
            order.append(owner)
            await asyncio.sleep(0)

    async def work(owner: str) -> None:
        await asyncio.gather(*(asyncio.create_task(steps(owner)) for _ in range(12)))

    fair = serving(work)
    greedy = [asyncio.create_task(ask(fair, f"greedy {n}")) for n in range(4)]
    while len(order) < 100:
        await asyncio.sleep(0)
    order.clear()
    await ask(fair, "modest")
    waited = [owner for owner in order if owner != "modest"]
    assert order.count("modest") == 12 * 30
    assert len(waited) <= 45, "about one step in each of the loop's 40 rounds, not one of each task"
    await asyncio.gather(*greedy)
    assert {order.count(f"greedy {n}") > 0 for n in range(4)} == {True}, "all of them went on"


async def test_owners_beyond_their_budget_take_turns() -> None:
    order: list[str] = []

    async def work(owner: str) -> None:
        burn(BURST_SECONDS * 1.05)
        for _ in range(20 if owner == "b" else 100):
            order.append(owner)
            await asyncio.sleep(0)

    fair = serving(work)
    await asyncio.gather(*(ask(fair, owner) for owner in ["a"] * 5 + ["b"]))
    last = max(place for place, owner in enumerate(order) if owner == "b")
    assert order[:last].count("a") <= 60, "not five times as much for five requests"


async def test_work_in_threads_is_spent_and_does_not_fill_the_threads_of_others() -> None:
    release = asyncio.Event()
    loop = asyncio.get_running_loop()
    blocked: list[asyncio.Future[Any]] = []

    async def work(owner: str) -> None:
        if owner == "greedy":
            await asyncio.to_thread(burn, BURST_SECONDS * 1.1)
            waiting = [loop.run_in_executor(None, time.sleep, 0.3) for _ in range(20)]
            blocked.extend(waiting)
            release.set()
            await asyncio.gather(*waiting)
        else:
            await asyncio.to_thread(burn, 0.001)

    fair = serving(work)
    greedy = asyncio.create_task(ask(fair, "greedy"))
    await release.wait()
    await ask(fair, "modest")
    assert sum(each.done() for each in blocked) < 10
    for each in blocked:
        each.cancel()
    greedy.cancel()
    await asyncio.gather(greedy, return_exceptions=True)


async def test_what_is_asked_with_a_token_is_metered_by_its_owner(
    tmp_path: Path, settings: Settings
) -> None:
    path = tmp_path / "tokens"
    tokens = token_for(path, "anna"), token_for(path, "anna"), token_for(path, "ben")
    settings = settings.model_copy(update={"tokens": path})
    verifier = make_verifier(settings)
    assert verifier
    seen: list[Budget | None] = []

    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(await asyncio.create_task(budget_of_task()))
        await PlainTextResponse("")(scope, receive, send)

    async def budget_of_task() -> Budget | None:
        return current_budget.get()

    app = AuthMiddleware(Starlette(), behind, verifier, settings, ())
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for token in tokens:
            answer = await client.post("/mcp", headers={"authorization": f"Bearer {token}"})
            assert answer.status_code == 200
    anna, annas_other, ben = seen
    assert anna is not None
    assert anna is annas_other
    assert ben not in (None, anna)
    assert asyncio.get_running_loop().get_task_factory() is not None, "tasks are metered too"
