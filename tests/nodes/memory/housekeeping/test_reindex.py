"""Another embedder: memories are embedded anew, and never half of an owner's are taken for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import EmbedderUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.maintenance import reindex as job
from reasonloom.stores.memory import reindex
from tests.support.calls import call, recalled, remember
from tests.support.memory.housekeeping import OWNER, as_file, rows, silent, take_in, write

MODELS = (
    "SELECT model, count(DISTINCT memory_id) AS n FROM embeddings GROUP BY model ORDER BY model"
)
ANNA = {"owner": "anna", "userId": "anna"}


class OtherEmbedder:
    """The same vectors under another name; away after so many calls."""

    model = "another"

    def __init__(self, inner: Any, *, calls: int = 1_000_000) -> None:
        self.inner, self.calls = inner, calls
        self.dimension, self.floor = inner.dimension, inner.floor

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.calls == 0:
            raise EmbedderUnavailable("away")
        self.calls -= 1
        return list(await self.inner.embed(texts))

    async def close(self) -> None:
        """Hold nothing."""


def change_embedder(engine: Engine, **more: Any) -> None:
    engine.loom = replace(engine.loom, embedder=OtherEmbedder(engine.loom.embedder, **more))


async def models(engine: Engine, caller: Caller = OWNER) -> dict[str, int]:
    return {row.model: row.n for row in await rows(engine, MODELS, caller)}


async def reindexed(engine: Engine, user: str | None = None) -> dict[str, job.ReindexResult]:
    return await job.reindex_all(engine.loom, await job.index_locations(engine.loom, user), silent)


async def foreign(engine: Engine, caller: Caller = OWNER) -> list[str]:
    async with engine.loom.database.begin(caller) as tx:
        return await reindex.foreign_models(tx, engine.loom.embedder.model)


async def test_every_memory_of_every_owner_gets_vectors_of_the_new_model(engine: Engine) -> None:
    old = engine.loom.embedder.model
    await remember(engine, "Green tea is in the tin.")
    hidden = await remember(engine, "Ben sings in a choir.")
    await call(engine, "forget", {"userId": "local", "memoryId": hidden, "soft": True})
    await remember(engine, "In a space of its own.", userId="guest")
    await remember(engine, "Anna's own.", **ANNA)
    change_embedder(engine)
    done = await reindexed(engine)
    assert done == {
        "anna": job.ReindexResult(1, 0, done["anna"].dropped),
        "local": job.ReindexResult(3, 0, done["local"].dropped),
    }
    assert all(each.dropped for each in done.values())
    assert (await models(engine), await models(engine, Caller("anna"))) == (
        {"another": 3}, {"another": 1},
    )  # fmt: skip
    assert old not in await models(engine)
    assert await recalled(engine, "what is in the box of tins?") == ["Green tea is in the tin."]
    assert (await reindexed(engine))["local"] == job.ReindexResult()


async def test_old_vectors_stay_until_the_owner_is_complete(engine: Engine) -> None:
    old = engine.loom.embedder.model
    await remember(engine, "Green tea is in the tin.")
    await remember(engine, "In a space of its own.", userId="guest")
    change_embedder(engine)
    done = await reindexed(engine, "guest")
    assert done["local"] == job.ReindexResult(embedded=1, lacking=1)
    assert await models(engine) == {"another": 1, old: 2}
    await reindexed(engine)
    assert await models(engine) == {"another": 2}


async def test_what_was_interrupted_goes_on(engine: Engine) -> None:
    old, count = engine.loom.embedder.model, job.BATCH + 20
    await take_in(engine, as_file([{"content": f"Fact {n} about tea."} for n in range(count)]))
    change_embedder(engine, calls=1)
    with pytest.raises(EmbedderUnavailable):
        await reindexed(engine)
    assert await models(engine) == {"another": job.BATCH, old: count}
    assert await foreign(engine) == [old]
    engine.loom.embedder.calls = 9  # type: ignore[attr-defined]
    assert (await reindexed(engine))["local"].embedded == 20
    assert await models(engine) == {"another": count}


async def test_a_memory_without_vectors_is_embedded_too(engine: Engine) -> None:
    await remember(engine, "Green tea is in the tin.")
    await remember(engine, "Ben sings in a choir.")
    await write(engine, "DELETE FROM embeddings WHERE memory_id = 1")
    assert (await reindexed(engine))["local"].embedded == 1
    assert sum((await models(engine)).values()) == 2


async def test_a_memory_that_changes_meanwhile_keeps_the_vectors_of_its_new_content(
    engine: Engine,
) -> None:
    await remember(engine, "Green tea is in the tin.")
    await write(engine, "DELETE FROM embeddings")
    loom = engine.loom
    async with loom.database.begin(OWNER) as tx:
        (seen,) = await reindex.next_lacking(tx, loom.embedder.model, before=99, size=9)
    await write(engine, "UPDATE memories SET content = 'Ben sings.'")
    vector = (await loom.embedder.embed([seen.content]))[0]
    async with loom.database.begin(OWNER) as tx:
        count = await reindex.embed(tx, [seen], {1: {"semantic": vector}}, loom.embedder.model)
    assert (count, await models(engine)) == (0, {})


async def test_an_owner_with_vectors_of_another_model_alone_is_seen_at_a_glance(
    engine: Engine,
) -> None:
    assert await foreign(engine) == []
    old = engine.loom.embedder.model
    for number in range(40):
        await remember(engine, f"Fact {number} about tea.")
    assert await foreign(engine) == []
    change_embedder(engine)
    assert await foreign(engine) == [old]
    await remember(engine, "Something new.")
    assert await foreign(engine) == [old], "one memory of ours hides forty foreign ones"
    assert await foreign(engine, Caller("anna")) == []
    await reindexed(engine)
    assert await foreign(engine) == []
