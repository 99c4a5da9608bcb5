"""Times the graph memory tools on the engine, for graphs of several sizes in one database."""

import itertools
import random
from collections.abc import Sequence
from functools import partial
from typing import Any

import psycopg

from reasonloom.evals.bench.environment import BenchEngine, execute
from reasonloom.evals.bench.floors import open_raw_queries, walk_raw
from reasonloom.evals.bench.load import SEED, load, questions, seed_of, sentences
from reasonloom.evals.bench.memory import SETTLE
from reasonloom.evals.bench.timing import (
    WARM_UP,
    Figure,
    Work,
    summarise,
    time_alternately,
    time_each,
    time_once,
    time_repeatedly,
)
from reasonloom.stores.vector_indexes import maintain

HUB = 1
"""The node that HUB_EDGES other nodes are part of."""

HUB_EDGES = 50_000
NEIGHBOURHOOD = 1_024
"""Longest distance of an edge in nodes, so that walks stay local in time."""

TYPES = """
UPDATE memories SET event_type = (ARRAY['decision', 'inference', 'skill', 'episode'])[1 + id %% 4]
WHERE owner = %(owner)s AND id %% 5 < 2
"""
EDGES = """
INSERT INTO edges (owner, source_id, target_id, type, weight, origin)
SELECT %(owner)s, id, id - 1 - (abs(hashint8(id * 7 + n)::bigint) %% %(back)s), (ARRAY['caused_by',
    'derived_from', 'supports', 'related_to'])[1 + abs(hashint8(id + n)::bigint) %% 4],
    0.3 + 0.7 * ((abs(hashint8(id * 3 + n)::bigint) %% 256) / 255.0), 'bench'
FROM generate_series(%(back)s + 2, %(size)s) id, generate_series(0, 1) n
ON CONFLICT DO NOTHING
"""
CHAINS = """
INSERT INTO edges (owner, source_id, target_id, type, weight, origin)
SELECT owner, earlier, id, 'temporal_next', 1, 'session' FROM (
    SELECT owner, id, lag(id) OVER (PARTITION BY session_id ORDER BY id) AS earlier
    FROM memories WHERE owner = %(owner)s) chained WHERE earlier IS NOT NULL
"""
OF_HUB = """
INSERT INTO edges (owner, source_id, target_id, type, weight, origin)
SELECT %(owner)s, id, %(hub)s, 'part_of', 0.5, 'bench'
FROM generate_series(%(hub)s + 1, least(%(size)s, %(hub)s + %(spokes)s)) id
ON CONFLICT DO NOTHING
"""


async def load_graph_of(ground: BenchEngine, owner: str, size: int) -> None:
    """Store `size` nodes of `owner` with two edges each, a temporal chain, and a hub."""
    await load(ground.database, ground.embedder, owner, size)
    back = min(NEIGHBOURHOOD, size // 2)
    values = {"owner": owner, "size": size, "back": back, "hub": HUB, "spokes": HUB_EDGES}
    async with await psycopg.AsyncConnection.connect(ground.access.admin) as connection:
        for statement in (TYPES, EDGES, CHAINS, OF_HUB):
            await connection.execute(statement, values)


FLAT = 1.5
"""The goal of `memory_add`: at most this multiple of its time in the smallest graph."""

WALKED = 2.0
"""The goal of `memory_traverse`: at most this multiple of its raw query."""

ALIKE_MS = 30
OF_A_SESSION = 10
"""Nodes of a session that is ended."""


def owner_of(size: int) -> str:
    """Return the owner of a graph of `size` nodes."""
    return f"graph-of-{size}"


async def measure(ground: BenchEngine, times: int, sizes: Sequence[int]) -> list[Figure]:
    """Create a graph of each size, then time the tools on each."""
    for size in sizes:
        await load_graph_of(ground, owner_of(size), size)
    await maintain(ground.access)
    await execute(ground.access, SETTLE)
    figures = await _adds(ground, times, sizes)
    for size in sizes:
        figures += await _searches(ground, times, size)
        figures.append(await _walk(ground, times, size))
        figures += [await _plain(ground, times, size, *each) for each in PLAIN]
        figures.append(await _session_end(ground, times, size))
    return figures


async def _adds(ground: BenchEngine, times: int, sizes: Sequence[int]) -> list[Figure]:
    """Add to all graphs in turn, under equal load."""

    def adding(owner: str) -> Work:
        facts, targets = sentences(seed_of(owner) + 1), itertools.count(HUB)
        return lambda: ground.call(
            "memory_add", owner=owner, event_type="fact", content=next(facts),
            edges=[{"target_id": next(targets), "edge_type": "supports"}],
        )  # fmt: skip

    works = {f"memory_add, {size:,} nodes": adding(owner_of(size)) for size in sizes}
    taken = await time_each(works, times)
    smallest, *_ = taken
    note = "with one edge; floor: the same in the smallest graph"
    least = taken.pop(smallest)
    return [
        summarise(smallest, least, note=note),
        *(summarise(name, each, least, FLAT, note) for name, each in taken.items()),
    ]


async def _searches(ground: BenchEngine, times: int, size: int) -> list[Figure]:
    owner = owner_of(size)
    queries, floor = questions(seed_of(owner), size), await open_raw_queries(ground)
    below, own = await time_alternately(
        lambda: floor.ask(owner, next(queries), memories=size),
        lambda: ground.call("memory_similar", owner=owner, query_text=next(queries)),
        times,
    )
    await floor.connection.close()
    note = f"floor: embed + a vector query + a text query; goal {ALIKE_MS} ms"
    text = summarise(f"memory_similar, text, {size:,} nodes", own, below, note=note)
    vectors = [(await ground.embedder.embed([next(queries)]))[0] for _ in range(WARM_UP + times)]
    given = iter(vectors)
    own = await time_repeatedly(
        lambda: ground.call("memory_similar", owner=owner, query_vec=next(given)), times
    )
    name = f"memory_similar, vector, {size:,} nodes"
    return [text, summarise(name, own, note="every vector is compared")]


async def _walk(ground: BenchEngine, times: int, size: int) -> Figure:
    owner, floor = owner_of(size), await psycopg.AsyncConnection.connect(ground.access.app)
    dice = random.Random(SEED)  # noqa: S311 - no secret
    starts = iter([dice.randint(size // 2, size) for _ in range(2 * (WARM_UP + times))])
    below, own = await time_alternately(
        lambda: walk_raw(floor, owner, next(starts)),
        lambda: ground.call("memory_traverse", owner=owner, start_id=next(starts)),
        times,
    )
    await floor.close()
    note = "floor: the same walk as a recursive query, on a connection of its own"
    return summarise(f"memory_traverse, {size:,} nodes", own, below, WALKED, note)


PLAIN: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("newest 20", "memory_query", {}),
    ("highest confidence 20", "memory_query", {"sort_by": "highest_confidence"}),
    ("depth 2, next to the hub", "memory_context", {"node_id": HUB}),
    ("all", "memory_quality", {}),
    ("all", "memory_stats", {}),
)
"""Tools timed without a floor: description, tool, arguments."""


async def _plain(
    ground: BenchEngine, times: int, size: int, note: str, tool: str, arguments: dict[str, Any]
) -> Figure:
    work = partial(ground.call, tool, owner=owner_of(size), **arguments)
    return summarise(f"{tool}, {size:,} nodes", await time_repeatedly(work, times), note=note)


async def _session_end(ground: BenchEngine, times: int, size: int) -> Figure:
    owner, facts = owner_of(size), sentences(seed_of(owner_of(size)) + 2)
    taken = []
    for _ in range(WARM_UP + times):
        await ground.call("session_start", owner=owner)
        for _ in range(OF_A_SESSION):
            await ground.call("memory_add", owner=owner, event_type="fact", content=next(facts))
        taken.append(await time_once(partial(ground.call, "session_end", owner=owner)))
    note = f"an episode of {OF_A_SESSION} nodes, its language model answers at once"
    return summarise(f"session_end, {size:,} nodes", taken[WARM_UP:], note=note)
