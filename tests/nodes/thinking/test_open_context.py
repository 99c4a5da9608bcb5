"""Keys of a context that only the caller knows are thought about, and returned."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.streams import StreamingLlm
from tests.support.reasoning.sessions import thinking

PROBLEM = "Should the billing service move to another host?"
OWN = {"stakeholders": ["finance", "support"], "deadline": "the end of May"}
TOOLS: dict[str, dict[str, Any]] = {
    "think": {"mode": "analytical"},
    "ponder": {},
    "analyze": {},
    "breakdown": {},
}


@pytest.mark.parametrize("tool", TOOLS)
async def test_unknown_keys_of_a_context_are_returned(engine: Engine, tool: str) -> None:
    context = {"background": "It has two tests.", **OWN}
    arguments = {"problem": PROBLEM, "context": context, **TOOLS[tool]}
    assert (await call(engine, tool, arguments)).answer["context"] == OWN
    del arguments["context"]
    assert "context" not in (await call(engine, tool, arguments)).answer


async def test_a_language_model_reads_them_as_background(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm()
    arguments = {"problem": PROBLEM, "mode": "analytical", "context": {"background": "Two.", **OWN}}
    async with thinking(access, embedder, llm) as mind:
        await call(mind, "think", arguments)
    asked = llm.of("stream")[0].words
    assert 'Two.\nstakeholders: ["finance", "support"]\ndeadline: the end of May' in asked
