"""A plan comes to the same in the engine as without it, undisturbed or killed and taken up."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.evals.simulated.intersection import SimulatedIntersecter
from reasonloom.evals.simulated.sorting import SimulatedSorter
from reasonloom.evals.suites.reasoning.orchestration import intersection, sorting
from reasonloom.evals.suites.reasoning.orchestration.metering import MeteredModel, PlanRunner
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.nodes.thought_graph.operations.outcome import Outcome, outcome, run_plan
from reasonloom.nodes.thought_graph.operations.tasks import task_of
from reasonloom.stores.access import Access
from tests.evals.suites.reasoning.orchestration import killed_process
from tests.evals.suites.reasoning.orchestration.killed_process import KEY, Booked, paid
from tests.evals.suites.reasoning.orchestration.worlds import Late, chosen, first
from tests.support.calls import call
from tests.support.reasoning.sessions import thinking

CALLS = {"sorting": 23, "intersection": 4}
KILLED = -signal.SIGKILL


async def without(plan: Plan, problem: str, llm: LanguageModel) -> Outcome:
    """Return what a plan comes to without an engine."""
    task = task_of(plan.task)
    return outcome(await run_plan(plan, problem, task, PlanRunner(task, MeteredModel(llm))))


def tool_arguments(plan: Plan, problem: str) -> dict[str, Any]:
    """Return the tool's arguments for a plan."""
    return {"problem": problem, "plan": plan.model_dump(exclude_none=True)}


def agree(ran: dict[str, Any], came: Outcome) -> None:
    """Hold the tool's answer against what the plan came to without an engine."""
    best = came["best"]
    assert best is not None
    assert ran["content"] == best["text"]
    assert (ran["score"], ran["check"]) == (best["score"], "local check")
    assert (ran["calls"], ran["tokens"]) == (came["calls"], came["tokens"])
    assert ran["usd"] == pytest.approx(came["usd"], abs=1e-6)
    assert (ran["ended"], ran["whole"]) == (came["ended"], True)


def sorted_128() -> tuple[Plan, str, LanguageModel]:
    """Return a graph of the greatest size that was published, its problem, and who sorts."""
    problem = first(sorting.SORTING_EVAL, chosen(1, size="128")).problem
    return sorting.plans(128)["graph"], problem, SimulatedSorter(3)


def intersected_64() -> tuple[Plan, str, LanguageModel]:
    """Return a tree that asks the same four times, its problem, and who intersects."""
    problem = first(intersection.INTERSECTION_EVAL, chosen(1, size="64")).problem
    return intersection.plans(64)["tree"], problem, SimulatedIntersecter(3)


@pytest.mark.parametrize("case", [sorted_128, intersected_64], ids=lambda each: each.__name__)
async def test_the_engine_comes_to_the_same(case: Any, access: Access, embedder: Embedder) -> None:
    plan, problem, llm = case()
    came = await without(plan, problem, llm)
    assert came["calls"] == CALLS[plan.task]
    async with thinking(access, embedder, Late(llm, seed=1)) as mind:
        ran = (await call(mind, "reasoning_got_run", tool_arguments(plan, problem))).answer
    agree(ran, came)


def recorded(access: Access) -> int:
    """Return how many replies are recorded."""
    with psycopg.connect(access.admin) as connection:
        return int(connection.execute("SELECT count(*) FROM llm_calls").fetchall()[0][0])


async def kill_when(access: Access, replies: int, process: Any) -> None:
    """Kill a process as `kill -9` does, once so many replies are recorded."""
    async with asyncio.timeout(120):
        while await asyncio.to_thread(recorded, access) < replies:
            assert process.is_alive()
            await asyncio.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    await asyncio.to_thread(process.join, 30)


def forget_steps(access: Access) -> None:
    """Delete what was saved of runs at work; recorded replies stay."""
    with psycopg.connect(access.admin) as connection:
        for table in ("checkpoints", "checkpoint_blobs"):
            assert connection.execute(f"DELETE FROM {table}".encode()).rowcount


@pytest.mark.timeout(180)
@pytest.mark.parametrize("steps", ["saved", "lost"])
async def test_a_run_that_is_killed_in_the_middle_comes_to_the_same(
    access: Access, embedder: Embedder, tmp_path: Path, steps: str
) -> None:
    plan, problem, llm = sorted_128()
    came, book = await without(plan, problem, llm), tmp_path / "book"
    spawn = multiprocessing.get_context("spawn")
    given = (access, Booked(llm, book, most=12), tool_arguments(plan, problem))
    process = spawn.Process(target=killed_process.run, args=given)
    process.start()
    await kill_when(access, 12, process)
    assert process.exitcode == KILLED
    assert paid(book) == 12
    if steps == "lost":
        forget_steps(access)
    async with thinking(access, embedder, Booked(llm, book)) as mind:
        taken_up = await call(mind, "reasoning_got_run", tool_arguments(plan, problem), key=KEY)
        again = await call(mind, "reasoning_got_run", tool_arguments(plan, problem), key=KEY)
    agree(taken_up.answer, came)
    assert again.answer == taken_up.answer
    assert (paid(book), recorded(access)) == (came["calls"], came["calls"])
