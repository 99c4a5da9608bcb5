"""Every statement names its owner by itself, also where the database would let it see all.

The engine works here as a superuser, whom row-level security does not hold: what keeps two owners
apart is then what the statements say, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.errors import NotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call, remember

TAINT = "malachite"
CHANGES = "xmin::text::bigint"
OWNED = ("memories", "embeddings", "edges", "sessions", "branches", "thoughts", "runs")
BEN_ASKS: list[tuple[str, dict[str, Any]]] = [
    ("recall", {"userId": "ben", "text": "the key of the safe"}),
    ("recall", {"userId": "ben"}),
    ("search", {"userId": "ben", "text": "key"}),
    ("memory_query", {}),
    ("memory_similar", {"query_text": "the key of the safe"}),
    ("memory_ground", {"claim": "The key of the safe is kept."}),
    ("memory_traverse", {"start_id": 1}),
    ("memory_context", {"node_id": 1}),
    ("memory_resolve", {"node_id": 1}),
    ("memory_stats", {}),
    ("memory_session_resume", {}),
    ("update_memory", {"userId": "ben", "memoryId": "mem-1", "content": "gone"}),
    ("forget", {"userId": "ben", "memoryId": "mem-1", "soft": True}),
    ("forget", {"userId": "ben", "memoryId": "mem-2", "soft": False}),
    ("reasoning_linear", {"content": "What is the key of the safe?"}),
]


@pytest.fixture
async def unheld(access: Access, settings: Settings, embedder: Embedder) -> AsyncIterator[Engine]:
    everything = Access(admin=access.admin, app=access.admin)
    async with open_engine(settings, access=everything, embedder=embedder) as engine:
        yield engine


def state(access: Access) -> dict[str, list[tuple[Any, ...]]]:
    """Return which rows are anna's, and by which transactions they were last changed."""
    with psycopg.connect(access.admin) as connection:
        return {
            table: connection.execute(
                f"SELECT {CHANGES}, ctid::text FROM {table} WHERE owner = 'anna' ORDER BY 1, 2"
                .encode()
            ).fetchall()
            for table in OWNED
        }  # fmt: skip


async def test_without_row_level_security_two_owners_are_kept_apart(
    unheld: Engine, access: Access
) -> None:
    for number in range(3):
        await remember(unheld, f"The key of the safe is {TAINT} {number}.", owner="anna")
    thought = await call(unheld, "reasoning_linear", {"content": "What is the key?"}, owner="anna")
    assert TAINT in json.dumps(thought.answer)
    await unheld.journal.flush()
    before = state(access)
    assert all(before[table] for table in ("memories", "embeddings", "sessions", "runs"))
    for tool, arguments in BEN_ASKS:
        try:
            answer = (await call(unheld, tool, arguments, owner="ben")).answer
        except NotFound as refused:
            answer = {"refused": refused.message}
        assert TAINT not in json.dumps(answer), tool
        await unheld.journal.flush()
        assert state(access) == before, f"{tool} changed what is another's"
