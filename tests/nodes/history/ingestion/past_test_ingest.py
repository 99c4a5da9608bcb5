"""Files become chunks: what is stored of them, whole or not at all, and only once."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from reasonloom.graphs.runs.engine import Engine
from tests.support.history.ingestion import ingested, linked, stored
from tests.support.history.transcripts import Shelf, generated


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
