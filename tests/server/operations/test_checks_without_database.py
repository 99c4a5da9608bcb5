"""Checks of reasoning read nothing stored: they are answered while the database is down."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client

from reasonloom.graphs.graph import load_graph
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.tool import STATELESS
from reasonloom.server.toolsets.table import TOOLSETS
from reasonloom.settings import load_settings
from reasonloom.stores.embedded.server import EmbeddedServer
from tests.support.databases.postgres import no_other_orphans

NOWHERE = "postgresql://nobody@127.0.0.1:1/none"
TEXT = "We have already spent a year on it, so we must go on, I am happy to say."
CHECKS: dict[str, dict[str, Any]] = {
    "assess_confidence": {"reasoning": TEXT},
    "detect_bias": {"reasoning": TEXT, "monitorContinuously": True},
    "detect_emotion": {"text": TEXT},
    "evaluate": {"reasoning": TEXT},
}


@pytest.mark.parametrize("llm", [None, "litellm:openai/gpt-4o-mini"])
@pytest.mark.parametrize("tool", CHECKS)
async def test_a_check_is_answered_and_says_that_it_is_not_recorded(
    tool: str, llm: str | None
) -> None:
    settings = load_settings(database_url=NOWHERE, toolsets="all", **({"llm": llm} if llm else {}))
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        result = await client.call_tool(tool, CHECKS[tool])
        schemas = {each.name: each.output_schema for each in (await client.list_tools()).tools}
    assert not result.is_error, result.content
    body = result.structured_content or {}
    jsonschema.validate(body, schemas[tool] or {})
    assert body["data"]["recorded"] is False
    notes = body["metadata"]["notes"]
    assert "the database is not available" in notes[0]
    assert any("no earlier calls" in note for note in notes) is (tool == "detect_bias")


def test_the_tools_named_are_those_with_stateless_graphs() -> None:
    lines = [line for toolset in TOOLSETS for line in toolset.tools]
    assert {line.name for line in lines if load_graph(line.graph).stateless} == STATELESS


@pytest.fixture
def stoppable() -> Iterator[EmbeddedServer]:
    """A Postgres of its own, which is nobody's embedded one and may be stopped."""
    with tempfile.TemporaryDirectory(prefix="rl") as folder, no_other_orphans():
        Path(folder).chmod(0o755)
        server = EmbeddedServer(Path(folder) / "pg", {"fsync": "off"})
        yield server
        server.stop()


async def checked(client: Client, tool: str) -> dict[str, Any]:
    result = await client.call_tool(tool, CHECKS[tool])
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


async def test_a_database_that_goes_away_later_leaves_the_checks_answering(
    stoppable: EmbeddedServer,
) -> None:
    settings = load_settings(
        database_url=stoppable.ensure().dsn("postgres", "postgres"), toolsets="all", llm="offline"
    )
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        for tool in CHECKS:
            assert "recorded" not in (await checked(client, tool))["data"]
        assert stoppable.stop()
        for _ in range(2):
            for tool in CHECKS:
                body = await checked(client, tool)
                assert body["data"]["recorded"] is False, tool
                assert "the database is not available" in body["metadata"]["notes"][0]
        stoppable.ensure()
        for tool in CHECKS:
            assert "recorded" not in (await checked(client, tool))["data"], tool
