"""An engine that finds by words alone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from tests.support.history.conversations import Away


@pytest.fixture
async def dumb(access: Access) -> AsyncIterator[Engine]:
    """An engine without an embedder."""
    async with open_engine(
        load_settings(), access=access, embedder=Away(), recover=False
    ) as opened:
        yield opened
