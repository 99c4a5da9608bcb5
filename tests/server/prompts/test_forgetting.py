"""The prompt that leads an agent through forgetting past conversations."""

from __future__ import annotations

import re
from typing import Any

import pytest
from mcp import Client

from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from tests.server.prompts.test_packaged_prompts import NOWHERE, asking, filled

NAME = "causantic-forget"


async def test_it_leads_from_a_dry_run_by_a_question_to_the_undo() -> None:
    async with asking(toolsets="all") as client:
        (text,) = await filled(client, NAME)
        tools = {each.name: each.input_schema for each in (await client.list_tools()).tools}
    steps = ["dry_run: true", "Show the user", "Ask the user", "dry_run: false", "history undo"]
    places = [text.index(step) for step in steps]
    assert places == sorted(places)
    named = set(re.findall(r"`([a-z_]+)(?:: \w+)?`", text))
    arguments = set(tools["history_forget"]["properties"])
    assert arguments <= named
    assert {"history_forget", "history_list_projects", "history_list_sessions"} <= named
    assert named <= {*tools, *arguments}


async def test_what_the_user_named_stands_in_it() -> None:
    async with asking(toolsets="all") as client:
        (prompt,) = [p for p in (await client.list_prompts()).prompts if p.name == NAME]
        (text,) = await filled(client, NAME, project="api", topic="the login of José 🔑")
        (bare,) = await filled(client, NAME)
    assert {each.name: each.required for each in prompt.arguments or ()} == {
        "project": False, "topic": False,
    }  # fmt: skip
    assert '"api"' in text
    assert '"the login of José 🔑"' in text
    assert '""' not in bare


@pytest.mark.parametrize(
    "flags",
    [
        {"toolsets": "default"},
        {"toolsets": "all", "read_only": True},
        {"toolsets": "all", "exclude_tools": "history_forget"},
    ],
)
async def test_it_is_there_only_beside_its_tool(flags: dict[str, Any]) -> None:
    async with asking(**flags) as client:
        assert NAME not in {each.name for each in (await client.list_prompts()).prompts}


async def test_a_reference_served_alone_announces_no_prompts() -> None:
    settings = load_settings(database_url=NOWHERE, serve_as="causantic")
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        assert client.server_capabilities.prompts is None
