"""Saved steps of old runs are dropped; everything else of them stays."""

from __future__ import annotations

from uuid import UUID

from reasonloom.graphs.expiry import Expiry
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.calls import call, remember
from tests.support.memory.graph_memory import change, query

STEPS = """SELECT DISTINCT thread_id FROM checkpoints UNION SELECT DISTINCT thread_id
    FROM checkpoint_writes UNION SELECT DISTINCT thread_id FROM checkpoint_blobs"""
AGE = "UPDATE runs SET finished_at = now() - make_interval(days => %s) WHERE id = %s"


async def run(engine: Engine, owner: str = "local") -> UUID:
    """Run what saves its steps; the owner has a memory."""
    await remember(engine, "Der Zug fährt um 22:40 🚆.", owner=owner)
    outcome = await call(engine, "reasoning_linear", {"content": "Wann fahren wir?"}, owner=owner)
    return outcome.run_id


def threads(access: Access) -> set[str]:
    return {row[0] for row in query(access, STEPS)}


async def test_only_steps_of_old_runs_are_dropped(engine: Engine, access: Access) -> None:
    old, young, other = await run(engine), await run(engine), await run(engine, "other")
    change(access, AGE, 31, old)
    change(access, AGE, 29, young)
    change(access, AGE, 40, other)
    rows = "SELECT count(*) FROM runs"
    before = query(access, rows)
    assert threads(access) == {f"local/{old}", f"local/{young}", f"other/{other}"}
    await Expiry(engine.loom).look()
    assert threads(access) == {f"local/{young}"}
    assert query(access, rows) == before
