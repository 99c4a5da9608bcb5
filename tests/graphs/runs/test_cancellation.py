"""A call that is cancelled stops all that it began; a process that ends leaves its runs."""

from __future__ import annotations

import asyncio
import time
from uuid import UUID

import anyio
import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Step
from reasonloom.graphs.runs.cancellation import await_cancellable, await_shielded
from reasonloom.graphs.runs.engine import ELSEWHERE, Engine
from reasonloom.llm.interfaces import Ask, Embedder, Reply
from reasonloom.stores.access import Access
from reasonloom.stores.runs import active_runs
from tests.graphs.runs.test_engine import THOUGHT, ScriptedLlm, engine_with, rows, thought
from tests.support.calls import call, remember

LONG = 30.0
PATIENCE = 20.0


class CountingLlm(ScriptedLlm):
    """Counts the calls that go on."""

    at_work = 0

    async def answer(self, ask: Ask) -> Reply:
        self.at_work += 1
        try:
            return await super().answer(ask)
        finally:
            self.at_work -= 1


@pytest.mark.parametrize(
    ("tool", "request_", "together"),
    [
        ("reasoning_divergent", {"content": "How do we cross the river?"}, 4),
        ("ponder", {"problem": "How do we cross the river?"}, 4),
        ("reasoning_linear", THOUGHT, 1),
    ],
)
async def test_a_cancelled_call_stops_every_call_of_the_llm(
    access: Access, embedder: Embedder, tool: str, request_: dict[str, str], together: int
) -> None:
    llm = CountingLlm(LONG)
    async with engine_with(access, embedder, llm) as engine:
        begun = time.monotonic()
        with anyio.CancelScope() as scope:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(_cancel(scope, llm, together))
                await call(engine, tool, request_)
        assert scope.cancelled_caught
        assert llm.at_work == 0
        assert time.monotonic() - begun < LONG
        assert [row.status for row in await rows(engine)] == ["cancelled"]


async def _cancel(scope: anyio.CancelScope, llm: CountingLlm, together: int) -> None:
    """Cancel a scope, as the SDK does, once so many calls are at work."""
    with anyio.fail_after(PATIENCE):
        while llm.at_work < together:
            await asyncio.sleep(0.01)
    scope.cancel()


async def _cut(leaving: Engine, llm: CountingLlm) -> None:
    """Begin a run, and cut it short by the end of its process."""
    job = asyncio.create_task(call(leaving, "reasoning_linear", THOUGHT))
    while not llm.at_work:
        await asyncio.sleep(0.01)
    leaving.rows.leaving = True
    job.cancel()
    with pytest.raises(asyncio.CancelledError):
        await job


async def test_what_a_leaving_process_cuts_is_finished_by_another(
    access: Access, embedder: Embedder
) -> None:
    async with engine_with(access, embedder, ScriptedLlm(thought("in the end"))) as other:
        llm = CountingLlm(LONG)
        async with engine_with(access, embedder, llm) as leaving:
            await _cut(leaving, llm)
            with anyio.fail_after(PATIENCE):
                while [row.status for row in await rows(other)] != ["done"]:
                    await asyncio.sleep(0.05)
    assert llm.at_work == 0


async def test_a_leaving_process_takes_nothing_up(access: Access, embedder: Embedder) -> None:
    llm = CountingLlm(LONG)
    async with engine_with(access, embedder, llm) as leaving:
        await _cut(leaving, llm)
        await asyncio.sleep(1.0)
        assert len(llm.asked) == 1
        (lease,) = await active_runs.leases(leaving.loom.database)
        assert lease.until < lease.now


async def test_a_key_stands_for_one_read_at_once(engine: Engine) -> None:
    await remember(engine, "Green tea is in the tin.")
    one, other = (
        call(engine, "recall", {"userId": "local", "text": text}, key="k")
        for text in ("tea", "tin")
    )
    outcomes = await asyncio.gather(one, other, return_exceptions=True)
    assert sum(isinstance(each, Conflict) for each in outcomes) == 1
    same = [call(engine, "search", {"userId": "local", "text": "tea"}, key="s") for _ in range(3)]
    runs_ = {outcome.run_id for outcome in await asyncio.gather(*same)}
    assert len(runs_) == 1
    assert runs_ < {row.id for row in await rows(engine)}


async def test_who_waits_for_a_key_is_told_so_and_then_of_the_steps(
    access: Access, embedder: Embedder
) -> None:
    told: list[Step] = []

    async def report(step: Step) -> None:
        told.append(step)

    llm = CountingLlm(0.8, thought("so"))
    async with engine_with(access, embedder, llm) as engine:
        first = asyncio.create_task(call(engine, "reasoning_linear", THOUGHT, key="k"))
        while not llm.at_work:
            await asyncio.sleep(0.01)
        graph = load_graph("linear")
        again = Call("reasoning_linear", graph, THOUGHT, Caller("local"), key="k", report=report)
        outcome = await engine.call(again)
        assert outcome.run_id == (await first).run_id
    assert [(step.name, step.ended) for step in told] == [(ELSEWHERE, 0)]
    assert {step.run_id for step in told} == {UUID(str(outcome.run_id))}


async def test_who_takes_up_a_run_by_its_key_is_told_of_its_steps(
    access: Access, embedder: Embedder
) -> None:
    told: list[Step] = []

    async def report(step: Step) -> None:
        told.append(step)

    llm = CountingLlm(LONG, thought("so"))
    async with engine_with(access, embedder, llm) as engine:
        job = asyncio.create_task(call(engine, "reasoning_linear", THOUGHT, key="k"))
        while not llm.at_work:
            await asyncio.sleep(0.01)
        job.cancel()
        await asyncio.gather(job, return_exceptions=True)
        graph = load_graph("linear")
        again = Call("reasoning_linear", graph, THOUGHT, Caller("local"), key="k", report=report)
        outcome = await engine.call(again)
    assert told
    assert {step.run_id for step in told} == {outcome.run_id}


async def test_what_hangs_holds_up_neither_a_limit_nor_an_end() -> None:
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await await_cancellable(_deaf(), 0.2)
    await await_shielded(asyncio.sleep(LONG), 0.2)
    assert time.monotonic() - begun < LONG / 2


async def _deaf() -> None:
    """Go on although cancelled, as a database's driver does while its server hangs."""
    try:
        await asyncio.sleep(LONG)
    except asyncio.CancelledError:
        await asyncio.sleep(LONG)


async def test_a_conflict_of_the_work_itself_is_told_again_at_once(
    access: Access, embedder: Embedder
) -> None:
    llm = CountingLlm(Conflict("no such thing can be done"))
    async with engine_with(access, embedder, llm, tool_timeout=20.0) as engine:
        for _ in range(2):
            with pytest.raises(Conflict, match="no such thing"):
                await call(engine, "reasoning_linear", THOUGHT, key="k")
