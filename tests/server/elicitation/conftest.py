"""The environment of the servers that ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres


@pytest.fixture
def env(postgres: TestPostgres, database: str, tmp_path: Path) -> dict[str, str]:
    """The environment of a server with the batches."""
    return environment(
        tmp_path / "home",
        REASONLOOM_TOOLSETS="default,graph_memory,extras",
        DATABASE_URL=postgres.address.dsn("postgres", database),
        REASONLOOM_ELICITATION_SECONDS="2",
    )
