"""A process that recalls until it is stopped; `reasonloom capacity --check` starts several.

It prints a line once it is ready, begins at the next line of its input, ends at the one after that,
and prints the number of its calls.
"""

from __future__ import annotations

import asyncio
import sys

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.recall import Recall
from reasonloom.contracts.validation import parse_request
from reasonloom.evals.bench.load import seed_of, sentences
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call
from reasonloom.settings import load_settings

WARM_UP = 10


async def work(owner: str) -> int:
    """Recall until a line comes; return the number of calls."""
    texts = sentences(seed_of(owner))
    graph, caller = load_graph("recall"), Caller(owner)
    async with open_engine(load_settings(), recover=False) as engine:

        async def recall() -> None:
            request = parse_request(Recall, {"userId": owner, "text": next(texts)})
            wire = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
            await engine.call(Call("recall", graph, wire, caller))

        for _ in range(WARM_UP):
            await recall()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        over = asyncio.create_task(asyncio.to_thread(sys.stdin.readline))
        calls = 0
        while not over.done():
            await recall()
            calls += 1
        return calls


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(work(sys.argv[1]))}\n")
