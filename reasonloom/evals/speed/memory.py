"""`remember` and `recall` at the node, split into embedding, database and rest."""

from __future__ import annotations

import random
import resource
from collections.abc import Iterator

import psycopg

from reasonloom.evals.speed.ground import OWNER, Ground
from reasonloom.evals.speed.sample import (
    WARM_UP,
    Figure,
    Work,
    in_turn,
    median,
    percentile_95,
    timed,
)

SEED = 7
WHO = ("Anna", "Ben", "Chen", "Dora", "Emil", "Fatima", "Goran", "Hana")
WHAT = ("likes", "bought", "lost", "repaired", "sold", "painted", "borrowed", "found")
WHICH = ("a green bicycle", "an old piano", "two train tickets", "a garden chair", "the house key")
WHERE = ("in Lisbon", "at the market", "near the station", "at work", "in the attic", "by the sea")

RAW_VECTOR = """
SELECT memory_id FROM embeddings WHERE owner = %s AND sector = 'semantic'
ORDER BY (embedding <=> %s::halfvec) + 0 LIMIT 10
"""
RAW_TEXT = """
SELECT id FROM memories WHERE owner = %s AND words @@ to_tsquery('english', %s)
ORDER BY ts_rank(words, to_tsquery('english', %s)) DESC LIMIT 10
"""


def sentences() -> Iterator[str]:
    """Yield different sentences for ever, the same ones at each run."""
    dice = random.Random(SEED)  # noqa: S311 - a benchmark, not a secret
    number = 0
    while True:
        number += 1
        parts = (dice.choice(part) for part in (WHO, WHAT, WHICH, WHERE))
        yield f"{' '.join(parts)}, as note {number} says."


async def measure(ground: Ground, times: int, memories: int) -> list[Figure]:
    """Fill the memory, then time both tools and the raw queries that `recall` needs."""
    facts = sentences()

    async def remember() -> None:
        await ground.call(
            "remember",
            content=next(facts),
            userId=OWNER,
            sessionId="bench",
            primarySector="semantic",
        )

    for _ in range(memories):
        await remember()
    stored = await _split(ground, f"remember, {memories} stored", remember, times)
    found = await _recall(ground, memories, times)
    return [stored, *found, _memory_of_the_process()]


async def _recall(ground: Ground, memories: int, times: int) -> list[Figure]:
    questions = sentences()

    async def recall() -> None:
        await ground.call("recall", userId=OWNER, text=next(questions).split(",")[0], limit=10)

    connection = await psycopg.AsyncConnection.connect(ground.access.app)

    async def raw() -> None:
        question = next(questions).split(",")[0]
        vector = (await ground.embedder.embed([question]))[0]
        words = " | ".join(question.split())
        async with connection.transaction():
            await connection.execute("SELECT set_config('app.owner', %s, true)", (OWNER,))
            await connection.execute(RAW_VECTOR, (OWNER, str(vector)))
            await connection.execute(RAW_TEXT, (OWNER, words, words))

    floor, own = await in_turn(raw, recall, times)
    await connection.close()
    said = "floor: embed + one raw vector query + one raw text query"
    name = f"recall, {memories} stored"
    beside = Figure(name, median(own), percentile_95(own), median(floor), said=said)
    return [beside, await _split(ground, f"{name}, split", recall, times)]


async def _split(ground: Ground, name: str, work: Work, times: int) -> Figure:
    """Time `work` and tell which share was embedding, database and rest."""
    for _ in range(WARM_UP):
        await work()
    ground.restart_clocks()
    taken = [await timed(work) for _ in range(times)]
    embedding = ground.embedder.seconds * 1000 / times
    database = ground.database.seconds * 1000 / times
    mean = sum(taken) / times
    said = (
        f"mean {mean:.2f} = embedding {embedding:.2f} + database {database:.2f} "
        f"+ rest {mean - embedding - database:.2f}"
    )
    return Figure(name, median(taken), percentile_95(taken), said=said)


def _memory_of_the_process() -> Figure:
    mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Figure("memory of the process, largest, MiB", mebibytes, mebibytes, said="not a time")
