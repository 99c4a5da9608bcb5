"""An import makes what `superseded_by` says true: an edge, kept by the database from then on."""

from __future__ import annotations

import io
from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.portable.validation import check_file, embedder_in_use
from tests.support.calls import recalled
from tests.support.memory.housekeeping import as_file, exported, rows, take_in

OLD: dict[str, Any] = {"id": "mem-7", "content": "Чай стоит 3.", "superseded_by": "mem-9"}
NEW: dict[str, Any] = {"id": "mem-9", "content": "Чай стоит 4. 茶"}
EDGES = "SELECT source_id, target_id, type, weight, origin FROM edges ORDER BY target_id"
NEWER = "SELECT id, superseded_by FROM memories ORDER BY id"


async def test_superseded_by_alone_makes_the_edge(engine: Engine) -> None:
    done = await take_in(engine, as_file([OLD, NEW]))
    assert (done.edges, done.lost_edges) == (1, 0)
    (edge,) = await rows(engine, EDGES)
    assert tuple(edge) == (2, 1, "supersedes", 1.0, "import")
    assert [tuple(row) for row in await rows(engine, NEWER)] == [(1, 2), (2, None)]
    assert await recalled(engine, "чай") == ["Чай стоит 4. 茶", "Чай стоит 3."]
    again = await take_in(engine, as_file([OLD, NEW]))
    assert (again.stored, again.edges) == (0, 0)


async def test_the_edge_of_the_file_goes_before_the_one_that_is_made(engine: Engine) -> None:
    edge = {"target": "mem-7", "type": "supersedes", "weight": 0.5, "origin": "memory_correct"}
    done = await take_in(engine, as_file([OLD, {**NEW, "edges": [edge]}]))
    assert done.edges == 1
    (made,) = await rows(engine, EDGES)
    assert (made.weight, made.origin) == (0.5, "memory_correct")


async def test_what_supersedes_must_come_later(engine: Engine) -> None:
    """It is the newest by number, and numbers are given in the order of the lines."""
    await take_in(engine, as_file([NEW, OLD]))
    assert len(await rows(engine, EDGES)) == 1
    assert [row.superseded_by for row in await rows(engine, NEWER)] == [None, None]


async def test_a_line_that_is_superseded_by_none_of_the_file_loses_the_link(engine: Engine) -> None:
    done = await take_in(engine, as_file([OLD]))
    assert (done.stored, done.lost_edges) == (1, 1)
    assert [row.superseded_by for row in await rows(engine, NEWER)] == [None]


async def test_an_export_that_is_imported_elsewhere_says_the_same(engine: Engine) -> None:
    await take_in(engine, as_file([OLD, NEW]))
    other = Caller("local", "other")
    await take_in(engine, as_file(await exported(engine)), other)
    _, old, new = await exported(engine, other)
    assert old["superseded_by"] == new["id"]
    assert len(new["edges"]) == 1


@pytest.mark.parametrize("content", [b"AMEM" + bytes(60), bytes(64), b"\x1f\x8b\x08\0"])
def test_binary_files_are_refused_before_anything_is_read(engine: Engine, content: bytes) -> None:
    with pytest.raises(InvalidArgument, match="`reasonloom memory export`") as raised:
        check_file(io.BytesIO(content), embedder_in_use(engine.loom.embedder))
    assert raised.value.field == "file"
