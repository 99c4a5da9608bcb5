"""Times a recall over two spaces against one over one space, called in turns.

    python -m tests.support.isolation.space_cost --memories 1000 --runs 60

Each space has as many memories; what is compared is the time of one person's call.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from itertools import islice

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.evals.bench.load import SEED, questions, sentences
from reasonloom.evals.engine import temporary_database
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.sharing import administration
from tests.support.calls import call

OWNER, TEAM = "anna", "team/harbour"


async def fill(engine: Engine, memories: int) -> None:
    """Store the memories of both spaces."""
    await administration.create_team(engine.loom, Caller(OWNER), "harbour")
    for content in islice(sentences(), memories):
        given = {"content": content, "primarySector": "semantic"}
        await call(engine, "remember", given, owner=OWNER)
        await call(engine, "remember", {**given, "space": TEAM}, owner=OWNER)


async def measure(memories: int, runs: int) -> dict[str, float]:
    """Return the median milliseconds of both calls and their ratio."""
    taken: dict[str, list[float]] = {"one": [], "two": []}
    asked = questions(SEED, memories)
    spaces = {"one": ["me"], "two": ["me", TEAM]}
    async with (
        temporary_database(user=OWNER, supersede="off") as (settings, access),
        open_engine(settings, access=access, recover=False) as engine,
    ):
        await fill(engine, memories)
        for turn in range(-10, runs):
            for name in sorted(spaces, reverse=bool(turn % 2)):
                wanted = {"text": next(asked), "spaces": spaces[name]}
                started = time.perf_counter()
                await call(engine, "recall", wanted, owner=OWNER)
                if turn >= 0:
                    taken[name].append((time.perf_counter() - started) * 1000)
    one, two = (statistics.median(taken[name]) for name in ("one", "two"))
    return {"one_ms": round(one, 1), "two_ms": round(two, 1), "ratio": round(two / one, 2)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=60)
    given = parser.parse_args()
    print(json.dumps(asyncio.run(measure(given.memories, given.runs))))
