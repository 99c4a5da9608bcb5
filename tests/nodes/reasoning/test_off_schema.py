"""Replies of a form of their own, in every mode: their text is read, and JSON is never shown."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from reasonloom.errors import LlmUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.providers.langbase import LangbaseModel
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.llm.conftest import KEY
from tests.llm.loopback import Answer, Loopback, loopback
from tests.support.calls import call
from tests.support.reasoning.sessions import answered, steps, stored_rows, thinking, whole

TEXT = "Harbour pilots read the tide tables before they board."
OTHER = "The lighthouse keeper counts the ships by their horns."
DOCUMENTED = json.dumps({"thought": TEXT, "confidence": 0.35, "metadata": {"pipe": "p"}})

FORMS = {
    "documented": DOCUMENTED,
    "another key": json.dumps({"reasoning_output": TEXT, "confidence": 0.35}),
    "a fence": f"```json\n{json.dumps({'result': TEXT, 'confidence': 0.35})}\n```",
    "a string": json.dumps(DOCUMENTED),
    "a list of one": json.dumps([{"answer": TEXT, "confidence": 0.35}]),
    "an envelope": json.dumps({"output": {"text": TEXT, "confidence": 0.35}, "ok": True}),
    "cut off": json.dumps({"confidence": 0.35, "answer": TEXT})[:-2],
}

SESSION_MODES: dict[str, dict[str, Any]] = {
    "linear": {"content": "When do ships enter?"},
    "tree": {"content": "When do ships enter?", "max_branches": 2},
    "divergent": {"content": "When do ships enter?", "num_perspectives": 2},
    "reflection": {"content": "Ships enter at noon."},
    "auto": {"content": "When do ships enter?"},
}
GRAPH_MODES = ("got_generate", "got_score", "got_refine", "got_aggregate", "got_finalize")
THINKING: dict[str, dict[str, Any]] = {
    "think": {"problem": "When do ships enter?", "mode": "parallel"},
    "ponder": {"problem": "When do ships enter?", "timeout": 20_000},
    "analyze": {"problem": "When do ships enter?"},
}
MODES = [
    *SESSION_MODES, "reflection_evaluate", "backtrack", *GRAPH_MODES, *THINKING,
]  # fmt: skip


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as box:
        yield box


@pytest.fixture
async def mind(access: Access, embedder: Embedder, server: Loopback) -> AsyncIterator[Engine]:
    settings = Settings(langbase_api_key=KEY, langbase_base_url=server.url, max_retries=0)
    async with thinking(access, embedder, LangbaseModel(settings)) as engine:
        yield engine


def says(server: Loopback, *texts: str) -> None:
    server.heard.clear()
    server.script(*(Answer({"completion": each}) for each in texts))


async def noted(mind: Engine, tool: str, arguments: dict[str, Any]) -> Any:
    """Call a tool; return its answer with its notes."""
    outcome = await call(mind, tool, arguments)
    return {**outcome.answer, "notes": outcome.notes}


async def used(mind: Engine, server: Loopback, mode: str, form: str) -> Any:
    """Use a mode whose pipes all answer in one form; return the answer, most with their notes."""
    if mode in SESSION_MODES:
        says(server, form)
        return await noted(mind, f"reasoning_{mode}", SESSION_MODES[mode])
    if mode in THINKING:
        says(server, form)
        return await noted(mind, mode, THINKING[mode])
    if mode in GRAPH_MODES:
        return await used_on_a_graph(mind, server, mode, form)
    says(server, DOCUMENTED)
    session = await steps(mind, "When do ships enter?", "And at night?")
    mark = await answered(mind, "checkpoint_create", session_id=session, name="here")
    says(server, form)
    if mode == "backtrack":
        return await answered(mind, mode, checkpoint_id=mark["id"], new_direction="Ask the pilot.")
    return await answered(mind, mode, session_id=session)


async def used_on_a_graph(mind: Engine, server: Loopback, mode: str, form: str) -> Any:
    graph = await answered(mind, "got_init", content="Ships wait outside.")
    known = {"graph_id": graph["graph_id"]}
    root = {**known, "node_id": graph["root_node_id"]}
    if mode == "got_generate":
        says(server, form)
        return await answered(mind, mode, **root, k=2)
    two = [{"thought": each, "confidence": 0.5} for each in (OTHER, "Fog keeps the tugs at rest.")]
    says(server, json.dumps({"continuations": two}))
    nodes = (await answered(mind, "got_generate", **root, k=2))["nodes"]
    says(server, form)
    if mode == "got_aggregate":
        return await answered(mind, mode, **known, node_ids=[each["id"] for each in nodes])
    if mode == "got_finalize":
        return await answered(mind, mode, **known)
    return await noted(mind, f"reasoning_{mode}", {**known, "node_id": nodes[0]["id"]})


def shows_json(value: Any) -> list[str]:
    """Return the texts of an answer, at any depth, that hold JSON."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [found for each in inner for found in shows_json(each)]
    return [value] if isinstance(value, str) and ('"' in value or "```" in value) else []


@pytest.mark.parametrize("mode", MODES)
async def test_the_documented_form_is_read_in_every_mode(
    mind: Engine, server: Loopback, mode: str
) -> None:
    answer = await used(mind, server, mode, DOCUMENTED)
    assert shows_json(answer) == []
    assert TEXT.rstrip(".") in json.dumps(answer)


@pytest.mark.parametrize("form", sorted(set(FORMS) - {"documented"}))
@pytest.mark.parametrize(
    "mode", ["linear", "divergent", "reflection", "auto", "got_generate", "got_finalize"]
)
async def test_other_forms_are_read_too(
    mind: Engine, server: Loopback, mode: str, form: str
) -> None:
    answer = await used(mind, server, mode, FORMS[form])
    assert shows_json(answer) == []
    assert TEXT.rstrip(".") in json.dumps(answer)


@pytest.mark.parametrize("form", sorted(FORMS))
async def test_the_confidence_that_came_is_kept(mind: Engine, server: Loopback, form: str) -> None:
    generated = await used(mind, server, "got_generate", FORMS[form])
    assert [node["content"] for node in generated["nodes"]] == [TEXT]
    assert {edge["weight"] for edge in generated["edges"]} == {0.35}
    scored = await used(mind, server, "got_score", FORMS[form])
    parts = [scored[part] for part in ("relevance", "validity", "depth")]
    assert (parts, scored["check"], scored["ballots"]) == ([0.35] * 3, "judge", 1)
    reflected = await used(mind, server, "reflection", FORMS[form])
    assert reflected["confidence"] == 0.35


async def test_no_stored_thought_is_json(mind: Engine, server: Loopback) -> None:
    answer = await used(mind, server, "divergent", DOCUMENTED)
    stored = await whole(mind, answer["session_id"])
    assert {each.content for each in stored.thoughts} == {TEXT}


async def test_a_mode_that_the_text_opens_with_is_a_vote(mind: Engine, server: Loopback) -> None:
    form = json.dumps({"thought": "Tree: ships have several ways in.", "confidence": 0.9})
    answer = await used(mind, server, "auto", form)
    assert [each["mode"] for each in answer["votes"] if each["by"] == "llm"] == ["tree"]


async def test_several_continuations_in_a_list_are_several_nodes(
    mind: Engine, server: Loopback
) -> None:
    for form in ([TEXT, OTHER], {"ideas": [{"idea": TEXT}, {"idea": OTHER}]}):
        answer = await used(mind, server, "got_generate", json.dumps(form))
        assert [node["content"] for node in answer["nodes"]] == [TEXT, OTHER]


async def test_that_a_reply_had_another_form_is_noted(mind: Engine, server: Loopback) -> None:
    answer = await used(mind, server, "linear", FORMS["another key"])
    assert answer["notes"] == ["the answer was not the requested JSON: its text was read out of it"]


@pytest.mark.parametrize("form", ["[1, 2, 3]", '{"thou', 'Here it is: {"n": [{"id": 1, "ok": '])
@pytest.mark.parametrize("mode", MODES)
async def test_json_that_says_nothing_is_never_stored_nor_answered(
    mind: Engine, server: Loopback, access: Access, mode: str, form: str
) -> None:
    answer = None
    with suppress(LlmUnavailable):
        answer = await used(mind, server, mode, form)
    found = json.dumps([answer, [str(row) for row in stored_rows(access)]])
    assert json.dumps(form)[1:-1] not in found
