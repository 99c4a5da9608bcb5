"""What the tests of sessions share: an engine that thinks with a language model that tells."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from tests.support.llms.numbered import TellingLlm
from tests.support.reasoning.sessions import thinking


@pytest.fixture
def llm() -> TellingLlm:
    return TellingLlm()


@pytest.fixture
async def mind(access: Access, embedder: Embedder, llm: TellingLlm) -> AsyncIterator[Engine]:
    async with thinking(access, embedder, llm) as engine:
        yield engine
