"""Real servers on loopback, and settings that read nothing of the developer's environment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from langchain_core.messages import HumanMessage, SystemMessage

from reasonloom.llm.interfaces import Ask
from reasonloom.settings import Settings, variables_of
from tests.llm.loopback import Loopback, loopback

KEY = "sk-test-0123456789abcdefghij"

SCHEMA = {
    "type": "object",
    "properties": {
        "thought": {"type": "string"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["thought", "confidence"],
    "additionalProperties": False,
}

MakeSettings = Callable[..., Settings]


@pytest.fixture
def make_settings(monkeypatch: pytest.MonkeyPatch) -> MakeSettings:
    for field in Settings.model_fields:
        for name in variables_of(field):
            monkeypatch.delenv(name, raising=False)

    def make(**given: Any) -> Settings:
        return Settings(**{"retry_delay_ms": 1, "request_timeout_ms": 2_000, **given})

    return make


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as box:
        yield box


def ask(**more: Any) -> Ask:
    messages = [SystemMessage("Think."), HumanMessage("Which database?")]
    return Ask(**{"messages": messages, **more})
