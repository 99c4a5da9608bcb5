"""Tree reasoning without a language model: one open question, no invented branches."""

from __future__ import annotations

import pytest

from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.reasoning.sessions import thinking, whole

BRIDGE = "Where shall the footbridge over the Wiese go?"


@pytest.mark.parametrize("wanted", [None, 0.9])
async def test_the_approaches_are_one_open_question(
    access: Access, embedder: Embedder, wanted: float | None
) -> None:
    request = {"content": BRIDGE, "max_branches": 10, **({"confidence": wanted} if wanted else {})}
    async with thinking(access, embedder, OfflineModel()) as mind:
        outcome = await call(mind, "reasoning_tree", request)
        stored = await whole(mind, outcome.answer["session_id"])
    answer = outcome.answer
    (branch,) = answer["branches"]
    question = f"On “{BRIDGE}”: Which unlike approaches are there, and which serves best?"
    assert (branch["content"], branch["kind"], branch["check"]) == (
        question, "open_question", "none",
    )  # fmt: skip
    assert (branch["score"], branch["votes"], branch["confidence"]) == (None, 0, 0.0)
    assert answer["recommended_branch"] == branch["id"]
    assert (answer["branches_explored"], answer["ballots"]) == (0, 0)
    assert answer["content"] == question
    assert ("below_threshold" in answer) is (wanted is not None)
    assert len(stored.branches) == 2
    assert outcome.notes == []
