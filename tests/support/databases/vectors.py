"""Owners with many memories of random vectors, and which of them are the nearest."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid5

import psycopg

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.memory.import_rows import store_many
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.memory.search.scope import Nearness

MODEL = "test-16"
SIZE = 16
NOW = datetime(2025, 3, 8, tzinfo=UTC)
SPACE = UUID(int=7)
EXACT = """
SELECT memory_id FROM embeddings WHERE owner = %s AND model = %s
GROUP BY memory_id ORDER BY min((embedding <=> %s::halfvec) + 0), memory_id LIMIT 10
"""


def dice_of(seed: str | int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a test, not a secret


def vector(dice: random.Random) -> list[float]:
    return [dice.gauss(0, 1) for _ in range(SIZE)]


def memory(owner: str, number: int, dice: random.Random, content: str | None = None) -> NewMemory:
    plain, dated = vector(dice), vector(dice)
    return NewMemory(
        effect=uuid5(SPACE, f"{owner}/{number}"),
        content=content or f"note {number}",
        sector="semantic",
        event_type="fact",
        source_kind="user",
        principal=owner,
        tool="remember",
        salience=0.5,
        importance=0.5,
        decay_rate=0.01,
        token_count=2,
        created_at=NOW + timedelta(minutes=number),
        valid_from=NOW + timedelta(minutes=number),
        vectors={**dict.fromkeys(SECTORS, plain), "episodic": dated},
        model=MODEL,
    )


async def fill(
    database: Database, owner: str, size: int, contents: Sequence[str] = (), *, first: int = 0
) -> None:
    """Store `size` memories of random vectors; `first` is how many were stored so before."""
    dice = dice_of(f"{owner}/{first}" if first else owner)
    made = [
        memory(owner, number, dice, contents[number % len(contents)] if contents else None)
        for number in range(first, first + size)
    ]
    for start in range(0, size, 1000):
        async with database.begin(Caller(owner)) as tx:
            await store_many(tx, made[start : start + 1000])


def analyze(access: Access) -> None:
    with psycopg.connect(access.admin, autocommit=True) as connection:
        connection.execute("ANALYZE")


def exact(access: Access, owner: str, near: Nearness) -> list[int]:
    with psycopg.connect(access.admin) as connection:
        values = (owner, MODEL, near.values()["vector"])
        return [row[0] for row in connection.execute(EXACT, values)]
