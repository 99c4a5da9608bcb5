"""An engine on the database that a studio shows, for what no tool alone can make."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.port import Embedder
from reasonloom.settings import Settings
from tests.support.databases.postgres import TestPostgres


@pytest.fixture
async def pages_engine(
    postgres: TestPostgres, pages_database: str, settings: Settings, embedder: Embedder
) -> AsyncIterator[Engine]:
    """An engine of this test's own."""
    access = postgres.access(pages_database)
    async with open_engine(settings, access=access, embedder=embedder, recover=False) as engine:
        yield engine
