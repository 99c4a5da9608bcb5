"""Talks of which some lead to others: a trouble, what mended it, and other matters."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from reasonloom.compose import open_engine
from reasonloom.errors import EmbedderUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.port import Embedder
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from tests.support.history.conversations import BEGIN, Talk


class Away:
    """An embedder that cannot be loaded."""

    model, dimension, floor = "away", 256, 0.16

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise EmbedderUnavailable("no embedder is installed")

    async def close(self) -> None:
        """Hold nothing."""


@asynccontextmanager
async def opened(access: Access, embedder: Embedder, **flags: Any) -> AsyncIterator[Engine]:
    """Open an engine with settings of its own."""
    async with open_engine(
        load_settings(**flags), access=access, embedder=embedder, recover=False
    ) as engine:
        yield engine


def days(number: float) -> Any:
    return BEGIN + timedelta(days=number)


TROUBLE = Talk(
    "harbour",
    "11111111-aaaa-4aaa-8aaa-000000000001",
    [
        (
            "CI is red: psycopg.errors.DeadlockDetected: deadlock detected in swap_berths.",
            "swap_berths in src/berths.py locks two berths in the order in which they are passed.",
        ),
    ],
)
ASIDE = Talk(
    "harbour",
    "22222222-aaaa-4aaa-8aaa-000000000002",
    [("Which colour for the flags on the pier?", "Blue ones, they fade least in the sun.")],
    begin=days(2),
)
MENDED = Talk(
    "harbour",
    "33333333-aaaa-4aaa-8aaa-000000000003",
    [
        (
            "What became of swap_berths?",
            "src/berths.py sorts the ids before it locks: 400 runs without a deadlock detected.",
        ),
    ],
    begin=days(5),
)
HARBOUR = (TROUBLE, ASIDE, MENDED)
ASKED = "why did swapping berths deadlock, and what mended it?"
