"""Counts and marks: statements whose columns have no names of their own."""

from __future__ import annotations

from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores import overview
from tests.support.calls import call, remember


async def test_columns_of_one_name_are_read_by_place(engine: Engine) -> None:
    await remember(engine, "Anna lives in Vienna.")
    thought = (await call(engine, "reasoning_linear", {"content": "Where to?"})).answer
    async with engine.loom.database.begin(Caller("local")) as tx:
        counts = await overview.read_overview(tx)
        mark = await overview.session_mark(tx, UUID(thought["session_id"]))
        none = await overview.session_mark(tx, UUID(int=0))
    assert (counts.sessions, counts.memories) == (1, 2)
    assert len(mark) == 4
    assert none == ()
