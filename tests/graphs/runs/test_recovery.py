"""What a killed server leaves is taken up by the next one, within limits."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, RunNotFound
from reasonloom.graphs.runs.resume import find_run, resume_run
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.graphs.runs.test_engine import THOUGHT as A_THOUGHT
from tests.graphs.runs.test_engine import ScriptedLlm
from tests.graphs.runs.test_races import statuses, two
from tests.llm.loopback import Answer, loopback
from tests.support.calls import call
from tests.support.clients.processes import Spoken, environment
from tests.support.databases.postgres import TestPostgres
from tests.support.killing import victim
from tests.support.killing.arena import Arena, Staged, arena
from tests.support.killing.scenes.reasoning import LINEAR
from tests.support.llms.scripted_replies import THOUGHT

PATIENCE = 15.0


def state(access: Access, owner: str) -> tuple[str, UUID]:
    """Return the status and the id of an owner's only run."""
    with psycopg.connect(access.admin) as connection:
        query = "SELECT status, id FROM runs WHERE owner = %s"
        ((status, run_id),) = connection.execute(query, (owner,)).fetchall()
    return status, run_id


async def until(access: Access, owner: str, wanted: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while (await asyncio.to_thread(state, access, owner))[0] != wanted:
            await asyncio.sleep(0.1)


async def killed_in_the_middle(ground: Arena, owner: str) -> Staged:
    """Leave a run of `owner` behind that stopped between two of its steps."""
    staged = await ground.stage(LINEAR, owner, lease=0.5)
    assert await ground.strike(staged, lambda _, name: name == victim.CALL, "after")
    assert state(ground.access, owner)[0] == "running"
    return staged


async def test_the_next_engine_finishes_a_killed_run_by_itself(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        rehearsed = await ground.rehearse(LINEAR)
        staged = await killed_in_the_middle(ground, "anna")
        settings = Settings(lease_seconds=0.5)
        llm = victim.PaidLlm(staged.order.book)
        async with open_engine(settings, access=access, llm=llm, embedder=victim.EMBEDDER):
            await until(access, "anna", "done")
        await ground.check(staged, rehearsed)


async def test_a_run_that_is_too_old_is_marked_and_can_still_be_resumed_by_hand(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        book = (await killed_in_the_middle(ground, "anna")).order.book
        settings = Settings(lease_seconds=0.5, resume_within=0)
        async with open_engine(settings, access=access, embedder=victim.EMBEDDER) as engine:
            await until(access, "anna", "interrupted")
            engine.loom = replace(engine.loom, llm=victim.PaidLlm(book))
            run = str(state(access, "anna")[1])
            outcome = await resume_run(engine, Caller("anna"), run)
            assert outcome.answer["content"] == THOUGHT["thought"]
        assert state(access, "anna")[0] == "done"


async def test_a_run_of_another_version_of_its_graph_is_not_resumed_half_way(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        await killed_in_the_middle(ground, "anna")
        with psycopg.connect(access.admin) as connection:
            connection.execute("UPDATE runs SET graph_version = 99 WHERE owner = 'anna'")
        settings = Settings(lease_seconds=0.5)
        async with open_engine(settings, access=access, embedder=victim.EMBEDDER) as engine:
            await until(access, "anna", "interrupted")
            with pytest.raises(Conflict, match="another version"):
                await resume_run(engine, Caller("anna"), str(state(access, "anna")[1]))


async def test_a_run_that_somebody_carries_is_left_to_them(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        await killed_in_the_middle(ground, "anna")
        with psycopg.connect(access.admin) as connection:
            connection.execute("UPDATE leases SET until = now() + interval '1 hour'")
        with pytest.raises(Conflict, match="already running"):
            await resume_run(ground.survivor, Caller("anna"), str(state(access, "anna")[1]))
        assert state(access, "anna")[0] == "running"


async def test_a_foreign_run_answers_as_an_unknown_one(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with arena(postgres, access, database, tmp_path) as ground:
        await killed_in_the_middle(ground, "anna")
        for run in (str(state(access, "anna")[1]), "nonsense"):
            with pytest.raises(RunNotFound, match=f"^Run not found: {run}$"):
                await find_run(ground.survivor, Caller("ben"), run)


def reply(thought: str) -> Answer:
    body = json.dumps({"thought": thought, "confidence": 0.7})
    return Answer({"success": True, "completion": body, "raw": {}})


async def test_a_server_killed_while_it_waits_for_its_llm_is_relieved_by_the_next(
    postgres: TestPostgres, access: Access, database: str, tmp_path: Path
) -> None:
    async with loopback() as pipes:
        pipes.script(replace(reply("too late"), delay=30), reply("Leave the peanuts out."))
        settings = environment(
            tmp_path / "home",
            DATABASE_URL=postgres.address.dsn("postgres", database),
            REASONLOOM_LLM="langbase",
            LANGBASE_API_KEY="a-key",
            LANGBASE_BASE_URL=pipes.url,
            REASONLOOM_LEASE_SECONDS="0.5",
            REASONLOOM_TOOLSETS="classic",
        )
        first = Spoken(settings, tmp_path / "one")
        await asyncio.to_thread(begin, first)
        async with asyncio.timeout(PATIENCE):
            while not pipes.heard:
                await asyncio.sleep(0.05)
        first.child.kill()
        await asyncio.to_thread(first.stop)
        assert state(access, "local")[0] == "running"
        second = Spoken(settings, tmp_path / "two")
        await asyncio.to_thread(second.handshake)
        await asyncio.to_thread(second.tools)
        try:
            await until(access, "local", "done")
        finally:
            await asyncio.to_thread(second.stop)
        assert len(pipes.heard) == 2


def begin(server: Spoken) -> None:
    """Ask for a thought and do not wait for it."""
    server.handshake()
    arguments = {"content": "What must we tell the restaurant?"}
    params = {"name": "reasoning_linear", "arguments": arguments}
    server.send({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": params})


LEASE = 0.6
LONG = 3.0
"""Seconds a run takes: several leases, and as many looks of the other process for lost runs."""


async def test_a_run_that_outlasts_its_lease_is_taken_up_by_nobody(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(LONG)
    async with two(access, embedder, llm, lease=LEASE) as (one, other):
        outcome = await call(one, "reasoning_linear", A_THOUGHT)
        assert outcome.answer["content"] == "after a while"
        await asyncio.sleep(LEASE)  # the other process has looked once more
        assert not other.active
        assert len(llm.asked) == 1, "another process took the run up and paid again"
    assert statuses(access) == {"done": 1}
