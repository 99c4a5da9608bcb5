"""A server's choice of tools holds for the modes that `reasoning_auto` runs by itself."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from tests.support.databases.postgres import TestPostgres

CHOICE = {"content": "Compare these options: rent or buy?", "execute": True}


@pytest.mark.parametrize(
    ("choice", "executed"),
    [
        ({}, "reasoning_tree"),
        ({"exclude_tools": "reasoning_tree"}, None),
        ({"toolsets": "default", "tools": "reasoning_auto,reasoning_linear"}, "reasoning_linear"),
        ({"toolsets": "default", "tools": "reasoning_auto"}, None),
    ],
)
async def test_a_mode_is_run_only_where_its_tool_is_served(
    postgres: TestPostgres, database: str, choice: dict[str, Any], executed: str | None
) -> None:
    url = postgres.address.dsn("postgres", database)
    given = {"toolsets": "classic", **choice}
    settings = load_settings(database_url=url, llm="offline", **given)
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        served = {tool.name for tool in (await client.list_tools()).tools}
        answer = (await client.call_tool("reasoning_auto", CHOICE)).structured_content
    assert answer is not None
    ran = answer.get("executed")
    assert ran is None or ran in served
    assert ran != "reasoning_tree" or executed == "reasoning_tree"
    if executed:
        assert ran == executed
    else:
        assert "offer" in answer["rationale"]
