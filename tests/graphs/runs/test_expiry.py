"""What is forgotten for good is in no byte that is kept of a run.

Saved steps are bytes, and text made of bytes shows their numbers: looked at as text they hide all.
"""

from __future__ import annotations

from uuid import UUID

import psycopg

from reasonloom.graphs.background_jobs import StepExpiry
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from tests.graphs.runs.test_engine import ScriptedLlm, engine_with, thought
from tests.support.calls import call, remember
from tests.support.memory.graph import change, query

SAVED_THREADS = """SELECT DISTINCT thread_id FROM checkpoints UNION SELECT DISTINCT thread_id
    FROM checkpoint_writes UNION SELECT DISTINCT thread_id FROM checkpoint_blobs"""
AGE = "UPDATE runs SET finished_at = now() - make_interval(days => %s) WHERE id = %s"


async def run(engine: Engine, owner: str = "local") -> UUID:
    """Run what saves its steps; the owner has a memory."""
    await remember(engine, "Der Zug fährt um 22:40 🚆.", owner=owner)
    outcome = await call(engine, "reasoning_linear", {"content": "Wann fahren wir?"}, owner=owner)
    return outcome.run_id


def threads(access: Access) -> set[str]:
    return {row[0] for row in query(access, SAVED_THREADS)}


async def test_only_steps_of_old_runs_are_dropped(engine: Engine, access: Access) -> None:
    old, young, other = await run(engine), await run(engine), await run(engine, "other")
    change(access, AGE, 31, old)
    change(access, AGE, 29, young)
    change(access, AGE, 40, other)
    rows = "SELECT count(*) FROM runs"
    before = query(access, rows)
    assert threads(access) == {f"local/{old}", f"local/{young}", f"other/{other}"}
    await StepExpiry(engine.loom).look()
    assert threads(access) == {f"local/{young}"}
    assert query(access, rows) == before


SECRET = "4711 quetzals"
FACT = f"The safe opens with {SECRET}."
KEPT = ("runs", "llm_calls", "checkpoints", "checkpoint_blobs", "checkpoint_writes")


def holding(access: Access, secret: str) -> set[str]:
    """Return the tables of which a row holds the text, also within its bytes."""
    shown = f"%{secret}%", f"%{secret.encode().hex()}%"
    with psycopg.connect(access.admin) as connection:
        return {
            table
            for table in KEPT
            if connection.execute(
                f"SELECT 1 FROM {table} kept WHERE kept::text LIKE ANY(%s) LIMIT 1".encode(),
                (list(shown),),
            ).fetchone()
        }


async def test_no_byte_of_what_is_forgotten_stays_with_a_run(
    access: Access, embedder: Embedder
) -> None:
    async with engine_with(access, embedder, ScriptedLlm(thought(FACT))) as engine:
        memory = await remember(engine, FACT)
        await call(engine, "reasoning_linear", {"content": "How does the safe open?"})
        assert holding(access, SECRET) >= {"runs", "llm_calls", "checkpoint_blobs"}
        await call(engine, "forget", {"userId": "local", "memoryId": memory})
    assert holding(access, SECRET) == set()
