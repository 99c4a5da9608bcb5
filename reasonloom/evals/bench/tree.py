"""`reasoning_tree` against its critical path: the longest chain of calls that wait for others."""

from __future__ import annotations

from reasonloom.evals.bench.environment import OWNER, ground
from reasonloom.evals.bench.load import load
from reasonloom.evals.bench.slow_llm import SlowLlm
from reasonloom.evals.bench.timing import WARM_UP, Figure, median, percentile_95, timed

GOAL = 1.3
BRANCHES = 4
STORED = 1_000
"""Memories of the owner, so that recall has something to do."""

QUESTION = "Where do we hold the dance when the hall is closed?"


async def measure(times: int) -> list[Figure]:
    """Time the tool with and without automatic memory, on a database of its own each."""
    return [await _measured(times, memory=memory) for memory in (True, False)]


async def _measured(times: int, *, memory: bool) -> Figure:
    llm = SlowLlm()
    async with ground(llm=llm, auto_memory=memory) as prepared:
        if memory:
            await load(prepared.database, prepared.embedder, OWNER, STORED)

        async def explore() -> None:
            llm.calls.clear()
            await prepared.call("reasoning_tree", content=QUESTION, max_branches=BRANCHES)

        for _ in range(WARM_UP):
            await explore()
        prepared.restart_clocks()
        taken = [await timed(explore) for _ in range(times)]
        embedding = prepared.embedder.seconds * 1000 / times
        database = prepared.database.seconds * 1000 / times
    chain = llm.longest_chain()
    said = (
        f"floor: {chain} calls of {llm.seconds * 1000:.0f} ms, one after another, of "
        f"{len(llm.calls)}; embedding {embedding:.1f}, transactions {database:.1f}, some at once"
    )
    name = f"reasoning_tree, {BRANCHES} branches, {'with' if memory else 'without'} memory"
    return Figure(name, median(taken), percentile_95(taken), chain * llm.seconds * 1000, GOAL, said)
