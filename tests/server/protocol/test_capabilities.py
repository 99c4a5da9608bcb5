"""A server announces the capabilities of which it has something, and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client

from reasonloom.server.app import build_reference_servers, build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.loom_server import LoomServer
from reasonloom.settings import load_settings
from tests.support.clients.processes import LEGACY, OLDEST, Spoken, Web
from tests.support.clients.sdk import held
from tests.support.conformance_server.server import build_conformance_server

NOWHERE = "postgresql://127.0.0.1:1/none"
ALL = {"tools", "resources", "prompts", "completions"}
MODES = ["legacy", "auto"]
"""How a client asks: by a handshake, or by `server/discover` where that is answered."""


def tasks_of(told: set[str], mode: str) -> set[str]:
    """Return under which name a server that is no reference announces tasks."""
    return set() if told == {"tools"} else {"tasks" if mode == "legacy" else "extensions"}


async def announced(
    mode: str, build: Callable[[EngineLifespan], LoomServer] = build_server, **given: Any
) -> set[str]:
    """Return the names of what a server announces in a revision."""
    settings = load_settings(database_url=NOWHERE, **given)
    async with EngineLifespan(settings) as room, Client(build(room), mode=mode) as client:
        able = client.session.server_capabilities
        assert able is not None
        return set(able.model_dump(exclude_none=True))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, ALL),
        ({"toolsets": "all", "build": build_conformance_server}, {*ALL, "logging"}),
        ({"serve_as": "thoughtmcp"}, {"tools"}),
        ({"serve_as": "causantic"}, {"tools"}),
    ],
)
async def test_what_is_announced_is_what_is_served(
    mode: str, given: dict[str, Any], told: set[str]
) -> None:
    assert await announced(mode, **given) == told | tasks_of(told, mode)


async def test_each_reference_beside_announces_its_tools_alone() -> None:
    async with EngineLifespan(load_settings(database_url=NOWHERE)) as room:
        servers = build_reference_servers(room)
        assert servers
        for server in servers.values():
            async with Client(server) as client:
                able = client.session.server_capabilities
                assert able is not None
                assert set(able.model_dump(exclude_none=True)) == {"tools"}


@pytest.mark.parametrize("mode", MODES)
def test_over_http_a_reference_announces_its_tools_alone(site: Web, mode: str) -> None:
    for url, told in ((site.url, ALL), (f"{site.url}/as/thoughtmcp", {"tools"})):
        with held(url, mode) as client:
            able = client.client.session.server_capabilities
            assert able is not None
            assert set(able.model_dump(exclude_none=True)) == told | tasks_of(told, mode)


@pytest.mark.parametrize("revision", [OLDEST, LEGACY])
def test_over_stdio_a_reference_announces_its_tools_alone(
    shared_env: dict[str, str], folder: Any, revision: str
) -> None:
    server = Spoken(shared_env, folder, "--as", "thoughtmcp")
    try:
        assert server.handshake(revision)["capabilities"].keys() == {"tools"}
        assert server.request("prompts/list")["result"] == {"prompts": []}
    finally:
        server.stop()
