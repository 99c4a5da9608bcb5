"""Memories about some topics, in several scripts, stored at once; and what clusters them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.contracts.mental_models.extras import ClusterMemories
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.memory.import_rows import store_many
from reasonloom.stores.memory.memories import NewMemory

SPACE = UUID(int=11)
MODEL = "test-64"
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)

FRAMES = {
    "dog": ("The dog {} in the park with the puppy", "barks runs plays sleeps jumps digs eats"),
    "database": (
        "The database index {} the SQL query in Postgres",
        "slows helps breaks locks serves blocks speeds",
    ),
    "kitchen": (
        "We {} bread and soup with salt in the oven",
        "bake cook burn season taste prepare freeze",
    ),
    "собака": (
        "Моя собака {} в парке рядом с ветеринаром",
        "лает гуляет спит играет прыгает бегает ест",
    ),
    "音楽": ("春人は音楽会でピアノの曲を{}", "弾いた 聴いた 学んだ 書いた 歌った 覚えた 忘れた"),
    "café": ("Le café {} est servi à la terrasse ☕", "crème noir glacé serré chaud froid allongé"),
}


def about(topic: str, count: int = 7) -> list[str]:
    """Return different sentences about a topic."""
    frame, words = FRAMES[topic]
    pairs = itertools.chain(
        ([word] for word in words.split()), itertools.combinations(words.split(), 2)
    )
    return [frame.format(" ".join(each)) for each in itertools.islice(pairs, count)]


def near(direction: int, count: int, *, first: int = 0, size: int = 64) -> list[list[float]]:
    """Return `count` different vectors that all lie near one direction."""
    made = []
    for number in range(first, first + count):
        vector = [0.0] * size
        vector[direction] = 1.0
        for step in range(3):
            vector[(direction * 7 + number * 5 + step * 11) % size] += 0.12
        made.append(vector)
    return made


async def store(
    engine: Engine,
    contents: Sequence[str],
    *,
    owner: str = "local",
    vectors: Sequence[Sequence[float]] | None = None,
    model: str | None = None,
    **more: Any,
) -> list[int]:
    """Store memories with the engine's vectors, or those given; no vectors where `model` is ''."""
    embedder = engine.loom.embedder
    made = vectors if vectors is not None else await embedder.embed(list(contents))
    model = embedder.model if model is None else model
    given: dict[str, Any] = {"source_kind": "user", **more}
    new = [
        NewMemory(
            effect=uuid5(SPACE, f"{owner}/{content}"),
            content=content,
            sector="semantic",
            event_type="fact",
            principal=owner,
            tool="remember",
            salience=0.5,
            importance=0.5,
            decay_rate=0.01,
            token_count=2,
            created_at=BEGAN + timedelta(minutes=number),
            valid_from=BEGAN + timedelta(minutes=number),
            vectors=dict.fromkeys(SECTORS, vector) if model else {},
            model=model or None,
            **given,
        )
        for number, (content, vector) in enumerate(zip(contents, made, strict=True))
    ]
    async with engine.loom.database.begin(Caller(owner)) as tx:
        return await store_many(tx, new)


async def cluster(engine: Engine, *, owner: str = "local", dry_run: bool = False) -> Outcome:
    """Form the clusters of an owner's memories."""
    request = ClusterMemories.model_validate({"dryRun": dry_run})
    given = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return await engine.call(
        Call("cluster_memories", load_graph("cluster_memories"), given, Caller(owner))
    )
