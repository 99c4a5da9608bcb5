"""What the tests of Graph of Thoughts share: an engine that thinks with a scripted model."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from tests.support.llms.thought_graph import GraphingLlm
from tests.support.reasoning.sessions import thinking


@pytest.fixture
def llm() -> GraphingLlm:
    return GraphingLlm()


@pytest.fixture
async def mind(access: Access, embedder: Embedder, llm: GraphingLlm) -> AsyncIterator[Engine]:
    async with thinking(access, embedder, llm) as engine:
        yield engine
