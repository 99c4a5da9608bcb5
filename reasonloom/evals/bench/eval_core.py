"""Overhead of the eval core: for scripted items alone, and added to an item with a graph."""

import tempfile
import time
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median

from reasonloom.evals.bench.environment import BenchEngine, InstantLlm, bench_engine
from reasonloom.evals.bench.timing import Figure, summarise, time_once
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.core.way import Function
from reasonloom.evals.scorers.text import contains, exact

ITEMS = 20_000
ROUNDS = 5
GOAL = 5_000
"""Items per second that the core must reach without a graph."""

THOUGHT = "What must we tell the restaurant?"


async def measure(times: int) -> list[Figure]:
    """Time scripted items, and `reasoning_linear` through the core and on the bare engine."""
    scripted = await _scripted()
    async with bench_engine(auto_memory=False) as prepared:
        return [scripted, await _with_graph(prepared, times)]


async def _scripted() -> Figure:
    """Return milliseconds per item; the floor is the goal."""
    items = [Item(str(n), f"été {n}", f"ÉTÉ {n}") for n in range(ITEMS)]
    way = Function(lambda item, epoch: str(item.input).upper())
    suite = Suite("scripted", items, (exact(),), way)
    taken: list[float] = []
    busy: list[float] = []
    with tempfile.TemporaryDirectory(prefix="reasonloom-eval-") as folder:
        for number in range(ROUNDS):
            started, used = time.perf_counter(), time.process_time()
            await run(suite, log=Path(folder) / f"{number}.jsonl")
            taken.append((time.perf_counter() - started) * 1000 / ITEMS)
            busy.append((time.process_time() - used) / ITEMS)
    note = (
        f"{1000 / median(taken):,.0f} items a second, {1 / median(busy):,.0f} a second of processor"
        f" time; floor: {GOAL:,} a second"
    )
    return summarise("eval, scripted item", taken, 1000 / GOAL, 1.0, note)


async def _with_graph(prepared: BenchEngine, times: int) -> Figure:
    items = [Item(str(n), THOUGHT, "follows") for n in range(times)]
    suite = Suite("linear", items, (contains(),), Tool("reasoning_linear"))
    ends: list[float] = []
    bare = await _bare(prepared, times)
    with tempfile.TemporaryDirectory(prefix="reasonloom-eval-") as folder:
        await run(
            suite,
            System(llm=InstantLlm()),
            log=Path(folder) / "log.jsonl",
            at_once=1,
            tell=lambda what, done, total: ends.append(time.perf_counter() * 1000),
            access=prepared.access,
            embedder=prepared.embedder,
        )
    taken = [after - before for before, after in pairwise(ends)]
    bare += await _bare(prepared, times)
    note = "floor: the same call of the engine alone, before and after"
    return summarise("eval, item by reasoning_linear", taken, bare, note=note)


async def _bare(prepared: BenchEngine, times: int) -> list[float]:
    call = partial(prepared.call, "reasoning_linear", content=THOUGHT)
    return [await time_once(call) for _ in range(times)]
