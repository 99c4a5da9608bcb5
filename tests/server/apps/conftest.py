"""A client that announces MCP Apps, of a server on a database of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from mcp import Client

from reasonloom.settings import Settings, load_settings
from tests.support.apps.host import apps_client
from tests.support.clients.processes import PATIENCE
from tests.support.databases.postgres import TestPostgres
from tests.support.studio.browser import browser

__all__ = ["browser"]


@pytest.fixture
def served(postgres: TestPostgres, database: str) -> Settings:
    """The settings of the server behind the pages."""
    url = postgres.address.dsn("postgres", database)
    return load_settings(database_url=url, llm="offline", toolsets="all,extras,default")


@pytest.fixture
async def client(served: Settings) -> AsyncIterator[Client]:
    """A client of that server, held open by one task: the SDK's may not move to another."""
    ready: asyncio.Future[Client] = asyncio.Future()
    done = asyncio.Event()

    async def hold() -> None:
        async with apps_client(served) as opened:
            ready.set_result(opened)
            await done.wait()

    task = asyncio.create_task(hold())
    yield await asyncio.wait_for(ready, PATIENCE)
    done.set()
    await task
