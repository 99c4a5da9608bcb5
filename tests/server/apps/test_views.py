"""What only pages may read: bounded, the caller's own, and unknown to clients without pages."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from reasonloom.contracts.caller import DEFAULT_SPACE, NOWHERE, Caller
from reasonloom.server.app import build_server
from reasonloom.server.apps.table import PAGES
from reasonloom.server.apps.view_tool import VIEWS
from reasonloom.server.apps.views import LONGEST, MOST_STEPS
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import Settings
from tests.support.apps.host import apps_client

UNKNOWN = "00000000-0000-4000-8000-000000000000"
ARGUMENTS = {
    "view_session": "session_id",
    "view_thought": "thought_id",
    "view_graph": "graph_id",
    "view_streams": "run_id",
}


async def read(client: Client, view: str, **given: Any) -> Any:
    result = await client.call_tool(view, given)
    assert not result.is_error, result.content
    return result.structured_content


def test_every_view_belongs_to_a_page_and_is_known() -> None:
    assert {view for page in PAGES for view in page.views} == VIEWS.keys() == ARGUMENTS.keys()


async def test_views_are_listed_for_pages_alone(client: Client, served: Settings) -> None:
    listed = {each.name: each for each in (await client.list_tools()).tools}
    for name in VIEWS:
        assert (listed[name].meta or {})["ui"] == {"visibility": ["app"]}
        hints = listed[name].annotations
        assert hints is not None
        assert hints.read_only_hint
    async with EngineLifespan(served) as room, Client(build_server(room)) as plain:
        assert not VIEWS.keys() & {each.name for each in (await plain.list_tools()).tools}
        for name, argument in ARGUMENTS.items():
            with pytest.raises(MCPError, match=f"Tool not found: {name}"):
                await plain.call_tool(name, {argument: UNKNOWN})


async def test_a_session_and_its_thoughts_are_read(client: Client) -> None:
    made = await read(client, "reasoning_linear", content="Why do ships float? " + "long " * 2_000)
    session = await read(client, "view_session", session_id=made["session_id"])
    (step,) = session["drawing"]["steps"]
    assert step["id"] == made["thought_id"]
    assert step["head"]
    thought = await read(client, "view_thought", thought_id=step["id"])
    assert thought["position"] == 1
    assert thought["input"].startswith("Why do ships float?")
    assert "more characters)" in thought["input"]
    assert len(thought["input"]) < LONGEST + 100


async def test_a_long_session_is_cut_and_says_so(client: Client) -> None:
    made = await read(client, "reasoning_linear", content="thought 0")
    for number in range(1, MOST_STEPS + 2):
        given = {"content": f"thought {number}", "session_id": made["session_id"]}
        await read(client, "reasoning_linear", **given)
    session = await read(client, "view_session", session_id=made["session_id"])
    steps = session["drawing"]["steps"]
    assert session["total"] == MOST_STEPS + 2
    assert len(steps) == MOST_STEPS
    assert steps[0]["beyond"], "its parent is among the steps that are left out"
    assert steps[0]["parent"] is None


@pytest.mark.parametrize("view", ARGUMENTS)
@pytest.mark.parametrize("value", [UNKNOWN, "x", "'; DROP TABLE runs --", "\u202e"])
async def test_an_unknown_id_is_an_error_in_words(client: Client, view: str, value: str) -> None:
    result = await client.call_tool(view, {ARGUMENTS[view]: value})
    assert result.is_error
    words = getattr(result.content[0], "text", "")
    assert words.startswith("Error: ")
    assert "Traceback" not in words


@pytest.mark.parametrize("view", ARGUMENTS)
async def test_wrong_arguments_name_the_field(client: Client, view: str) -> None:
    for given in ({}, {ARGUMENTS[view]: 7}, {ARGUMENTS[view]: UNKNOWN, "more": 1}):
        result = await client.call_tool(view, given)
        assert result.is_error


async def test_another_owners_are_as_unknown(client: Client, served: Settings) -> None:
    """What exists for one owner reads for another exactly as what never existed."""
    linear = await read(client, "reasoning_linear", content="the secret of the mill")
    graph = await read(client, "reasoning_got_init", content="the secret of the mill")
    pondered = await client.call_tool("ponder", {"problem": "the secret of the mill"})
    ids = {
        "view_session": linear["session_id"],
        "view_thought": linear["thought_id"],
        "view_graph": graph["graph_id"],
        "view_streams": pondered.structured_content["metadata"]["runId"],
    }
    stranger = served.model_copy(update={"user": "somebody"})
    async with apps_client(stranger) as other:
        for view, known in ids.items():
            await read(client, view, **{ARGUMENTS[view]: known})
            unknown = str(uuid4())
            answers = [
                (await other.call_tool(view, {ARGUMENTS[view]: value})).model_dump_json()
                for value in (known, unknown)
            ]
            assert answers[0].replace(known, unknown) == answers[1]
            assert "secret" not in answers[0]


async def test_another_space_is_read_with_its_user(client: Client) -> None:
    made = await read(client, "reasoning_linear", content="a thought of Ann", userId="ann")
    given = {"session_id": made["session_id"]}
    assert (await client.call_tool("view_session", given)).is_error
    session = await read(client, "view_session", **given, userId="ann")
    assert session["total"] == 1


def test_other_spaces_of_a_tokens_owner_are_empty() -> None:
    owner = Caller("ann", authenticated=True)
    assert owner.reading("ben").space == NOWHERE
    assert owner.reading("ann").space == DEFAULT_SPACE
    assert owner.reading(None).space == DEFAULT_SPACE
    assert Caller("ann").reading("ben").space == "ben"
