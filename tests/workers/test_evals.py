"""An eval on workers gives what one process gives, whatever dies on the way."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument, LlmRefused
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import RunResult, run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.core.way import Way
from reasonloom.evals.engine import temporary_database
from reasonloom.evals.log import EvalLog
from reasonloom.evals.scorers.text import contains
from reasonloom.llm.interfaces import Ask, LanguageModel, Reply
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.access import Access, find_access
from reasonloom.stores.embedded.server import EmbeddedServer
from reasonloom.stores.migrate import bring_up_to_date
from reasonloom.stores.queue.jobs import open_queue
from reasonloom.workers.spread import Spread
from reasonloom.workers.worker import run_worker
from tests.support.evals.killed_process import Mortal
from tests.support.evals.suites import Echo, asking, shouting, with_prompts
from tests.support.workers.process import LEASE, PATIENT, paid, wait_for_workers, worker

ITEMS = 4
TREE = Tool("reasoning_tree", {"max_branches": 2})


def ways(count: int = ITEMS) -> Suite:
    items = [Item(f"{n}/é", f"Which way, été or hiver, number {n}? 🙂", "a") for n in range(count)]
    return Suite("ways", items, (contains(),))


async def evaluate(
    access: Access, log: Path, way: Way, book: Path, *, suite: Suite | None = None,
    lease: float = LEASE, **more: Any,
) -> RunResult:  # fmt: skip
    return await run(
        suite or ways(), System(way, llm=Mortal(book=book, seconds=0.01)), log=log, access=access,
        settings=load_settings(lease_seconds=lease), **more,
    )  # fmt: skip


def comparable(log: EvalLog) -> str:
    """Return a log as JSON, without what differs between any two runs of one process.

    That is the run's number, the engine's run ids, times, the order in which items end, and which
    sample sees a judge's candidates in which order.
    """
    head = {name: value for name, value in log.head.items() if name != "number"}
    records = []
    for each in sorted(log.records, key=lambda each: (each.item, each.epoch)):
        record = asdict(each)
        calls = sorted(json.dumps([call["asked"], call["said"]]) for call in record.pop("calls"))
        records.append({**record, "run": "", "latency_ms": 0, "calls": calls})
    return json.dumps([head, records], ensure_ascii=False)


def summaries(log: EvalLog) -> list[str]:
    """Return what each item got; an item that was taken over has lost the texts of old calls."""
    found = [[each.item, each.epoch, each.scores, each.output, each.usage] for each in log.records]
    return sorted(map(json.dumps, found))


async def test_workers_give_what_one_process_gives(access: Access, tmp_path: Path) -> None:
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    same: dict[str, Any] = {"epochs": 2, "seed": 7, "lease": PATIENT}
    one = await evaluate(access, tmp_path / "one.jsonl", TREE, alone, **same)
    with worker(access, spread, lease=PATIENT), worker(access, spread, lease=PATIENT):
        await asyncio.to_thread(wait_for_workers, access, 2)
        two = await evaluate(access, tmp_path / "two.jsonl", Spread(TREE), spread, **same)
    assert len(two.log.records) == 2 * ITEMS
    assert comparable(two.log) == comparable(one.log)
    assert Counter(paid(spread)) == Counter(paid(alone))


async def test_postgres_is_killed_once(tmp_path: Path) -> None:
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    async with temporary_database() as (settings, access):
        one = await evaluate(access, tmp_path / "one.jsonl", TREE, alone, epochs=2)
        with worker(settings.home, spread), worker(settings.home, spread):
            own = await find_access(settings)
            await bring_up_to_date(own)
            await asyncio.to_thread(wait_for_workers, own, 2)
            running = asyncio.create_task(
                evaluate(own, tmp_path / "two.jsonl", Spread(TREE), spread, epochs=2)
            )
            while len(paid(spread)) < len(paid(alone)) / 3:
                await asyncio.sleep(0.01)
            killed = EmbeddedServer(settings.database_folder).status().pid
            os.kill(killed or 0, signal.SIGKILL)
            two = await running
        assert EmbeddedServer(settings.database_folder).status().pid != killed
    assert summaries(two.log) == summaries(one.log)
    again = Counter(paid(spread)) - Counter(paid(alone))
    assert not Counter(paid(alone)) - Counter(paid(spread))
    assert again.total() <= 4  # replies that arrived while there was nowhere to record them


@asynccontextmanager
async def local_worker(access: Access, llm: LanguageModel) -> AsyncIterator[None]:
    """Run a worker in this process."""
    settings = load_settings(lease_seconds=LEASE)
    working = asyncio.create_task(run_worker(settings, ["eval"], access=access, llm=llm))
    try:
        yield
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


class Poisonous(Echo):
    """Breaks at one question, as a bug of a provider does."""

    async def answer(self, ask: Ask) -> Reply:
        """Answer, or break."""
        if "number 2" in str(ask.messages[-1].content):
            self.asked.append(ask)
            raise ZeroDivisionError
        return await super().answer(ask)


def with_prompt(folder: Path, text: str = "Say it.") -> Settings:
    return with_prompts(folder, text).model_copy(update={"lease_seconds": LEASE})


async def test_a_poison_job_is_quarantined_and_reported_and_the_others_go_on(
    access: Access, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, llm = with_prompt(tmp_path / "prompts"), Poisonous()
    monkeypatch.setenv("REASONLOOM_PROMPTS", str(tmp_path / "prompts"))
    log, system = tmp_path / "run.jsonl", System(Spread(asking()), llm=llm)
    async with local_worker(access, llm):
        ran = await run(ways(), system, log=log, access=access, settings=settings)
        assert len(ran.log.records) == ITEMS - 1
        (why,) = ran.failed
        assert "failed 3 times (ZeroDivisionError) and is quarantined" in why
        assert len([ask for ask in llm.asked if "number 2" in str(ask.messages[-1].content)]) == 3
        async with open_queue(access) as queue:
            (job,) = await queue.listed()
        assert (job.status, job.attempts) == ("failed", 3)
        well = Echo()
        again = await run(
            ways(), System(asking(), llm=well), log=log, access=access, settings=settings
        )
    assert (len(again.log.records), len(well.asked)) == (ITEMS, 1)


async def test_a_worker_with_another_prompt_leaves_the_job_to_others(
    access: Access,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings, llm = with_prompt(tmp_path / "prompts"), Echo()
    with_prompt(tmp_path / "others", "Shout it.")
    monkeypatch.setenv("REASONLOOM_PROMPTS", str(tmp_path / "others"))
    monkeypatch.setattr("reasonloom.workers.worker.OTHERS_PAUSE", 0)
    log, system = tmp_path / "run.jsonl", System(Spread(asking()), llm=llm)
    running = asyncio.create_task(run(ways(1), system, log=log, access=access, settings=settings))
    async with local_worker(access, llm):
        while "is left to other workers: it has other prompts" not in caplog.text:
            await asyncio.sleep(0.05)
    async with open_queue(access) as queue:
        (job,) = await queue.listed()
    assert (job.status, job.attempts) == ("todo", 0)
    monkeypatch.setenv("REASONLOOM_PROMPTS", str(tmp_path / "prompts"))
    async with local_worker(access, llm):
        assert len((await running).log.records) == 1


async def test_a_refusal_of_the_provider_ends_the_run_as_in_one_process(
    access: Access, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, llm = with_prompt(tmp_path / "prompts"), Echo(refuses="number 1")
    monkeypatch.setenv("REASONLOOM_PROMPTS", str(tmp_path / "prompts"))
    log, system = tmp_path / "run.jsonl", System(Spread(asking()), llm=llm)
    async with local_worker(access, llm):
        with pytest.raises(LlmRefused, match="echo: no"):
            await run(ways(), system, log=log, access=access, settings=settings)
        async with open_queue(access) as queue:
            assert [each.status for each in await queue.listed()] in ([], ["doing"])


def test_functions_cannot_be_sent_to_workers() -> None:
    with pytest.raises(InvalidArgument, match="--workers: this eval answers with functions"):
        Spread(shouting())
