"""Times `remember` and `recall` for owners of many sizes in one database."""

import random
import resource
import time
from collections.abc import Mapping, Sequence
from statistics import fmean

import psycopg
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.evals.bench.environment import BenchEngine, execute
from reasonloom.evals.bench.floors import open_raw_queries
from reasonloom.evals.bench.load import SEED, load, questions, seed_of, sentences
from reasonloom.evals.bench.timing import WARM_UP, Figure, Work, summarise, time_each
from reasonloom.llm.classifier import answers
from reasonloom.nodes.memory.retrieval.answerable import READ
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.retrieval import find_nearest
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.vector_indexes import maintain

POOL = 250
DEPTH = 10
ENOUGH = 0.98
"""The share of the nearest memories that must be found, for every owner."""

EXACT = text("""
SELECT memory_id FROM embeddings WHERE owner = :owner AND model = :model
GROUP BY memory_id ORDER BY min((embedding <=> CAST(:vector AS halfvec)) + 0), memory_id LIMIT 10
""")


async def nearest_against_exact(
    ground: BenchEngine, owners: Mapping[str, int], times: int
) -> Figure:
    """Return the share found of the ten nearest, over `times` questions of shuffled owners."""
    names, dice = list(owners), random.Random(SEED)  # noqa: S311 - a benchmark, not a secret
    dice.shuffle(names)
    queries = {owner: questions(seed_of(owner), owners[owner]) for owner in names}
    shares = []
    for number in range(times):
        owner = names[number % len(names)]
        vector = (await ground.embedder.embed([next(queries[owner])]))[0]
        near = Nearness(vector, ground.embedder.model, SECTORS)
        async with ground.database.begin(Caller(owner), searching=True) as tx:
            shares.append(await _share(tx, near))
    mean = sum(shares) / len(shares)
    below = sum(share < ENOUGH for share in shares)
    note = f"a share, not a time; {below} of {times} below {ENOUGH}"
    name = f"nearest {DEPTH} against exact, {len(owners):,} x {max(owners.values()):,} at most"
    return Figure(name, mean, min(shares), said=note)


async def _share(tx: Transaction, near: Nearness) -> float:
    values = {"owner": tx.owner, "model": near.model, "vector": near.values()["vector"]}
    exact = {row.memory_id for row in await tx.all(EXACT, values)}
    found = list(await find_nearest(tx, near, scope=Scope(), pool=POOL))[:DEPTH]
    return len(exact & set(found)) / len(exact) if exact else 1.0


RATIO = 2.0
"""The goal of `recall`: at most this multiple of its floor."""

TOGETHER = 100_000
"""Memories of all tenants in total."""

SPREAD = 1.2
"""Standard deviation of the logarithm of the owners' sizes."""

SETTLE = "VACUUM (ANALYZE) memories, embeddings, terms, edges, sessions, owners"
BYTES = """
SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
WHERE c.relname IN ('memories', 'embeddings', 'terms', 'edges')
"""


def name_of(size: int) -> str:
    """Return the owner of `size` memories."""
    return f"owner-of-{size}"


def sizes_of(owners: int) -> dict[str, int]:
    """Return owners of mixed sizes, TOGETHER memories in total, the same on each run."""
    dice = random.Random(SEED)  # noqa: S311 - a benchmark, not a secret
    shares = [dice.lognormvariate(0, SPREAD) for _ in range(owners)]
    whole = sum(shares)
    return {
        f"tenant-{number}": max(1, round(share / whole * TOGETHER))
        for number, share in enumerate(shares)
    }


async def measure(
    ground: BenchEngine, times: int, sizes: Sequence[int], owners: int
) -> list[Figure]:
    """Fill one database for all owners, then time both tools and the raw queries for each."""
    figures = [await _loaded(ground, {name_of(size): size}) for size in sizes]
    tenants = sizes_of(owners)
    if tenants:
        figures.append(await _loaded(ground, tenants, f" of {len(tenants):,} owners"))
    figures.append(await _settled(ground))
    for size in sizes:
        figures += await _recall(ground, {name_of(size): size}, times, f"{size:,} stored")
    if tenants:
        figures += await _recall(ground, tenants, times, f"{len(tenants):,} owners, mixed")
    for size in sizes:
        figures.append(await _remember(ground, name_of(size), size, times))
    for size in sizes:
        figures.append(await nearest_against_exact(ground, {name_of(size): size}, times))
    if tenants:
        figures.append(await nearest_against_exact(ground, tenants, len(tenants)))
    mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    name = "memory of the process, largest, MiB"
    return [*figures, Figure(name, mebibytes, mebibytes, said="not a time")]


async def _loaded(ground: BenchEngine, owners: Mapping[str, int], of: str = "") -> Figure:
    started = time.perf_counter()
    for owner, memories in owners.items():
        await load(ground.database, ground.embedder, owner, memories)
    took, size = (time.perf_counter() - started) * 1000, sum(owners.values())
    note = f"{took / 1000:.1f} s, embedding and all; {size / took * 1000:.0f} memories a second"
    return Figure(f"bulk load of {size:,}{of}", took / size, took / size, said=note)


async def _settled(ground: BenchEngine) -> Figure:
    """Run maintenance as in operation: statistics, and indexes for large owners."""
    started = time.perf_counter()
    done = await maintain(ground.access)
    took = (time.perf_counter() - started) * 1000
    await execute(ground.access, SETTLE)
    async with await psycopg.AsyncConnection.connect(ground.access.admin) as connection:
        stored = await (await connection.execute("SELECT count(*) FROM memories")).fetchone()
        size = await (await connection.execute(BYTES)).fetchone()
    assert stored and size  # noqa: S101 - both queries give a row
    note = (
        f"{done.made} indexes of nearness; {int(size[0]) / max(1, stored[0]):,.0f} bytes a memory "
        f"with all indexes, of {stored[0]:,}"
    )
    return Figure("reasonloom db maintain", took, took, said=note)


async def _recall(
    ground: BenchEngine, owners: Mapping[str, int], times: int, name: str
) -> list[Figure]:
    queries = {owner: questions(seed_of(owner), size) for owner, size in owners.items()}
    dice = random.Random(SEED)  # noqa: S311 - no secret
    names = list(owners)
    floor = await open_raw_queries(ground)

    best: list[tuple[str, str]] = []

    async def recall() -> None:
        owner = dice.choice(names)
        question = next(queries[owner])
        found = await ground.call("recall", owner=owner, userId=owner, text=question, limit=10)
        best[:] = [(each["content"], question) for each in found.answer["memories"][:READ]]

    async def by_hand() -> None:
        owner = dice.choice(names)
        await floor.ask(owner, next(queries[owner]), memories=owners[owner])

    async def read() -> None:
        await answers(best)

    works = {"floor": by_hand, "recall": recall, "reading": read}
    taken = await time_each(works, times)
    await floor.connection.close()
    share = {key: seconds * 1000 / (times + WARM_UP) for key, seconds in floor.seconds.items()}
    note = f"floor: embed + vector query {share['vector']:.2f} + text query {share['text']:.2f}"
    figure = summarise(f"recall, {name}", taken["recall"], taken["floor"], RATIO, note)
    reading = fmean(taken["reading"])
    return [figure, await _split(ground, f"recall, {name}, split", recall, times, reading)]


async def _remember(ground: BenchEngine, owner: str, size: int, times: int) -> Figure:
    facts = sentences(seed_of(owner) + 1)
    given = {"userId": owner, "sessionId": "bench", "primarySector": "semantic"}
    name = f"remember, {size:,} stored"
    return await _split(
        ground, name, lambda: ground.call("remember", owner=owner, content=next(facts), **given),
        times,
    )  # fmt: skip


async def _split(
    ground: BenchEngine, name: str, work: Work, times: int, reading: float = 0.0
) -> Figure:
    """Time `work`, split into embedding, database, reading (`reading` ms) and the rest."""
    taken, embedding, database = await ground.time_parts(work, times)
    mean = sum(taken) / times
    parts = {"embedding": embedding, "database": database}
    if reading:
        parts["reading the best two"] = reading
    parts["rest"] = mean - sum(parts.values())
    split = " + ".join(f"{part} {took:.2f}" for part, took in parts.items())
    note = f"mean {mean:.2f} = {split}"
    return summarise(name, taken, note=note)
