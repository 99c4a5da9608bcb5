"""Tools name their pages for clients that draw them; others get what they always got."""

from __future__ import annotations

import pytest
from mcp import Client
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

from reasonloom.contracts.toolsets import SERVED_AS
from reasonloom.server.app import build_server
from reasonloom.server.apps.table import PAGES
from reasonloom.server.catalogue.selection import FOR_CALLER, LINES
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from tests.support.apps.host import apps_client

NO_DATABASE = "postgresql://nobody@127.0.0.1:1/none"
MOST = 150_000
"""Bytes of a page."""


def by_name(tools: list) -> dict:  # type: ignore[type-arg]
    return {each.name: each.model_dump(mode="json", by_alias=True) for each in tools}


def test_every_tool_with_a_page_exists_and_has_one_page() -> None:
    named = [tool for page in PAGES for tool in page.tools]
    assert len(named) == len(set(named))
    assert set(named) <= LINES.keys() | set(FOR_CALLER)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_tools_name_their_pages_and_nothing_else_changes(mode: str) -> None:
    settings = load_settings(database_url=NO_DATABASE, toolsets="all,extras,default")
    async with EngineLifespan(settings) as room, Client(build_server(room), mode=mode) as plain:
        before = by_name((await plain.list_tools()).tools)
    async with apps_client(settings, mode=mode) as client:
        after = by_name((await client.list_tools()).tools)
    pages = {tool: page.uri for page in PAGES for tool in page.tools}
    for name, listed in before.items():
        meta = after[name].pop("_meta")
        assert listed.pop("_meta") is None
        assert after[name] == listed
        uri = (meta or {"ui": {"resourceUri": None}})["ui"]["resourceUri"]
        assert uri == pages.get(name)


@pytest.mark.parametrize("mime_types", [(), ("text/html",), ("text/html;profile=other",)])
async def test_a_client_without_the_type_of_pages_hears_of_none(
    mime_types: tuple[str, ...],
) -> None:
    settings = load_settings(database_url=NO_DATABASE)
    async with apps_client(settings, mime_types) as client:
        assert all(each.meta is None for each in (await client.list_tools()).tools)


@pytest.mark.parametrize("lie", [{}, {"mimeTypes": APP_MIME_TYPE}, {"mimeTypes": {"a": 1}}])
async def test_a_client_that_announces_nonsense_hears_of_no_page(lie: dict[str, object]) -> None:
    settings = load_settings(database_url=NO_DATABASE)
    extension = advertise(EXTENSION_ID, lie)
    async with (
        EngineLifespan(settings) as room,
        Client(build_server(room), extensions=[extension]) as client,
    ):
        assert all(each.meta is None for each in (await client.list_tools()).tools)


@pytest.mark.parametrize("reference", SERVED_AS)
async def test_a_reference_has_no_pages(reference: str) -> None:
    settings = load_settings(database_url=NO_DATABASE, serve_as=reference)
    async with apps_client(settings) as client:
        assert all(each.meta is None for each in (await client.list_tools()).tools)
        for page in PAGES:
            with pytest.raises(MCPError):
                await client.read_resource(page.uri)


async def test_pages_are_small_whole_and_reach_nothing() -> None:
    settings = load_settings(
        database_url=NO_DATABASE, toolsets="all,extras,default", answer_characters=10_000
    )
    async with apps_client(settings) as client:
        for page in PAGES:
            (content,) = (await client.read_resource(page.uri)).contents
            assert isinstance(content, TextResourceContents)
            assert content.mime_type == APP_MIME_TYPE
            assert len(content.text.encode()) < MOST
            assert content.text.rstrip().endswith("</html>"), "never cut"
            assert "http" not in content.text.replace("http://www.w3.org/2000/svg", "").replace(
                "http-equiv", ""
            )
            ui = (content.meta or {})["ui"]
            assert not any(ui["csp"].values())
        with pytest.raises(MCPError, match="Resource not found"):
            await client.read_resource("ui://reasonloom/other")


async def test_a_page_of_tools_that_are_not_served_is_unknown() -> None:
    settings = load_settings(database_url=NO_DATABASE, tools="evaluate")
    async with apps_client(settings) as client:
        with pytest.raises(MCPError, match="Resource not found"):
            await client.read_resource("ui://reasonloom/recall")
