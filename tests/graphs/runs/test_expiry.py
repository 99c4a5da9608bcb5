"""What is forgotten for good is in no byte that is kept of a run.

Saved steps are bytes, and text made of bytes shows their numbers: looked at as text they hide all.
"""

from __future__ import annotations

import psycopg

from reasonloom.llm.port import Embedder
from reasonloom.stores.access import Access
from tests.graphs.runs.test_engine import ScriptedLlm, engine_with, thought
from tests.support.calls import call, remember

SECRET = "4711"
FACT = f"The safe opens with {SECRET}."
KEPT = ("runs", "llm_calls", "checkpoints", "checkpoint_blobs", "checkpoint_writes")
STEPS = {"checkpoint_blobs", "checkpoint_writes"}


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
        assert holding(access, SECRET) >= STEPS | {"runs", "llm_calls"}
        await call(engine, "forget", {"userId": "local", "memoryId": memory})
    assert holding(access, SECRET) == set()
