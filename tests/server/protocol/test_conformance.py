"""The public suite's fixtures are in the tests' server alone, and its scores are whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcp import Client

from reasonloom.contracts.toolsets import ALL_TOOLS, EXTRA_TOOLS
from reasonloom.errors import SettingMistake
from reasonloom.server.app import build_server
from reasonloom.server.catalogue.selection import choose
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.loom_server import LoomServer
from reasonloom.settings import load_settings
from tests.support.clients.conformance import (
    CATALOGUES,
    REVISIONS,
    SERVED,
    TOOLS,
    inspect,
    installed,
    score,
    task_faults,
)
from tests.support.clients.processes import Web, web
from tests.support.conformance_server.server import FIXTURES, build_conformance_server

NOWHERE = "postgresql://127.0.0.1:1/none"
OURS = {fixture.name for fixture in FIXTURES}

suite = pytest.mark.skipif(not installed(), reason="make conformance installs Node and the suite")


Build = Callable[[EngineLifespan], LoomServer]


async def names(build: Build, **given: object) -> set[str]:
    settings = load_settings(database_url=NOWHERE, **given)
    async with EngineLifespan(settings) as room, Client(build(room)) as client:
        return {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize(
    "given",
    [{}, {"toolsets": "all"}, {"toolsets": "all,extras"}, {"tools": "recall"},
     {"serve_as": "thoughtmcp"}, {"read_only": True}],
)  # fmt: skip
async def test_the_package_serves_no_fixture(given: dict[str, object]) -> None:
    assert not OURS & await names(build_server, **given)


async def test_fixtures_are_served_beside_what_is_chosen() -> None:
    found = await names(build_conformance_server, toolsets="all,extras")
    assert found == OURS | {*ALL_TOOLS, *EXTRA_TOOLS}


async def test_the_package_does_not_know_them() -> None:
    with pytest.raises(SettingMistake, match="there is no conformance"):
        choose(load_settings(toolsets="conformance"))
    with pytest.raises(SettingMistake, match="there is no test_simple_text"):
        choose(load_settings(tools="test_simple_text"))


async def test_an_ordinary_server_promises_no_news_that_it_never_sends() -> None:
    settings = load_settings(database_url=NOWHERE)
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        able = client.session.server_capabilities
        assert able is not None
        assert able.tools is not None
        assert able.resources is not None
        assert able.prompts is not None
        assert not able.tools.list_changed
        assert not able.prompts.list_changed
        assert not able.resources.list_changed


@pytest.fixture(scope="module")
def scored(shared_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A server that the suite is run against."""
    with web(shared_env, tmp_path_factory.mktemp("scored") / "cwd", *SERVED) as server:
        yield server


@suite
@pytest.mark.conformance
@pytest.mark.parametrize(("revision", "wanted"), REVISIONS.items())
def test_every_scored_scenario_passes(
    scored: Web, tmp_path: Path, revision: str, wanted: int
) -> None:
    found = score(scored.url, revision, tmp_path)
    assert found.failed == ()
    assert len(found.passed) == wanted
    assert found.exit_code == 0


@suite
@pytest.mark.conformance
def test_every_scenario_of_tasks_passes(scored: Web, tmp_path: Path) -> None:
    assert task_faults(scored.url, tmp_path) == {}


@suite
@pytest.mark.conformance
@pytest.mark.parametrize("flags", CATALOGUES)
def test_the_inspector_finds_nothing(shared_env: dict[str, str], flags: tuple[str, ...]) -> None:
    ours = {name: shared_env[name] for name in ("DATABASE_URL", "REASONLOOM_HOME")}
    code, tools, findings = inspect(ours, *flags)
    assert (code, findings) == (0, "")
    assert tools > 0
    assert flags != CATALOGUES[0] or tools == TOOLS
