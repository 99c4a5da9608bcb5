"""Two engines, one database, the same keys at once: one run each, paid once, never undone."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from langgraph.runtime import Runtime

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseUnavailable, Deadlocked, LlmRefused
from reasonloom.graphs.graph import Graph, wiring
from reasonloom.graphs.runs.call import Call
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.executor import TRIES
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.runs import runs
from tests.graphs.runs.test_engine import THOUGHT, ScriptedLlm, thought
from tests.support.calls import call, recalled, remember

FACT = {
    "content": "Green tea is in the tin.",
    "userId": "local",
    "sessionId": "s",
    "primarySector": "semantic",
}


@asynccontextmanager
async def two(
    access: Access, embedder: Embedder, llm: ScriptedLlm, lease: float = 1.0
) -> AsyncIterator[list[Engine]]:
    settings = Settings(lease_seconds=lease)
    async with (
        open_engine(settings, access=access, llm=llm, embedder=embedder) as one,
        open_engine(settings, access=access, llm=llm, embedder=embedder) as other,
    ):
        yield [one, other]


def statuses(access: Access) -> Counter[str]:
    with psycopg.connect(access.admin) as connection:
        return Counter(row[0] for row in connection.execute("SELECT status FROM runs").fetchall())


async def test_a_finished_run_is_never_begun_again(access: Access, embedder: Embedder) -> None:
    llm = ScriptedLlm(0.05)
    # Nobody dies here, so no lease may run out, however slow the machine is.
    async with two(access, embedder, llm, lease=60.0) as engines:
        keys = [f"key {number}" for number in range(20)]
        jobs = [
            call(engine, "reasoning_linear", THOUGHT, key=key)
            for key in keys
            for engine in engines * 2
        ]
        outcomes = await asyncio.gather(*jobs)
        assert len({outcome.run_id for outcome in outcomes}) == len(keys)
        assert len(llm.asked) == len(keys)
    assert statuses(access) == {"done": len(keys)}


async def test_a_look_that_is_old_does_not_undo_a_run(access: Access, embedder: Embedder) -> None:
    async with two(access, embedder, ScriptedLlm(thought("so"))) as (one, other):
        outcome = await call(one, "reasoning_linear", THOUGHT, key="k")
        async with other.loom.database.begin(Caller("local")) as tx:
            row = await runs.find(tx, outcome.run_id)
            assert row
            assert not await runs.take_up(tx, row.id, other.rows.holder, 1.0)
    assert statuses(access) == {"done": 1}


async def test_a_failed_run_that_is_retried_thrice_at_once_is_paid_once(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(LlmRefused("no"), 0.2)
    async with two(access, embedder, llm) as (one, _):
        await asyncio.gather(
            call(one, "reasoning_linear", THOUGHT, key="k"), return_exceptions=True
        )
        again = [call(one, "reasoning_linear", THOUGHT, key="k") for _ in range(3)]
        outcomes = await asyncio.gather(*again)
        assert len({outcome.run_id for outcome in outcomes}) == 1
        assert len(llm.asked) == 2


async def test_one_key_at_once_stores_one_memory_and_all_get_its_answer(
    access: Access, embedder: Embedder
) -> None:
    async with two(access, embedder, ScriptedLlm(thought("so"))) as engines:
        for number in range(10):
            fact = {**FACT, "content": f"Green tea is in tin {number}."}
            jobs = [call(engine, "remember", fact, key=f"key {number}") for engine in engines * 2]
            outcomes = await asyncio.gather(*jobs)
            assert all(outcome.answer == outcomes[0].answer for outcome in outcomes)
        assert len(await recalled(engines[0], None, limit=50)) == 10
    with psycopg.connect(access.admin) as connection:
        query = "SELECT DISTINCT access_count FROM memories"
        assert connection.execute(query).fetchall() == [(0,)]  # none is a twin of its own


async def test_a_run_whose_steps_lead_nowhere_is_walked_anew_and_paid_once(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("first"))
    async with two(access, embedder, llm) as (one, _):
        outcome = await call(one, "reasoning_linear", THOUGHT, key="k")
        with psycopg.connect(access.admin) as connection:
            connection.execute("UPDATE runs SET status = 'interrupted', output = NULL")
            connection.execute("DELETE FROM memories")
            connection.execute("DELETE FROM thoughts")
        again = await call(one, "reasoning_linear", THOUGHT, key="k")
        assert again.answer == {**outcome.answer, "memories_used": []}
        assert len(llm.asked) == 1


async def test_thoughts_of_one_session_at_once_have_places_of_their_own(
    access: Access, embedder: Embedder
) -> None:
    async with two(access, embedder, ScriptedLlm(thought("so"))) as engines:
        first = await call(engines[0], "reasoning_linear", THOUGHT)
        more = {**THOUGHT, "session_id": first.answer["session_id"]}
        await asyncio.gather(*(call(e, "reasoning_linear", more) for e in engines * 4))
    with psycopg.connect(access.admin) as connection:
        places = connection.execute("SELECT position FROM thoughts ORDER BY 1").fetchall()
    assert [place for (place,) in places] == list(range(1, 10))


async def test_a_journal_that_cannot_write_a_batch_goes_on(
    access: Access, embedder: Embedder
) -> None:
    async with two(access, embedder, ScriptedLlm(thought("so"))) as (one, _):
        await recalled(one, "first")
        (batch,) = one.journal._waiting.values()
        batch.rows[0] = replace(batch.rows[0], client="a\0b")
        await one.journal.flush()
        await recalled(one, "second")
        await one.journal.flush()
    assert statuses(access) == {"done": 1}


async def test_what_is_forgotten_for_good_is_in_no_run_and_no_saved_step(
    access: Access, embedder: Embedder
) -> None:
    secret = "The safe opens with 4711."
    async with two(access, embedder, ScriptedLlm(thought("The safe opens with 4711."))) as (one, _):
        memory = await remember(one, secret)
        other = await remember(one, "Ben likes tea.")
        await recalled(one, "safe")
        await recalled(one, "tea")
        await call(one, "reasoning_linear", {"content": "How does it open, the safe?"}, key="k")
        await call(one, "forget", {"userId": "local", "memoryId": memory})
    with psycopg.connect(access.admin) as connection:
        for table in ("runs", "llm_calls", "checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            rows = connection.execute(f"SELECT {table}::text FROM {table}".encode()).fetchall()
            told = ("4711", b"4711".hex())  # as text, and as the database shows bytes
            assert not [row for (row,) in rows if any(each in row for each in told)], table
        kept = connection.execute("SELECT input::text FROM runs WHERE tool = 'recall'").fetchall()
        assert any("tea" in row for (row,) in kept)
        query = "SELECT content FROM memories WHERE source_kind = 'user'"
        assert connection.execute(query).fetchall() == [("Ben likes tea.",)]
        assert other == "mem-2"


async def test_a_flush_waits_for_the_one_that_is_at_work(engine: Engine, access: Access) -> None:
    await recalled(engine, "safe")
    at_work = asyncio.create_task(engine.journal.flush())
    await asyncio.sleep(0)
    await engine.journal.flush()
    with psycopg.connect(access.admin) as connection:
        found = connection.execute("SELECT count(*) FROM reasonloom.runs WHERE tool = 'recall'")
        assert found.fetchone() == (1,)
    await at_work


Node = Callable[[ToolState, Runtime[Execution]], Awaitable[dict[str, Any]]]


def failing(times: int, error: type[DatabaseUnavailable]) -> tuple[Node, list[int]]:
    tried: list[int] = []

    async def node(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
        tried.append(len(tried))
        if len(tried) <= times:
            raise error("the database did not answer")
        return {"answer": {"tried": len(tried)}, "notes": []}

    return node, tried


async def answered(engine: Engine, name: str, node: Node) -> dict[str, Any]:
    graph = Graph(name, 1, wiring(ToolState, {name: node}))
    return (await engine.call(Call(name, graph, {}, Caller("local")))).answer


async def test_a_write_that_was_given_up_is_made_again(engine: Engine) -> None:
    node, _ = failing(TRIES - 1, Deadlocked)
    assert await answered(engine, "given_up", node) == {"tried": TRIES}


async def test_it_is_not_made_for_ever(engine: Engine) -> None:
    node, tried = failing(TRIES, Deadlocked)
    with pytest.raises(DatabaseUnavailable):
        await answered(engine, "given_up_for_good", node)
    assert len(tried) == TRIES


async def test_a_database_that_is_away_is_not_asked_again(engine: Engine) -> None:
    node, tried = failing(1, DatabaseUnavailable)
    with pytest.raises(DatabaseUnavailable):
        await answered(engine, "away", node)
    assert len(tried) == 1
