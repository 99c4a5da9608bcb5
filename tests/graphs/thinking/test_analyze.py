"""The wiring of analysing: one graph for all frameworks, resumed without paying twice."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from reasonloom.graphs.graph import load_graph
from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.analysis import analysing, found, step_of
from tests.support.llms.answering import ReplyFields
from tests.support.reasoning.sessions import thinking

ASKED = {"problem": "Why does the pump stop?", "preferredFramework": "root-cause-analysis"}


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_one_graph_works_through_every_framework_wave_by_wave(
    access: Access, embedder: Embedder, framework: str
) -> None:
    llm = analysing()
    async with thinking(access, embedder, llm) as mind:
        answer = (await call(mind, "analyze", {**ASKED, "preferredFramework": framework})).answer
    taken = FRAMEWORKS[framework]
    asked = [step_of(ask) for ask in llm.asked["output"]]
    assert sorted(asked) == sorted(step.name for step in taken.steps)
    for wave in taken.waves:
        assert {*asked[: len(wave)]} == {step.name for step in wave}
        asked = asked[len(wave) :]
    assert [each["step"] for each in answer["outputs"]] == [step.name for step in taken.steps]
    assert llm.most_at_once <= max(len(wave) for wave in taken.waves)
    assert sum(llm.counts.values()) <= len(taken.steps) + 1


async def test_a_run_that_broke_off_goes_on_where_it_was(
    access: Access, embedder: Embedder
) -> None:
    hang = asyncio.Event()

    def slow(ask: Ask) -> ReplyFields:
        if step_of(ask) == "Test the causes" and not hang.is_set():
            hang.set()
            return 30.0
        return found(ask)

    llm = analysing(slow)
    async with thinking(access, embedder, llm) as mind:
        broken = asyncio.create_task(call(mind, "analyze", ASKED, key="k"))
        await asyncio.wait_for(hang.wait(), 20)
        broken.cancel()
        with suppress(asyncio.CancelledError):
            await broken
        answer = (await call(mind, "analyze", ASKED, key="k")).answer
    names = [step_of(ask) for ask in llm.asked["output"]]
    assert names.count("Describe the failure") == 1, "what has ended is not asked again"
    assert names.count("Test the causes") == 2
    assert answer["status"] == "completed"


def test_the_graph_is_saved_and_its_nodes_are_told_in_words() -> None:
    graph = load_graph("analyze")
    assert (graph.saved, graph.writes, graph.of_llm) == (True, True, ("languageModel",))
    nodes = {name for name in graph.build().nodes if not name.startswith("__")}
    assert {*graph.words} <= nodes
