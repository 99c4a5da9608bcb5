"""Basins put into a database as rows, and a client of a server that has mental models."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar
from uuid import UUID, uuid4

import psycopg
from mcp import Client

from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings

T = TypeVar("T")
MODEL = "reasonloom-minilm-1"


def a_basin(
    url: str,
    name: str = "Work and sleep",
    *,
    owner: str = "local",
    vector: Sequence[float] | None = None,
    members: Sequence[int] = (),
) -> str:
    """Put a basin into the database, with memories that are there; return its id."""
    basin, centroid = uuid4(), str(list(vector or [1.0] + [0.0] * 383))
    with psycopg.connect(url) as connection:
        connection.execute(
            "INSERT INTO reasonloom.basins (owner, id, name, named_by, keywords, centroid, model,"
            " coherence) VALUES (%s, %s, %s, 'words', '{work}', %s, %s, 0.8)",
            (owner, basin, name, centroid, MODEL),
        )
        for number in members:
            connection.execute(
                "INSERT INTO reasonloom.basin_members VALUES (%s, %s, %s, 0.9)",
                (owner, basin, number),
            )
    return str(basin)


def drop_basin(url: str, basin: str) -> None:
    """Take a basin out of the database, as clustering anew does."""
    with psycopg.connect(url) as connection:
        connection.execute("DELETE FROM reasonloom.basins WHERE id = %s", (UUID(basin),))


class Caller:
    """Calls tools and returns their structured answers."""

    def __init__(self, client: Client, url: str) -> None:
        self.client, self.url = client, url

    async def told(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the answer, which must be no error."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return dict(result.structured_content or {})

    async def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the error, which must have its form and show nothing of our insides."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        body = dict(result.structured_content or {})
        assert body["success"] is False
        assert {"code", "message"} <= body.keys()
        assert "Traceback" not in str(body)
        return body

    async def made(self, *basins: str, name: str = "Patterns", **more: Any) -> str:
        """Make a model; return its id."""
        arguments = {"name": name, "domain": "user", "basin_ids": list(basins), **more}
        return str((await self.told("create_model", **arguments))["model_id"])

    async def model(self, model_id: str, **more: Any) -> dict[str, Any]:
        """Return what get_model tells of a model."""
        return dict((await self.told("get_model", model_id=model_id, **more))["model"])


@asynccontextmanager
async def kept(opened: AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
    """Keep what may only be closed by the task that opened it open for a fixture."""
    ready: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def hold() -> None:
        try:
            async with opened as value:
                ready.set_result(value)
                await over.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise

    task = asyncio.create_task(hold())
    try:
        yield await ready
    finally:
        over.set()
        await task


@asynccontextmanager
async def modelling(url: str, **given: Any) -> AsyncIterator[Caller]:
    """Yield a caller of the real server object on a database."""
    given = {"toolsets": "mental_models,extras", "cluster_hours": 0, **given}
    settings = load_settings(database_url=url, **given)
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        yield Caller(client, url)
