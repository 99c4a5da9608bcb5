"""A caller of a server on this test's database."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.databases.postgres import TestPostgres
from tests.support.reasoning.mental_models import Caller, kept, modelling


@pytest.fixture
def url(postgres: TestPostgres, database: str) -> str:
    return postgres.address.dsn("postgres", database)


@pytest.fixture
async def caller(url: str) -> AsyncIterator[Caller]:
    async with kept(modelling(url)) as caller:
        yield caller
