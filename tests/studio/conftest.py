"""One studio for all tests of pages, and an engine on its database that makes what they show."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call
from reasonloom.llm.interfaces import Embedder
from reasonloom.server.catalogue.selection import choose
from reasonloom.settings import Settings, load_settings
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.studio.browser import browser
from tests.support.studio.site import StudioSite, studio

__all__ = ["browser"]

Play = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture(scope="module")
def pages_database(postgres: TestPostgres) -> Iterator[str]:
    """The database that the studio of a file of tests shows."""
    with postgres.clone() as name:
        yield name


@pytest.fixture(scope="module")
def site(
    postgres: TestPostgres, pages_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StudioSite]:
    """A running studio."""
    folder = tmp_path_factory.mktemp("studio")
    url = postgres.address.dsn("postgres", pages_database)
    with studio(environment(folder / "home", DATABASE_URL=url), folder) as running:
        yield running


@pytest.fixture
async def play(
    postgres: TestPostgres, pages_database: str, settings: Settings, embedder: Embedder
) -> AsyncIterator[Play]:
    """Calls a tool by its name with arguments, as a server does; returns its answer.

    `as_owner` is whose call it is. With `asks_caller` its run waits; only its id is returned.
    """
    access = postgres.access(pages_database)
    every = choose(load_settings(toolsets="all,extras")).tools
    graphs = {served.line.name: served.line.graph for served in every}
    async with open_engine(settings, access=access, embedder=embedder, recover=False) as engine:

        async def called(
            tool: str, as_owner: str = settings.user, asks_caller: bool = False, **given: Any
        ) -> dict[str, Any]:
            caller = Caller(as_owner, client="tests")
            graph = load_graph(graphs[tool])
            outcome = await engine.call(Call(tool, graph, given, caller, asks_caller=asks_caller))
            return outcome.answer or {"run_id": str(outcome.run_id)}

        yield called
