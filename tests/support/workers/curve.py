"""Measures items a second of an eval on 1, 2 and 4 workers, beside one process alone.

    python -m tests.support.workers.curve --items 2000 --workers 0,1,2,4

Each run has a database of its own, with default durability, and `simulated:reader` as its model.
Prints a line of JSON for each: 0 workers is one process without a queue.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from typing import Any

import psutil

from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.core.way import Way
from reasonloom.evals.engine import temporary_home
from reasonloom.evals.scorers.text import contains
from reasonloom.settings import Settings
from reasonloom.stores.access import find_access
from reasonloom.stores.embedded.server import EmbeddedServer
from reasonloom.stores.migrate import bring_up_to_date
from reasonloom.stores.queue.tables import prepare_queue
from reasonloom.workers.spread import Spread
from tests.support.clients.processes import environment
from tests.support.workers.process import wait_for_workers

TREE = Tool("reasoning_tree", {"max_branches": 2})
MODEL = "simulated:reader"


def questions(count: int) -> Suite:
    """Return items that differ."""
    items = [Item(str(n), f"Which of {n} and {n + 1} is even?", str(n)) for n in range(count)]
    return Suite("curve", items, (contains(),))


def seconds(processes: list[psutil.Process]) -> float:
    """Return the processor time of processes and those that they have started, ended or not."""
    total = 0.0
    for one in processes:
        total += sum(one.cpu_times()[:4])
        for child in one.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                total += sum(child.cpu_times()[:4])
    return total


def started(
    settings: Settings, stack: ExitStack, concurrency: int, queue: str = "eval"
) -> psutil.Process:
    """Start a worker that is stopped with the stack."""
    words = ("worker", "--queues", queue, "--concurrency", str(concurrency))
    process = subprocess.Popen(
        [sys.executable, "-m", "reasonloom", *words], stderr=subprocess.DEVNULL,
        env={**environment(settings.home), "REASONLOOM_IDLE_STOP": "0"},
    )  # fmt: skip
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return psutil.Process(process.pid)


async def measure(items: int, workers: int, concurrency: int) -> dict[str, Any]:
    """Run the eval once."""
    with temporary_home(idle_stop="0") as settings, ExitStack() as stack:
        access = await find_access(settings)
        server = EmbeddedServer(settings.database_folder)
        stack.callback(server.stop)
        await bring_up_to_date(access)
        await prepare_queue(access)
        processes = [started(settings, stack, concurrency) for _ in range(workers)]
        await asyncio.to_thread(wait_for_workers, access, workers)
        way: Way = Spread(TREE, MODEL) if workers else TREE
        postmaster = psutil.Process(server.status().pid or 0)
        before = {"own": time.process_time(), "workers": seconds(processes),
                  "postgres": seconds([postmaster])}  # fmt: skip
        began = time.perf_counter()
        ran = await run(
            questions(items), System(way, llm=MODEL), log=settings.home / "run.jsonl",
            access=access, settings=settings, at_once=64 if workers else 16,
        )  # fmt: skip
        took = time.perf_counter() - began
        after = {"own": time.process_time(), "workers": seconds(processes),
                 "postgres": seconds([postmaster])}  # fmt: skip
    records = ran.log.records
    return {
        "workers": workers,
        "concurrency": concurrency,
        "items": len(records),
        "different": len({each.item for each in records}),
        "calls": sum(each.usage["calls"] for each in records),
        "seconds": round(took, 1),
        "items_per_second": round(len(records) / took, 2),
        "processor_ms_per_item": {
            name: round((after[name] - before[name]) * 1000 / len(records), 1) for name in after
        },
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Measure each number of workers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=2_000)
    parser.add_argument("--workers", default="0,1,2,4")
    parser.add_argument("--concurrency", type=int, default=8)
    given = parser.parse_args()
    for workers in map(int, given.workers.split(",")):
        found = asyncio.run(measure(given.items, workers, given.concurrency))
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
