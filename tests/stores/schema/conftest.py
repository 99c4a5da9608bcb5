"""Tests that change, kill or dump a whole database have a fresh one each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.databases.postgres import TestPostgres


@pytest.fixture
def database(postgres: TestPostgres) -> Iterator[str]:
    """The name of a fresh database, dropped after the test."""
    with postgres.clone() as name:
        yield name
