"""Facts of invented sessions: what `recall` tells of them, beside what `search` finds."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from reasonloom.text import tokens
from tests.support.history.conversations import Talk, ask, days, opened, tell

SET = json.loads((Path(__file__).parent / "past_questions.json").read_text(encoding="utf-8"))
BUDGET = 600
"""Tokens of an answer: a fifth of what the sessions have."""


@pytest.fixture
async def past(access: Access, embedder: Embedder, tmp_path: Path) -> AsyncIterator[Engine]:
    """Open an engine that has read the sessions."""
    talks = [
        Talk(
            each["project"],
            f"{number:08d}-0000-4000-8000-000000000000",
            [(asked, answered) for asked, answered in each["turns"]],
            days(each["day"]),
        )
        for number, each in enumerate(SET["sessions"])
    ]
    async with opened(access, embedder, max_response_tokens=BUDGET) as engine:
        await tell(engine, tmp_path / "t", talks)
        yield engine


def is_answered(question: dict[str, str], answer: Any) -> bool:
    return question["fact"] in " ".join(answer["text"].split())


async def test_recall_answers_nearly_all_that_search_answers(past: Engine) -> None:
    answered = {"recall": 0, "search": 0}
    chains = 0
    for question in SET["questions"]:
        for tool in answered:
            answer = await ask(past, tool, query=question["ask"])
            assert tokens.count_tokens(answer["text"]) <= BUDGET
            answered[tool] += is_answered(question, answer)
            chains += answer["chain"]
    assert answered["recall"] >= answered["search"] - 1
    assert answered["search"] >= len(SET["questions"]) - 1
    assert chains > len(SET["questions"]) // 2


async def test_of_a_chain_the_passages_about_the_question_are_told(past: Engine) -> None:
    asked = "why did the foghorn controller on Skerry Point reboot, and what did Berit solder?"
    answer = await ask(past, "recall", query=asked)
    assert answer["chain"] is True
    assert len(answer["chunks"]) > 1
    assert [chunk["time"] for chunk in answer["chunks"]] == sorted(
        chunk["time"] for chunk in answer["chunks"]
    )
    assert any(chunk["cut"] for chunk in answer["chunks"])
    assert "[…]" in answer["text"]
    assert "characters cut" not in answer["text"]
