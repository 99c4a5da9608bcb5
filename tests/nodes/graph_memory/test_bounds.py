"""Answers are bounded, and say what they left out."""

from __future__ import annotations

import json

import pytest

from reasonloom.graphs.runs.engine import Engine
from tests.support.calls import call
from tests.support.memory.graph_memory import add

LONG = "Długa notatka 長い. " * 4_000


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_query", {"max_results": 500}),
        ("memory_evidence", {"query": "Długa notatka"}),
        ("memory_suggest", {"query": "Długa notatka"}),
        ("memory_similar", {"query_text": "Długa notatka", "min_similarity": 0.0}),
        ("memory_context", {"node_id": 1, "depth": 5}),
        ("memory_traverse", {"start_id": 1}),
    ],
)
async def test_long_contents_are_cut_and_it_is_said(
    engine: Engine, tool: str, arguments: dict[str, object]
) -> None:
    for number in range(5):
        await add(engine, f"{number}: {LONG}")
    outcome = await call(engine, tool, arguments)
    assert len(json.dumps(outcome.answer, ensure_ascii=False)) < 250_000
    assert any("contents were cut" in note for note in outcome.notes)


async def test_a_single_content_is_shown_whole(engine: Engine) -> None:
    await add(engine, LONG.strip())
    outcome = await call(engine, "memory_query", {"max_results": 1})
    assert outcome.answer["results"][0]["content"] == LONG.strip()
    assert outcome.notes == []


async def test_a_list_that_was_cut_says_so(engine: Engine) -> None:
    for number in range(3):
        await add(engine, f"Note {number}.")
    outcome = await call(engine, "memory_query", {"max_results": 2})
    assert outcome.notes == ["more nodes meet this; the first 2 are shown"]


async def test_what_is_retold_is_marked(engine: Engine) -> None:
    await add(engine, "The stand-up is at 9:30.")
    await call(engine, "session_end", {})
    outcome = await call(engine, "memory_evidence", {"query": "stand-up 9:30"})
    assert any("no evidence by themselves: 2" in note for note in outcome.notes)
