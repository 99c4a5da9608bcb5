"""A provider whose answers take as long as a test wants, and the environment of servers on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.providers import Provider, providing


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider of a language model."""
    with providing({"thought": "So it is.", "confidence": 0.9}) as opened:
        opened.delays = {b"slow": 1.5, b"endless": 60.0}
        yield opened


@pytest.fixture
def env(
    provider: Provider, postgres: TestPostgres, database: str, tmp_path: Path
) -> dict[str, str]:
    """The environment of servers that ask the provider."""
    return environment(
        tmp_path / "home",
        REASONLOOM_TOOLSETS="classic",
        DATABASE_URL=postgres.address.dsn("postgres", database),
        **provider.settings,
        REASONLOOM_LEASE_SECONDS="3",
        REQUEST_TIMEOUT_MS="90000",
    )
