"""What a server does not offer is neither recommended by it nor run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.reasoning.routing.choice import TOOLS, offered_shares
from reasonloom.nodes.reasoning.routing.weights import MODES
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.graphs.runs.test_engine import ScriptedLlm, rows, thought
from tests.nodes.reasoning.test_auto import vote
from tests.support.calls import call
from tests.support.reasoning.sessions import answered, stored_rows

CHOICE: dict[str, Any] = {"content": "Compare these options: rent or buy?", "execute": True}


@asynccontextmanager
async def serving(
    access: Access, embedder: Embedder, llm: LanguageModel, *tools: str
) -> AsyncIterator[Engine]:
    """Yield the engine of a server that offers `reasoning_auto` and these tools."""
    async with open_engine(
        Settings(auto_memory=False), access=access, llm=llm, embedder=embedder,
        offered=frozenset({"reasoning_auto", *tools}),
    ) as engine:  # fmt: skip
        yield engine


def test_every_mode_has_the_tool_that_it_begins_with() -> None:
    assert set(TOOLS) == set(MODES)


def test_what_is_left_are_shares_of_one() -> None:
    shares = {"linear": 0.1, "tree": 0.6, "got": 0.3}
    assert offered_shares(shares, ["linear", "got"]) == pytest.approx({"linear": 0.25, "got": 0.75})
    assert offered_shares(shares, []) == shares


async def test_it_recommends_and_runs_only_what_is_offered(
    access: Access, embedder: Embedder
) -> None:
    async with serving(access, embedder, OfflineModel(), "reasoning_linear") as engine:
        answer = await answered(engine, "auto", **CHOICE)
        ran = [run.tool for run in await rows(engine)]
    assert answer["recommended_mode"] == "linear"
    assert "tree would fit better, but this server does not offer it" in answer["rationale"]
    assert answer["alternative_modes"] == []
    assert answer["votes"][0]["mode"] == "tree"
    assert (answer["executed"], sorted(ran)) == (
        "reasoning_linear", ["reasoning_auto", "reasoning_linear"],
    )  # fmt: skip


async def test_a_vote_for_what_is_not_offered_does_not_win(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(vote("ponder", 0.99), thought("I would."))
    async with serving(access, embedder, llm, "reasoning_linear", "reasoning_tree") as engine:
        answer = await answered(
            engine, "auto", content="What is 17 percent of 2,340?", hints=["one step"], execute=True
        )
    assert (answer["recommended_mode"], answer["executed"]) == ("linear", "reasoning_linear")
    assert "ponder would fit better" in answer["rationale"]
    assert answer["votes"][1]["mode"] == "ponder"


async def test_where_no_mode_is_offered_none_is_run(access: Access, embedder: Embedder) -> None:
    async with serving(access, embedder, OfflineModel()) as engine:
        answer = await answered(engine, "auto", **CHOICE)
        ran = [run.tool for run in await rows(engine)]
    assert answer["recommended_mode"] == "tree"
    assert "offers none of the modes" in answer["rationale"]
    assert answer["not_executed"] == "reasoning_tree is not offered by this server"
    assert "executed" not in answer
    assert (ran, stored_rows(access)) == (["reasoning_auto"], [])


async def test_a_repeated_key_does_not_run_what_another_server_recommended(
    access: Access, embedder: Embedder
) -> None:
    """The stored recommendation is another process's; what is run is this one's to decide."""
    given: dict[str, Any] = CHOICE
    async with serving(access, embedder, OfflineModel()) as engine:
        first = await call(engine, "reasoning_auto", given, key="k")
        again = await call(engine, "reasoning_auto", given, key="k")
    assert first.answer == again.answer
    assert stored_rows(access) == []


async def test_all_is_said_as_ever_where_all_is_offered(access: Access, embedder: Embedder) -> None:
    async with serving(access, embedder, OfflineModel(), *TOOLS.values()) as engine:
        answer = await answered(engine, "auto", **CHOICE)
    assert answer["executed"] == "reasoning_tree"
    assert "offer" not in answer["rationale"]
