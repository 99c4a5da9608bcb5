"""Linear reasoning without a language model: what was found, what was used, and what is said."""

from __future__ import annotations

import pytest

from reasonloom.llm.offline.fill import NOTHING_KNOWN
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.llm.port import Embedder
from reasonloom.stores.access import Access
from tests.support.calls import remember
from tests.support.reasoning.sessions import answered, thinking

TRAIN = "The last train home leaves at 22:40."
FERRY = "The ferry leaves at noon."
"""Found for its stem, and no word of it is a word of the question."""


@pytest.mark.parametrize(
    ("asked", "content", "used", "said"),
    [
        ("When does the last train home leave?", TRAIN, ["mem-1"], "an extract of what is known"),
        (
            "When must we leave the restaurant?",
            NOTHING_KNOWN,
            [],
            "nothing that is known speaks of this",
        ),
    ],
)
async def test_what_is_said_fits_together(
    access: Access, embedder: Embedder, asked: str, content: str, used: list[str], said: str
) -> None:
    async with thinking(access, embedder, OfflineModel(), auto_memory=True) as mind:
        await remember(mind, TRAIN)
        await remember(mind, FERRY)
        answer = await answered(mind, "linear", content=asked)
    assert (answer["content"], answer["memories_used"]) == (content, used)
    assert said in answer["suggestion"]
    assert (answer["confidence"] == 0.0) is (content == NOTHING_KNOWN)
