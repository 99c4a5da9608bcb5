"""The steps of a run: which nodes ran in each, also where a step waited for its caller."""

from __future__ import annotations

from uuid import UUID

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.runs.run_lineage import RunStep, steps
from tests.support.calls import call

ME = Caller("local")
PROBLEM = {"content": "Why do bridges hum?"}
NODES = ["recall_context", "continue_thought", "keep_thought"]


async def steps_of(engine: Engine, run: UUID) -> list[RunStep]:
    async with engine.loom.database.begin(ME) as tx:
        return await steps(tx, run)


async def test_every_node_of_a_run_is_a_step(engine: Engine) -> None:
    outcome = await call(engine, "reasoning_linear", PROBLEM)
    assert [step.name for step in await steps_of(engine, outcome.run_id)] == NODES


async def test_tasks_sent_in_parallel_are_counted(engine: Engine) -> None:
    outcome = await call(engine, "ponder", {"problem": PROBLEM["content"]})
    assert max(step.sent for step in await steps_of(engine, outcome.run_id)) == 4


@pytest.mark.parametrize("answers", [False, True])
async def test_a_step_that_waits_is_the_last_until_it_is_answered(
    engine: Engine, answers: bool
) -> None:
    outcome = await call(engine, "reasoning_linear", PROBLEM, asks_caller=True)
    if answers:
        reply = GivenReply("r1q1", {"thought": "Wind.", "confidence": 0.8})
        await answer_run(engine, ME, str(outcome.run_id), Given([reply]))
    names = [step.name for step in await steps_of(engine, outcome.run_id)]
    assert names == (NODES if answers else NODES[:1])
