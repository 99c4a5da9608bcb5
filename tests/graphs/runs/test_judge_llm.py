"""A second language model that judges: who is asked what, recorded as whom, within one budget."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder, LanguageModel, Reply, Usage
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.drawn_replies import answered_through
from tests.support.llms.scripted_replies import scripted_reply

TREE = {"content": "How does Anna dine out?", "max_branches": 2}


class Voice:
    """Answers every question, and counts those that it is asked to judge."""

    offline = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls = 0
        self.ballots = 0

    async def answer(self, ask: Ask) -> Reply:
        """Answer as the question's schema demands."""
        self.calls += 1
        self.ballots += "scores" in (ask.schema or {})["required"]
        parsed = scripted_reply(ask)
        return Reply(str(parsed), parsed, f"{self.name}-1", Usage(10, 5, 0.01))

    async def close(self) -> None:
        """Do nothing."""


@asynccontextmanager
async def judged_by(
    judge: Voice, access: Access, embedder: Embedder, llm: LanguageModel, **more: Any
) -> AsyncIterator[Engine]:
    """Yield an engine whose judge is chosen by the setting."""
    settings = Settings(judge_llm="simulated:fair", auto_memory=False, **more)
    simulated = {"fair": lambda: judge}
    async with open_engine(
        settings, access=access, embedder=embedder, llm=llm, simulated=simulated
    ) as engine:
        yield engine


def recorded(access: Access) -> dict[tuple[str, str], int]:
    """Count the recorded replies by prompt and language model."""
    query = "SELECT prompt, llm, count(*) FROM llm_calls GROUP BY 1, 2"
    with psycopg.connect(access.admin) as connection:
        return {(prompt, llm): count for prompt, llm, count in connection.execute(query)}


async def test_the_judge_judges_and_nobody_else_does(access: Access, embedder: Embedder) -> None:
    thinker, judge = Voice("thinker"), Voice("fair")
    async with judged_by(judge, access, embedder, thinker) as engine:
        answer = (await call(engine, "reasoning_tree", TREE)).answer
    assert (thinker.calls, thinker.ballots) == (3, 0)
    assert (judge.calls, judge.ballots) == (2, 2)
    assert answer["ballots"] == 2
    assert recorded(access) == {
        ("tree/propose", "thinker"): 1,
        ("tree/explore", "thinker"): 2,
        ("tree/judge", "fair"): 2,
    }


async def test_both_models_share_one_budget(access: Access, embedder: Embedder) -> None:
    judge = Voice("fair")
    async with judged_by(judge, access, embedder, Voice("thinker"), budget_calls=4) as engine:
        answer = (await call(engine, "reasoning_tree", TREE)).answer
    assert (answer["exhausted"], answer["ballots"], judge.calls) == ("calls", 1, 1)


async def test_a_caller_is_not_asked_to_judge_and_is_trusted(
    access: Access, embedder: Embedder
) -> None:
    judge = Voice("fair")
    async with judged_by(judge, access, embedder, OfflineModel()) as engine:
        first = await call(engine, "reasoning_tree", TREE, asks_caller=True)
        outcome, rounds = await answered_through(engine, first, 1, "local")
    asked = {question.prompt for round_ in rounds for question in round_.questions}
    assert asked == {"tree/propose", "tree/explore"}
    assert judge.ballots == outcome.answer["ballots"] == 2
    assert outcome.answer["confidence"] == pytest.approx(0.8)


async def test_without_a_setting_the_one_model_judges_too(
    access: Access, embedder: Embedder
) -> None:
    both = Voice("both")
    async with open_engine(
        Settings(auto_memory=False), access=access, embedder=embedder, llm=both
    ) as engine:
        await call(engine, "reasoning_tree", TREE)
    assert (both.calls, both.ballots) == (5, 2)
