"""The history tools through MCP: text and values, errors by name, two owners on one database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client

from reasonloom.compose import open_engine
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import Settings, load_settings
from reasonloom.text import tokens
from tests.support.databases.postgres import TestPostgres
from tests.support.history.conversations import CACHE, LOGIN, OTHER, tell

OURS = (
    "history_search", "history_list_projects", "history_list_sessions", "history_reconstruct",
    "history_stats", "history_forget",
)  # fmt: skip


@pytest.fixture
async def settings(postgres: TestPostgres, database: str, tmp_path: Path) -> Settings:
    """Settings of a server whose owner has three conversations, another owner one."""
    settings = load_settings(
        database_url=postgres.address.dsn("postgres", database), toolsets="history"
    )
    async with open_engine(settings, recover=False) as engine:
        await tell(engine, tmp_path / "mine", [LOGIN, CACHE, OTHER])
        await tell(engine, tmp_path / "theirs", [LOGIN], owner="Ольга")
    return settings


async def call_history(client: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool; its text must be the answer's own with its notes, its values of its schema."""
    return await client.call_tool(f"history_{tool}", arguments)


async def test_text_is_the_answer_and_values_keep_their_schema(settings: Settings) -> None:
    asked: tuple[tuple[str, dict[str, Any]], ...] = (
        ("search", {"query": "Why does the sign-in give 401?"}),
        ("search", {"query": "請求書の丸め", "project": "shop"}),
        ("search", {"query": "x", "project": "apy"}),
        ("list_sessions", {"project": "api", "from": "2026-03-02", "days_back": 1}),
        ("list_projects", {}),
        ("list_sessions", {"project": "api"}),
        ("list_sessions", {"project": "none"}),
        ("reconstruct", {"project": "api"}),
        ("reconstruct", {"project": "api", "days_back": -1}),
        ("stats", {}),
        ("forget", {"project": "api", "query": "рендер", "threshold": 10}),
        ("forget", {"project": "api", "session_id": "aaaa", "dry_run": False}),
    )
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(OURS) <= set(tools)
        for tool, arguments in asked:
            result = await call_history(client, tool, **arguments)
            assert not result.is_error, result
            value = result.structured_content
            jsonschema.validate(value, tools[f"history_{tool}"].output_schema or {})
            text = result.content[0].text
            notes = [f"[Note: {note}]" for note in value.get("notes", [])]
            assert text == "\n".join([value["text"], *notes])
            assert tokens.count_tokens(text) <= settings.max_response_tokens
        again = await call_history(client, "search", query="Why does the sign-in give 401?")
        assert "refresh token" not in again.content[0].text


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("search", {}, "Missing required parameter: query"),
        ("search", {"query": 5}, "query: must be a string"),
        ("list_sessions", {"project": "api", "days_back": -1}, "days_back: must be greater than 0"),
        ("list_sessions", {"project": "api", "from": "no"}, "from: must be a date of ISO 8601"),
        ("list_sessions", {"project": "api", "since": "no"}, "since: unknown field"),
        ("reconstruct", {}, "Missing required parameter: project"),
        ("forget", {"dry_run": False}, "Missing required parameter: project"),
        ("forget", {"project": "api", "threshold": 200}, "threshold: must be less than"),
        ("forget", {"project": "api", "after": "2026-03-03", "before": "2026-03-01"}, "after: "),
    ],
)
async def test_an_error_names_the_tool_the_field_and_the_form(
    settings: Settings, tool: str, arguments: dict[str, Any], told: str
) -> None:
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        result = await call_history(client, tool, **arguments)
        assert result.is_error
        text = result.content[0].text
        assert text.startswith(f'Tool "history_{tool}" failed: ')
        assert told in text
        assert result.structured_content["error"]["message"] in text
        counted = await call_history(client, "stats")
        assert counted.structured_content["chunks"] == 3


async def test_two_owners_share_nothing(settings: Settings) -> None:
    theirs = settings.model_copy(update={"user": "Ольга"})
    async with EngineLifespan(theirs) as room, Client(build_server(room)) as client:
        assert (await call_history(client, "stats")).structured_content["chunks"] == 1
        for tool, arguments in (
            ("search", {"query": "eviction policy keeps the cache"}),
            ("reconstruct", {"project": "api"}),
            ("list_projects", {}),
            ("list_sessions", {"project": "api"}),
        ):
            text = (await call_history(client, tool, **arguments)).content[0].text
            assert "shop" not in text
            assert "bbbbbbbb" not in text
            assert "eviction" not in text
        gone = await call_history(client, "forget", project="api", dry_run=False)
        assert gone.structured_content["forgotten"] == 1
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        assert (await call_history(client, "stats")).structured_content["chunks"] == 3


async def test_a_server_that_only_reads_does_not_offer_to_forget(settings: Settings) -> None:
    reading = settings.model_copy(update={"read_only": True})
    async with EngineLifespan(reading) as room, Client(build_server(room)) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert "history_forget" not in names
        assert "history_search" in names
        found = await call_history(client, "search", query="login")
        assert not found.is_error
