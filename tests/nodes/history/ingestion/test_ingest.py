"""What comes next is embedded while a load is stored and linked: nothing is lost by that."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.history.ingestion.pipeline import ingest
from reasonloom.nodes.history.ingestion.reports import IngestOptions
from reasonloom.stores.history import chunks
from tests.support.history.ingestion import OWNER, ingested, linked, stored
from tests.support.history.killed_process import unlinked
from tests.support.history.transcripts import Script, Shelf, generated


async def test_a_file_is_stored_as_it_is_cut(engine: Engine, tmp_path: Path) -> None:
    data = generated(40).data()
    file = tmp_path / "one.jsonl"
    file.write_bytes(data)
    told = (await ingested(engine, file))[0]
    shelf = Shelf()
    shelf.read(data)
    kept = await stored(engine)
    cut = sorted(shelf.chunks.values(), key=lambda c: (c.first_turn, c.ordinal))
    assert [(c.key, c.text) for c in kept] == [(c.id, c.text) for c in cut]
    assert (told.refused, told.turns, told.new, told.bytes) == (None, 40, len(kept), len(data))
    assert {c.project for c in kept} == {"api"}
    edges = await linked(engine)
    assert [(s, t) for o, s, t, *_ in edges if o == "sequence"] == sorted(
        (a.key, b.key) for a, b in pairwise(kept)
    )
    again = (await ingested(engine, file))[0]
    assert again.unchanged
    assert await stored(engine) == kept


LATEST = "Zuletzt: the last of all 🐕"
BARE = text("""
SELECT count(*) FROM chunks c WHERE c.owner = :owner AND NOT EXISTS (
    SELECT FROM embeddings e WHERE e.owner = c.owner AND e.memory_id = c.memory_id)
""")


def talk(session: str) -> Script:
    """Two chunks: of the second matter it is spoken hours later."""
    script = Script(session=session)
    script.user("Who keeps the light?").said("The keeper of the lighthouse does. " * 60)
    script.now += timedelta(hours=6)
    return script.user("Wer bäckt das Brot?").said("Das Brot bäckt der Bäcker am Hafen. " * 60)


async def test_what_is_erased_after_it_was_passed_over_is_embedded_after_all(
    engine: Engine, tmp_path: Path
) -> None:
    """The second file holds a chunk that is stored while it is cut, and gone when it is stored."""
    old, first, second = (tmp_path / f"{name}.jsonl" for name in ("old", "first", "second"))
    again = talk("again")
    old.write_bytes(again.data())
    await ingest(engine.loom, OWNER, [("old", old)], linking=unlinked)
    kept = [chunk.memory_id for chunk in await stored(engine)]
    first.write_bytes(talk("another").data())
    second.write_bytes(again.said(LATEST).data())
    ahead, inner = asyncio.Event(), engine.loom.embedder

    class Ahead:
        model, dimension, floor = inner.model, inner.dimension, inner.floor

        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if any(LATEST in said for said in texts):
                ahead.set()
            return await inner.embed(texts)

        async def close(self) -> None: ...

    async def erasing(loom: Loom, caller: Caller, new: Mapping[str, Sequence[int]]) -> None:
        await asyncio.wait_for(ahead.wait(), 60)
        async with loom.database.begin(caller) as tx:
            await chunks.drop(tx, kept)

    loom = replace(engine.loom, embedder=Ahead())
    files = [("first", first), ("second", second)]
    told = await ingest(loom, OWNER, files, IngestOptions(batch=2), linking=erasing)
    assert [(each.new, each.there) for each in told] == [(2, 0), (2, 0)]
    async with engine.loom.database.begin(OWNER) as tx:
        assert (await tx.all(BARE, {"owner": OWNER.owner}))[0][0] == 0
