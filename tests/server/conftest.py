"""Servers that all tests of this room share: real processes on one database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import StdioServerParameters

from tests.support.clients.processes import Spoken, Web, command, environment, spoken, web
from tests.support.clients.sdk import Held, held
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import Rows
from tests.support.kinds import sampled


@pytest.fixture(scope="session")
def shared_database(postgres: TestPostgres) -> Iterator[str]:
    """The libpq URL of the database that the shared servers use."""
    with postgres.clone() as name:
        yield postgres.address.dsn("postgres", name)


@pytest.fixture(scope="session")
def rows(shared_database: str) -> Rows:
    """Counts the rows of the shared database, past row-level security."""
    return Rows(shared_database)


@pytest.fixture(scope="session")
def shared_env(shared_database: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of the shared servers."""
    home = tmp_path_factory.mktemp("home")
    return environment(home, DATABASE_URL=shared_database, LOG_LEVEL="debug")


@pytest.fixture(scope="session")
def every_tool(shared_env: dict[str, str]) -> dict[str, str]:
    """The environment of shared servers that offer every tool of the references."""
    return {**shared_env, "REASONLOOM_TOOLSETS": "all"}


@pytest.fixture(scope="session")
def speaker(
    every_tool: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Spoken]:
    """A stdio server after its handshake, written to in raw JSON-RPC."""
    with spoken(every_tool, tmp_path_factory.mktemp("speaker") / "cwd") as server:
        yield server


@pytest.fixture(scope="session")
def site(every_tool: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """An HTTP server."""
    with web(every_tool, tmp_path_factory.mktemp("site") / "cwd") as server:
        yield server


@pytest.fixture(
    scope="module",
    params=sampled(
        ["stdio legacy", "stdio auto", "http legacy", "http auto"], {"stdio auto", "http legacy"}
    ),
)
def client(
    request: pytest.FixtureRequest,
    shared_env: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Held]:
    """A client over each transport in each revision; `make test` takes each of these once."""
    transport, revision = request.param.split()
    server: StdioServerParameters | str
    if transport == "stdio":
        program, *arguments = command()
        env = {**shared_env, "REASONLOOM_TOOLSETS": "default,classic"}
        folder = tmp_path_factory.mktemp("client")
        server = StdioServerParameters(command=program, args=arguments, env=env, cwd=folder)
    else:
        server = request.getfixturevalue("site").url
    with held(server, revision) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for a server to work in."""
    path = tmp_path / "cwd"
    path.mkdir()
    return path
